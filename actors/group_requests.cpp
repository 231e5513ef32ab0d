// The requests of a group besides heartbeats.
#include <fmt/format.h>

#include <utility>

#include "actors/group_shell.hpp"
#include "group/description.hpp"
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
  match_patterns();
  auto answer = group::describe(for_readers(), world());
  answer_when_durable(message.request, [request = message.request, answer = std::move(answer)]() mutable {
    request->answer(std::move(answer));
  });
}

void group_shell::summarise(const summary_message& message) {
  if (loading_ && known_kind_ != group::group_kind::none) {
    return message.rows->add(group::loading_summary(group_.id, known_kind_));
  }
  const auto& seen = for_readers();  // once: a write of another group ends what is former
  if (loading_ || seen.kind == group::group_kind::none) return;
  const auto now_so = std::make_shared<const group::group_summary>(group::summarise(seen));
  if (appended_ == durable_ && &seen == &group_) {
    row_is_shown_ = true;
    host_.show(now_so);
  }
  const auto row = std::make_shared<pending_row>(message.rows, *now_so);
  answer_when_durable(row, [row] { row->answer(); });
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
  auto changed = overrides_;
  if (auto edited = (*message.edit)(changed); !edited) return message.request->answer(std::move(edited));
  const auto defaults = services_.defaults.get();
  if (auto checked = group::check(changed, defaults->broker); !checked) {
    return message.request->answer(protocol::refuse(error_code::invalid_config, std::move(checked.error().message)));
  }
  if (services_.log.full()) return message.request->reject(error_code::coordinator_not_available);
  // As in Kafka, a target that depends on them follows from the next heartbeat on; but no heartbeat asks for the
  // assignor, so another one is asked at once.
  const bool has_other_assignor = group::effective(changed, defaults->broker).assignor_name != config_.assignor_name;
  change_overrides(std::move(changed), has_other_assignor && !services_.options.strict_kafka, {});
  answer_when_durable(message.request, [request = message.request] { request->answer({}); });
}

void group_shell::update_description(const description_message& message) {
  if (!admit(*message.request)) return;
  auto outcome = group::store_description(group_, *message.update);
  if (!has_room(outcome.records, *message.request)) return;
  if (!outcome.records.empty()) write(std::move(outcome.records));
  protocol::kafka_result<void> answer;
  if (outcome.refused) answer = tl::unexpected(std::move(*outcome.refused));
  answer_later(message.request, std::move(answer));
}

}  // namespace weir::actors
