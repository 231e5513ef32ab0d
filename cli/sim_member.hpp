// One stream thread as the coordinator sees it: the member state machine of the shipped client (spec 01 appendix C),
// without sockets or time. `simulate` owns one for each thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/sim_topology.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::cli {

/// Subtopology id -> partitions.
using sim_tasks = std::map<std::string, std::set<std::int32_t>>;

struct sim_assignment {
  sim_tasks active;
  sim_tasks standby;
  sim_tasks warmup;
  bool operator==(const sim_assignment&) const = default;
};

struct sim_identity {
  std::string group_id;
  std::string member_id;
  std::string process_id;
  std::int32_t rebalance_timeout_ms = 300'000;
};

/// What to do after an answer or a failure.
enum class next_step {
  wait,              ///< the next heartbeat after the interval
  now,               ///< a heartbeat at once: to acknowledge, or to join again
  find_coordinator,  ///< look for the coordinator, then a heartbeat at once
  back_off,          ///< a short pause, then a heartbeat
  stop               ///< this thread is over; why() says for what reason
};

class sim_member {
 public:
  /// The topology must outlive the member.
  sim_member(sim_identity identity, const sim_topology& topology)
      : identity_(std::move(identity)), topology_(topology) {}

  /// Joins, reports what it owns when that changed, or just says that it lives. Views of the member's own texts.
  [[nodiscard]] protocol::streams_group_heartbeat_request next_request();
  [[nodiscard]] protocol::streams_group_heartbeat_request leave_request() const;

  next_step on_answer(const protocol::streams_group_heartbeat_response& answer);
  /// No answer: the same epoch again, and everything is reported anew.
  next_step on_failure();

  [[nodiscard]] std::int32_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] std::int32_t interval_ms() const noexcept { return interval_ms_; }
  [[nodiscard]] const sim_assignment& owned() const noexcept { return owned_; }
  /// `joining`, `running`, or in words what the last status said.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  struct report {
    sim_assignment owned;
    bool ready = true;
    bool operator==(const report&) const = default;
  };

  next_step on_error(std::int16_t code, std::string message);
  void take_statuses(const protocol::streams_group_heartbeat_response& answer);
  next_step take_tasks(const protocol::streams_group_heartbeat_response& answer);
  next_step end(std::string why);

  sim_identity identity_;
  const sim_topology& topology_;
  std::int32_t epoch_ = 0;
  std::int32_t endpoint_epoch_ = -1;
  std::int32_t interval_ms_ = 5'000;
  sim_assignment owned_;
  bool ready_ = true;
  std::optional<report> reported_;  ///< what the coordinator was told last; nothing = tell everything
  std::map<std::int8_t, std::string> statuses_;
  int answers_without_sources_ = 0;  ///< in a row
  std::string why_;
};

/// `0_1 1_0`: tasks as Kafka Streams prints them.
[[nodiscard]] std::string to_string(const sim_tasks& tasks);

}  // namespace weir::cli
