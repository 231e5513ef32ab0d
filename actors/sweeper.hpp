// Tells every group from time to time to look for expired offsets (spec 04, 13.4).
#pragma once

#include <cstdint>

#include "actors/directory.hpp"

namespace weir::actors {

class sweeper_actor final : public base_actor {
 public:
  /// interval_ms above 0; the first sweep comes one interval after the start.
  sweeper_actor(caf::actor_config& config, directory* groups, std::int64_t interval_ms)
      : base_actor(config), groups_(groups), interval_ms_(interval_ms) {}
  [[nodiscard]] const char* name() const override { return "sweeper"; }
  message_handlers make_behavior() override {
    wake_me_in(interval_ms_, clean_up_due_message{});
    return {[this](const clean_up_due_message&) {
      groups_->tell_all(clean_up_message{});
      wake_me_in(interval_ms_, clean_up_due_message{});
    }};
  }

 private:
  directory* groups_;
  std::int64_t interval_ms_;
};

}  // namespace weir::actors
