// Where processes stand and where the partitions that tasks read have replicas.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Racks of processes and tasks. The rack of a process is that of its first member that has one. Borrows the group.
class racks {
 public:
  explicit racks(const dense_group& group);

  /// Whether anything is known that could guide a placement.
  [[nodiscard]] bool are_known(std::int32_t subtopology) const {
    return !names_.empty() && group_.subtopologies[at(subtopology)].racks != nullptr;
  }

  /// Gives each task one of the processes, a process as often as it is listed: as many tasks as possible to a process
  /// in one of their racks. All of one subtopology, as many tasks as processes.
  [[nodiscard]] std::vector<std::int32_t> pair_up(std::span<const std::int32_t> tasks, std::int32_t subtopology,
                                                  std::span<const std::int32_t> processes) const;

 private:
  [[nodiscard]] std::int32_t find(std::string_view rack) const;
  [[nodiscard]] std::vector<std::int32_t> match_racks(std::span<const std::int32_t> tasks, std::int32_t subtopology,
                                                      std::vector<std::int32_t> places) const;

  const dense_group& group_;
  std::vector<std::string_view> names_;  // ascending
  std::vector<std::int32_t> rack_of_;    // process -> index in names_, or nobody
};

}  // namespace weir::assignor
