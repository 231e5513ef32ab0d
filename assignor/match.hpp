// As many elements as possible into bins they may go to: a maximum matching with capacities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Most steps of one search for a better matching; then what has been found must do.
inline constexpr std::int64_t match_steps_max = 4'000'000;

/// Which bins each element may go to.
class match_choices {
 public:
  /// One more element; its bins follow.
  void next() { first_.push_back(bins_.size()); }
  /// A bin for the latest element; the best one first.
  void allow(std::int32_t bin) {
    bins_.push_back(bin);
    first_.back() = bins_.size();
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t element) const {
    return {bins_.data() + first_[at(element)], first_[at(element) + 1] - first_[at(element)]};
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<std::int32_t> bins_;
};

/// Element -> its bin, or nobody. At most capacity[b] elements get bin b; what is given is taken off. Elements with few
/// choices come first, then by number; each is given its best bin if it can be had, and moved later if that lets one
/// more element in.
[[nodiscard]] std::vector<std::int32_t> match(const match_choices& choices, std::vector<std::int32_t>& capacity);

}  // namespace weir::assignor
