// How long a group actor that died waits for its replacement. The first time not at all, since most faults do not come
// again; then longer each time, up to a limit, so that a group that cannot live does not keep the node from the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace weir::actors {

class restart_pace {
 public:
  static constexpr std::int64_t first_ms = 100;      ///< wait before the second replacement; doubles from there
  static constexpr std::int64_t longest_ms = 5'000;  ///< never longer than this
  static constexpr std::int64_t calm_ms = 60'000;    ///< a group that lived that long starts anew

  /// The actor of the group has died now: the pause before it is replaced, milliseconds.
  [[nodiscard]] std::int64_t pause_ms(std::string_view group_id, std::int64_t now_ms) {
    std::erase_if(groups_, [&](const auto& entry) { return now_ms - entry.second.died_ms > calm_ms; });
    auto& group = groups_[std::string(group_id)];
    group.died_ms = now_ms;
    const auto pause = group.next_ms;
    group.next_ms = std::min(longest_ms, std::max(first_ms, 2 * pause));
    return pause;
  }
  /// Groups that died within calm_ms before the last call.
  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }

 private:
  struct past {
    std::int64_t died_ms = 0;
    std::int64_t next_ms = 0;
  };
  std::map<std::string, past, std::less<>> groups_;
};

}  // namespace weir::actors
