// What a process would have to restore for a task, from what members have reported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "group/streams_group.hpp"

namespace weir::group {

/// Made in one pass over members and reports. Borrows the group.
class restore_lookup {
 public:
  explicit restore_lookup(const streams_group& now);

  /// Records to restore: 0 where the process runs the task; nothing if nobody has reported its end, or the process has
  /// a copy of which it tells nothing.
  [[nodiscard]] std::optional<std::int64_t> of(std::string_view process_id, std::string_view subtopology,
                                               std::int32_t partition) const;

 private:
  using task = std::pair<std::string_view, std::int32_t>;
  struct copy {
    bool is_running = false;
    bool is_held = false;
    std::optional<std::int64_t> offset;  // the best that is known
  };
  void add(const member& of);
  void add(const member& of, const member_soft& reports);

  std::map<task, std::int64_t> ends_;
  std::map<std::pair<std::string_view, task>, copy> copies_;
};

}  // namespace weir::group
