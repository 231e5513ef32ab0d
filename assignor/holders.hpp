// Who had something of each task before: its last active member, and members with a standby or with state on disk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Earlier owners and candidates of every task (spec 03, 2.1).
class holders {
 public:
  explicit holders(const dense_group& group);

  /// The member that had the task active, or nobody. If several claim it: the one of the highest member id.
  [[nodiscard]] std::int32_t owner(std::int32_t task) const { return owners_[static_cast<std::size_t>(task)]; }

  /// Members with state of the task: those that had it as standby first, then those that only reported an offset;
  /// higher offset first, then by member id.
  [[nodiscard]] std::span<const std::int32_t> candidates(std::int32_t task) const {
    const auto first = static_cast<std::size_t>(first_[static_cast<std::size_t>(task)]);
    const auto last = static_cast<std::size_t>(first_[static_cast<std::size_t>(task) + 1]);
    return {members_.data() + first, last - first};
  }

 private:
  struct candidate {
    std::int32_t task;
    std::int32_t member;
    std::int64_t offset;
    bool standby;
  };

  void find_owners(const dense_group& group);
  static std::vector<candidate> find_candidates(const dense_group& group);
  void index_candidates(std::vector<candidate> found);

  std::vector<std::int32_t> owners_;
  std::vector<std::int32_t> first_;    // task -> start of its candidates in members_; one more at the end
  std::vector<std::int32_t> members_;  // candidates of all tasks, in task order
};

}  // namespace weir::assignor
