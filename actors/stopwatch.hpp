// How long a decision took: measured around the rules, which know no clock.
#pragma once

#include <chrono>
#include <vector>

#include "group/event.hpp"

namespace weir::actors {

/// Runs from its making on.
class stopwatch {
 public:
  /// Writes the time into the event of a computed target, if there is one: an assignor is nearly all of such a
  /// decision.
  void stamp(std::vector<group::event>& events) const {
    for (auto& event : events) {
      if (event.why != group::cause::target_computed) continue;
      const auto took = std::chrono::steady_clock::now() - began_;
      event.computed_in_us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    }
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace weir::actors
