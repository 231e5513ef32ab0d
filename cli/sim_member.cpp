#include "cli/sim_member.hpp"

#include <fmt/format.h>

#include "protocol/error_codes.hpp"

namespace weir::cli {
namespace {

using protocol::error_code;
using protocol::streams_group_heartbeat_request;
using protocol::streams_group_heartbeat_response;

constexpr std::int32_t leave_epoch = -1;
/// Join, acknowledgement, and two heartbeat intervals: then a shipped client gives up on missing source topics.
constexpr int patience = 3;

/// Spec 01, 5.4.
enum status : std::int8_t {
  stale_topology = 0,
  missing_source_topics = 1,
  incorrectly_partitioned_topics = 2,
  missing_internal_topics = 3,
  shutdown_application = 4,
  assignment_delayed = 5,
};

std::string_view words(std::int8_t code) {
  switch (code) {
    case stale_topology: return "stale topology";
    case missing_source_topics: return "source topics are missing";
    case incorrectly_partitioned_topics: return "partition counts do not fit";
    case missing_internal_topics: return "internal topics are being created";
    case shutdown_application: return "the application is shutting down";
    case assignment_delayed: return "waiting for more members";
    default: return "status";
  }
}

/// Appendix C: with one of these the group is not ready; a change of that alone is acknowledged.
bool means_not_ready(std::int8_t code) {
  return code == missing_source_topics || code == incorrectly_partitioned_topics || code == missing_internal_topics ||
         code == assignment_delayed;
}

std::vector<streams_group_heartbeat_request::task_ids_data> to_wire(const sim_tasks& tasks) {
  std::vector<streams_group_heartbeat_request::task_ids_data> out;
  for (const auto& [subtopology, partitions] : tasks) {
    auto& ids = out.emplace_back();
    ids.subtopology_id = text::view(subtopology);
    ids.partitions.assign(partitions.begin(), partitions.end());
  }
  return out;
}

/// All of them at the end of their changelogs.
std::vector<streams_group_heartbeat_request::task_offset_data> offsets_of(const sim_assignment& owned) {
  constexpr std::int64_t end = 1'000;
  std::vector<streams_group_heartbeat_request::task_offset_data> out;
  for (const auto* tasks : {&owned.active, &owned.standby, &owned.warmup}) {
    for (const auto& [subtopology, partitions] : *tasks) {
      for (const auto partition : partitions) {
        auto& one = out.emplace_back();
        one.subtopology_id = text(subtopology);
        one.partition = partition;
        one.offset = end;
      }
    }
  }
  return out;
}

sim_tasks from_wire(const std::vector<streams_group_heartbeat_response::task_ids_data>& from) {
  sim_tasks out;
  for (const auto& ids : from) out[ids.subtopology_id.str()].insert(ids.partitions.begin(), ids.partitions.end());
  return out;
}

}  // namespace

streams_group_heartbeat_request sim_member::next_request() {
  streams_group_heartbeat_request request;
  request.group_id = text::view(identity_.group_id);
  request.member_id = text::view(identity_.member_id);
  request.member_epoch = epoch_;
  request.endpoint_information_epoch = endpoint_epoch_;
  const bool joining = epoch_ == 0;
  if (joining) {
    request.rebalance_timeout_ms = identity_.rebalance_timeout_ms;
    request.process_id = text::view(identity_.process_id);
    request.topology = http::to_wire(topology_);
    request.client_tags.emplace();
    request.task_offsets.emplace();
    request.task_end_offsets.emplace();
  }
  const report now{owned_, ready_};
  if (joining || reported_ != now) {
    request.active_tasks = to_wire(owned_.active);
    request.standby_tasks = to_wire(owned_.standby);
    request.warmup_tasks = to_wire(owned_.warmup);
    if (!joining) {  // nothing is kept here, so a task is restored as soon as it is given
      request.task_offsets = offsets_of(owned_);
      request.task_end_offsets = request.task_offsets;
    }
    reported_ = now;
  }
  return request;
}

streams_group_heartbeat_request sim_member::leave_request() const {
  streams_group_heartbeat_request request;
  request.group_id = text::view(identity_.group_id);
  request.member_id = text::view(identity_.member_id);
  request.member_epoch = leave_epoch;
  return request;
}

next_step sim_member::on_answer(const streams_group_heartbeat_response& answer) {
  if (answer.error_code != 0) {
    return on_error(answer.error_code, answer.error_message ? answer.error_message->str() : std::string());
  }
  epoch_ = answer.member_epoch;
  endpoint_epoch_ = answer.endpoint_information_epoch;
  interval_ms_ = answer.heartbeat_interval_ms;
  take_statuses(answer);
  if (statuses_.contains(shutdown_application)) return end(statuses_[shutdown_application]);
  if (statuses_.contains(incorrectly_partitioned_topics)) return end(statuses_[incorrectly_partitioned_topics]);
  answers_without_sources_ = statuses_.contains(missing_source_topics) ? answers_without_sources_ + 1 : 0;
  if (answers_without_sources_ > patience) return end(statuses_[missing_source_topics]);
  return take_tasks(answer);
}

next_step sim_member::on_failure() {
  reported_.reset();
  return next_step::back_off;
}

void sim_member::take_statuses(const streams_group_heartbeat_response& answer) {
  statuses_.clear();
  if (!answer.status) return;
  for (const auto& one : *answer.status) statuses_[one.status_code] = one.status_detail.str();
}

/// What is given up and what is taken over happens at once here; the acknowledgement follows at once.
next_step sim_member::take_tasks(const streams_group_heartbeat_response& answer) {
  ready_ = true;
  for (const auto& [code, detail] : statuses_) ready_ = ready_ && !means_not_ready(code);
  if (answer.active_tasks && answer.standby_tasks && answer.warmup_tasks) {
    owned_ = {from_wire(*answer.active_tasks), from_wire(*answer.standby_tasks), from_wire(*answer.warmup_tasks)};
  }
  return reported_ == report{owned_, ready_} ? next_step::wait : next_step::now;
}

next_step sim_member::on_error(std::int16_t code, std::string message) {
  reported_.reset();
  switch (static_cast<error_code>(code)) {
    case error_code::coordinator_not_available:
    case error_code::not_coordinator: return next_step::find_coordinator;
    case error_code::coordinator_load_in_progress:
    case error_code::topic_authorization_failed: return next_step::back_off;
    case error_code::fenced_member_epoch:
    case error_code::unknown_member_id:
      epoch_ = 0;
      owned_ = {};
      return next_step::now;
    default: break;
  }
  return end(fmt::format("{} ({}) {}", protocol::name(static_cast<error_code>(code)), code, message));
}

next_step sim_member::end(std::string why) {
  why_ = std::move(why);
  return next_step::stop;
}

std::string sim_member::state() const {
  if (!why_.empty()) return "stopped";
  if (epoch_ == 0) return "joining";
  std::string out;
  for (const auto& [code, detail] : statuses_) {
    if (!out.empty()) out += ", ";
    out += words(code);
  }
  return out.empty() ? "running" : out;
}

std::string to_string(const sim_tasks& tasks) {
  std::string out;
  for (const auto& [subtopology, partitions] : tasks) {
    for (const std::int32_t partition : partitions) {
      if (!out.empty()) out += " ";
      out += fmt::format("{}_{}", subtopology, partition);
    }
  }
  return out;
}

}  // namespace weir::cli
