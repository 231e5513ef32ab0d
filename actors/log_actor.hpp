// Appends go straight to the log; their outcomes come back on its thread and become messages here: one for each group
// and turn, however many appends a batch had.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "actors/directory.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

/// How one append ended.
struct append_outcome {
  std::string group_id;
  std::uint64_t incarnation = 0;
  std::uint64_t number = 0;
  std::optional<std::string> failure;
};

/// Collects outcomes. Shared by the appends under way, so it outlives the actors; closed it drops what comes.
class outcome_box {
 public:
  void open(actor_handle reader);
  void close();
  void put(append_outcome outcome);
  std::vector<append_outcome> take();
  /// Something to be done by the log actor, of an append that is no group's. Closed, it is dropped.
  void put(std::function<void()> action);
  std::vector<std::function<void()>> take_actions();

 private:
  std::mutex mutex_;
  std::vector<append_outcome> outcomes_;
  std::vector<std::function<void()>> actions_;
  actor_handle reader_;  // told when the box is no longer empty
};

/// The way from the groups to the log.
class log_appender final : public append_port {
 public:
  log_appender(storage::record_log& log, std::shared_ptr<outcome_box> outcomes)
      : log_(log), outcomes_(std::move(outcomes)) {}
  void append(group_append append) override;

 private:
  storage::record_log& log_;
  std::shared_ptr<outcome_box> outcomes_;
};

class log_actor final : public base_actor {
 public:
  log_actor(caf::actor_config& config, directory* groups, std::shared_ptr<outcome_box> outcomes)
      : base_actor(config), groups_(groups), outcomes_(std::move(outcomes)) {}
  [[nodiscard]] const char* name() const override { return "log"; }
  message_handlers make_behavior() override;

 private:
  directory* groups_;
  std::shared_ptr<outcome_box> outcomes_;
};

}  // namespace weir::actors
