// The requests of a group besides heartbeats.
#include <fmt/format.h>

#include <utility>

#include "actors/group_shell.hpp"
#include "group/offsets/commit.hpp"
#include "group/offsets/delete.hpp"

namespace weir::actors {

namespace {

using protocol::error_code;

constexpr std::size_t creation_errors_shown = 3;

/// Spec 01, 5.5 step 3: what went wrong with creating internal topics goes behind the detail of status 3.
void append_creation_errors(protocol::streams_group_heartbeat_response& answer,
                            const std::vector<std::pair<std::string, std::string>>& errors) {
  std::string words = "; creation failed: ";
  for (std::size_t i = 0; i < std::min(errors.size(), creation_errors_shown); ++i) {
    words += fmt::format("{}{} ({})", i == 0 ? "" : ", ", errors[i].first, errors[i].second);
  }
  if (errors.size() > creation_errors_shown) {
    words += fmt::format(" and {} more", errors.size() - creation_errors_shown);
  }
  if (!answer.status) return;
  for (auto& status : *answer.status) {
    if (status.status_code != group::topology_status::missing_internal_topics) continue;
    status.status_detail = text(status.status_detail.str() + words);
  }
}

group::commit_check to_check(const commit_request& commit) {
  group::commit_check check;
  check.version = commit.version;
  check.transactional = commit.transactional;
  check.member_id = commit.member_id;
  if (commit.instance_id) check.instance_id = *commit.instance_id;
  check.member_epoch = commit.member_epoch;
  check.partitions.reserve(commit.entries.size());
  for (const auto& entry : commit.entries) check.partitions.emplace_back(entry.topic, entry.partition);
  return check;
}

std::optional<std::string_view> view_of(const std::optional<std::string>& value) {
  return value ? std::optional<std::string_view>(*value) : std::nullopt;
}

}  // namespace

void group_shell::answer_heartbeat(pending_heartbeat& request, protocol::streams_group_heartbeat_response& answer,
                                   const group::configured_topology* missing) {
  if (missing != nullptr) {
    const auto errors = services_.topics.ensure(group_.id, missing->topics_to_create, config_.heartbeat_interval_ms);
    if (!errors.empty()) append_creation_errors(answer, errors);
  }
  request.answer(answer);
}

void group_shell::describe(const describe_message& message) {
  if (!admit(*message.request)) return;
  refresh_image();
  auto answer = group::describe(group_, world());
  answer_when_durable(message.request, [request = message.request, answer = std::move(answer)]() mutable {
    request->answer(std::move(answer));
  });
}

void group_shell::view(const view_message& message) {
  if (!admit(*message.request)) return;
  std::shared_ptr<group::group_view> view;
  if (group_.kind != group::group_kind::none) {
    view = std::make_shared<group::group_view>();
    view->group = group_;
    view->config = config_;
    view->own_config = overrides_;
    view->state = group::state_of(group_);
    view->timeline.assign(timeline_.begin(), timeline_.end());
    view->now_ms = now();
  }
  answer_when_durable(message.request, [request = message.request, view = std::move(view)] { request->answer(view); });
}

void group_shell::summarise(const summary_message& message) {
  if (loading_ || group_.kind == group::group_kind::none) return;
  const auto row = std::make_shared<pending_row>(message.rows, group::summarise(group_));
  answer_when_durable(row, [row] { row->answer(); });
}

void group_shell::commit(const commit_message& message) {
  if (!admit(*message.request)) return;
  auto verdict = error_code::none;
  if (const auto refused = group::check_commit(group_, to_check(*message.commit))) verdict = refused->code;
  if (verdict == error_code::none && !message.check_only) {
    if (auto records = offset_records(*message.commit); !records.empty()) {
      if (!has_room(records, *message.request)) return;
      count(services_.counters.commits, records.size());
      write(std::move(records));
    }
  }
  answer_when_durable(message.request, [request = message.request, verdict] { request->answer(verdict); });
}

group::records group_shell::offset_records(const commit_request& commit) {
  refresh_image();
  group::records records;
  records.reserve(commit.entries.size());
  for (const auto& entry : commit.entries) {
    if (!entry.is_stored) continue;
    auto value = entry.value;
    if (value.commit_timestamp_ms <= 0) value.commit_timestamp_ms = now();
    if (value.topic_id.is_zero()) {  // spec 04, 2.8: filled whenever the topic is known
      if (const auto* topic = image_->find(entry.topic)) value.topic_id = topic->id;
    }
    records.push_back(group::offset_record{entry.topic, entry.partition, std::move(value)});
  }
  return records;
}

void group_shell::fetch(const fetch_message& message) {
  const std::shared_ptr<pending_answer> request =
      message.check ? std::static_pointer_cast<pending_answer>(message.check) : message.request;
  if (!admit(*request)) return;
  const auto refused = group::check_fetch(group_, view_of(message.fetch->member_id), message.fetch->member_epoch);
  const auto verdict = refused ? refused->code : error_code::none;
  if (message.check) {
    return answer_when_durable(request, [check = message.check, verdict] { check->answer(verdict); });
  }
  fetched_offsets answer;
  answer.error = verdict;
  if (verdict == error_code::none) {
    for (const auto& [topic, partitions] : group_.offsets) answer.offsets.emplace(topic, partitions);
  }
  answer_when_durable(
      request, [reply = message.request, answer = std::move(answer)]() mutable { reply->answer(std::move(answer)); });
}

void group_shell::remove(const delete_message& message) {
  if (!admit(*message.request)) return;
  auto verdict = error_code::none;
  if (const auto refused = group::check_deletion(group_)) {
    verdict = refused->code;
  } else {
    auto records = group::deletion_records(group_);
    if (!has_room(records, *message.request)) return;
    write(std::move(records));
  }
  answer_when_durable(message.request, [request = message.request, verdict] { request->answer(verdict); });
}

void group_shell::alter_config(const alter_config_message& message) {
  if (!admit(*message.request)) return;
  if (auto checked = group::check(*message.overrides, services_.options.broker); !checked) {
    return message.request->answer(std::move(checked));
  }
  if (services_.log.full()) return message.request->reject(error_code::coordinator_not_available);
  write({}, {config_store::to_write(group_.id, *message.overrides)});
  when_durable_.emplace_back(appended_, [this, overrides = message.overrides] {
    services_.configs.set(group_.id, *overrides);
    use_config();
  });
  answer_when_durable(message.request, [request = message.request] { request->answer({}); });
}

}  // namespace weir::actors
