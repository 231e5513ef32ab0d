// One stream thread as the shipped client behaves (spec 01, appendix C), without time and network: what it sends next,
// and what an answer makes of it. One thing is idealised: it takes up no task that its newest answer no longer lists.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "group/tasks.hpp"
#include "tests/simulation/answer_rules.hpp"
#include "tests/simulation/plan.hpp"

namespace weir::simulation {

/// The names a thread has from its start to its end; the texts must outlive every request made of them.
struct client_names {
  std::string_view member_id;
  std::string_view process_id;
  std::optional<std::string_view> instance_id;
};

/// What the thread does after an answer.
enum class next_step : std::uint8_t {
  wait,      ///< the next heartbeat after the interval
  now,       ///< a heartbeat at once
  back_off,  ///< a heartbeat after a pause
  stop,      ///< a fatal error: the thread dies without a word
  leave,     ///< the thread closes and leaves the group
};

class client {
 public:
  explicit client(const thread_setup& setup) : setup_(&setup) {}

  /// `app` must outlive every request made of it.
  void start(const client_names& names, const request::topology_data& app);
  /// Holds nothing from now on.
  void stop() noexcept;
  [[nodiscard]] bool is_up() const noexcept { return is_up_; }
  [[nodiscard]] const client_names& names() const noexcept { return names_; }
  [[nodiscard]] std::int32_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] std::int32_t interval_ms() const noexcept { return interval_ms_; }
  [[nodiscard]] const group::role_tasks& held() const noexcept { return held_; }
  /// What the newest answer that listed tasks says.
  [[nodiscard]] const group::role_tasks& wanted() const noexcept { return wanted_; }

  [[nodiscard]] request next_request(bool asks_shutdown);
  [[nodiscard]] request leave_request(bool for_good) const;
  next_step on_answer(const response& answer);
  /// The newest answer told the application to shut down.
  [[nodiscard]] bool was_shut_down() const noexcept { return was_shut_down_; }
  /// No answer came, or one that means "try again".
  void on_failure() noexcept { reported_.reset(); }

  /// Whether tasks or readiness have changed and no reconciliation runs.
  [[nodiscard]] bool wants_reconciliation() const {
    return is_up_ && !target_ && (wanted_ != held_ || is_told_ready_ != is_ready_);
  }
  void begin_reconciliation() { target_ = report{wanted_, is_told_ready_}; }
  [[nodiscard]] bool is_reconciling() const noexcept { return target_.has_value(); }
  /// `keeps_tasks`: a defect, see there.
  void finish_reconciliation(bool keeps_tasks);
  /// With `keeps_tasks`: what it should have stopped.
  [[nodiscard]] const group::task_set& kept() const noexcept { return kept_; }

 private:
  struct report {
    group::role_tasks tasks;
    bool is_ready = true;
  };
  void join_again() noexcept;
  void report_offsets(request& r);
  next_step on_error(std::int16_t code);
  next_step take_statuses(const response& answer);

  const thread_setup* setup_;
  const request::topology_data* app_ = nullptr;
  client_names names_;
  bool is_up_ = false;
  std::int32_t epoch_ = 0;
  std::int32_t endpoint_epoch_ = -1;
  std::int32_t interval_ms_ = 1000;
  group::role_tasks held_;
  bool is_ready_ = true;
  group::role_tasks wanted_;
  bool is_told_ready_ = true;
  std::optional<report> target_;    ///< of the running reconciliation
  std::optional<report> reported_;  ///< what was sent last; nothing = tell everything
  bool was_shut_down_ = false;
  int answers_without_sources_ = 0;
  group::task_set kept_;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> restored_;  ///< offsets of its copies
};

[[nodiscard]] group::task_set listed(const std::optional<std::vector<response::task_ids_data>>& list);
[[nodiscard]] group::task_set listed(const std::optional<std::vector<request::task_ids_data>>& list);

}  // namespace weir::simulation
