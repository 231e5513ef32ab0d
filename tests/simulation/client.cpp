#include "tests/simulation/client.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/simulation/violation.hpp"

namespace weir::simulation {
namespace {

std::vector<request::task_ids_data> wire(const group::task_set& tasks) {
  std::vector<request::task_ids_data> list;
  list.reserve(tasks.size());
  for (const auto& [subtopology, partitions] : tasks) {
    auto& entry = list.emplace_back();
    entry.subtopology_id = text(subtopology);
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return list;
}

template <class List>
group::task_set set_of(const std::optional<List>& list) {
  group::task_set set;
  if (!list) return set;
  for (const auto& entry : *list) {
    set[entry.subtopology_id.str()].insert(entry.partitions.begin(), entry.partitions.end());
  }
  std::erase_if(set, [](const auto& entry) { return entry.second.empty(); });
  return set;
}

group::task_set common(const group::task_set& a, const group::task_set& b) {
  group::task_set both;
  for (const auto& [subtopology, partitions] : a) {
    for (auto p : partitions) {
      if (group::contains(b, subtopology, p)) both[subtopology].insert(p);
    }
  }
  return both;
}

}  // namespace

group::task_set listed(const std::optional<std::vector<response::task_ids_data>>& list) { return set_of(list); }
group::task_set listed(const std::optional<std::vector<request::task_ids_data>>& list) { return set_of(list); }

void client::start(const client_names& names, const request::topology_data& app) {
  names_ = names;
  app_ = &app;
  is_up_ = true;
  interval_ms_ = 1000;
  was_shut_down_ = false;
  answers_without_sources_ = 0;
  join_again();
}

void client::stop() noexcept {
  join_again();
  is_up_ = false;
}

/// All tasks are lost; the member id stays.
void client::join_again() noexcept {
  epoch_ = 0;
  endpoint_epoch_ = -1;
  held_ = wanted_ = {};
  is_ready_ = is_told_ready_ = true;
  target_.reset();
  reported_.reset();
  kept_.clear();
}

request client::next_request(bool asks_shutdown) {
  request r;
  r.group_id = "g";
  r.member_id = text::view(names_.member_id);
  r.member_epoch = epoch_;
  r.endpoint_information_epoch = endpoint_epoch_;
  if (names_.instance_id) r.instance_id = text::view(*names_.instance_id);
  r.shutdown_application = asks_shutdown;
  if (epoch_ == 0) {
    r.rebalance_timeout_ms = setup_->rebalance_timeout_ms;
    r.topology = *app_;
    r.process_id = text::view(names_.process_id);
    if (setup_->has_endpoint) {
      r.user_endpoint.emplace();
      r.user_endpoint->host = "host";
      r.user_endpoint->port = static_cast<std::uint16_t>(1000 + setup_->process);
    }
    r.client_tags.emplace();
    if (setup_->has_tag) {
      auto& tag = r.client_tags->emplace_back();
      tag.key = "zone";
      tag.value = "z1";
    }
  }
  report_offsets(r);
  const bool is_reported = reported_ && reported_->is_ready == is_ready_ && reported_->tasks == held_;
  if (epoch_ != 0 && is_reported) return r;
  reported_ = report{held_, is_ready_};
  r.active_tasks = wire(held_.active);
  r.standby_tasks = wire(held_.standby);
  r.warmup_tasks = wire(held_.warmup);
  return r;
}

/// Of standbys and warm-ups, each nearer to its end than the last time; a copy that was lost begins anew.
void client::report_offsets(request& r) {
  constexpr std::int64_t end = 20'000;
  if (setup_->restored_each_heartbeat < 0) return;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> restored;
  r.task_offsets.emplace();
  r.task_end_offsets.emplace();
  for (const auto* copies : {&held_.standby, &held_.warmup}) {
    for (const auto& [subtopology, partitions] : *copies) {
      for (const auto partition : partitions) {
        const auto before = restored_.find({subtopology, partition});
        const auto offset = (before == restored_.end() ? 0 : before->second) + setup_->restored_each_heartbeat;
        auto& entry = r.task_offsets->emplace_back();
        entry.subtopology_id = text(subtopology);
        entry.partition = partition;
        entry.offset = restored[{subtopology, partition}] = std::min(offset, end);
        r.task_end_offsets->push_back(entry);
        r.task_end_offsets->back().offset = end;
      }
    }
  }
  restored_ = std::move(restored);
}

request client::leave_request(bool for_good) const {
  request r;
  r.group_id = "g";
  r.member_id = text::view(names_.member_id);
  r.member_epoch = names_.instance_id && !for_good ? -2 : -1;
  r.endpoint_information_epoch = endpoint_epoch_;
  if (names_.instance_id) r.instance_id = text::view(*names_.instance_id);
  return r;
}

next_step client::on_answer(const response& answer) {
  if (answer.error_code != 0) return on_error(answer.error_code);
  if (answer.member_epoch < epoch_) {
    throw violation("epochs never go back",
                    fmt::format("member {} is told epoch {} after {}", names_.member_id, answer.member_epoch, epoch_));
  }
  epoch_ = answer.member_epoch;
  endpoint_epoch_ = answer.endpoint_information_epoch;
  interval_ms_ = answer.heartbeat_interval_ms;
  if (answer.active_tasks) {
    wanted_ = {.active = listed(answer.active_tasks),
               .standby = listed(answer.standby_tasks),
               .warmup = listed(answer.warmup_tasks)};
  }
  return take_statuses(answer);
}

next_step client::on_error(std::int16_t code) {
  reported_.reset();
  switch (code) {
    case 14:
    case 15:
    case 16: return next_step::back_off;
    case 25:
    case 110: join_again(); return next_step::now;
    default: return next_step::stop;
  }
}

next_step client::take_statuses(const response& answer) {
  constexpr int answers_tolerated = 2;  // about two heartbeat intervals
  const auto has = [&](int code) {
    return std::ranges::any_of(*answer.status, [&](const auto& s) { return s.status_code == code; });
  };
  is_told_ready_ = !has(1) && !has(2) && !has(3) && !has(5);
  answers_without_sources_ = has(1) ? answers_without_sources_ + 1 : 0;
  was_shut_down_ = has(4);
  const bool gives_up = has(2) || was_shut_down_ || answers_without_sources_ > answers_tolerated;
  return gives_up ? next_step::leave : next_step::wait;
}

void client::finish_reconciliation(bool keeps_tasks) {
  auto next = target_->tasks;
  if (next != wanted_) {
    next = {.active = common(next.active, wanted_.active),
            .standby = common(next.standby, wanted_.standby),
            .warmup = common(next.warmup, wanted_.warmup)};
  }
  if (keeps_tasks) kept_ = held_.active;
  held_ = std::move(next);
  is_ready_ = target_->is_ready;
  target_.reset();
}

}  // namespace weir::simulation
