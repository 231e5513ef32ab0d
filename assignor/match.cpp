#include "assignor/match.hpp"

#include <algorithm>
#include <numeric>

namespace weir::assignor {

namespace {

class matching {
 public:
  matching(const match_choices& choices, std::vector<std::int32_t>& capacity)
      : choices_(choices),
        capacity_(capacity),
        bin_of_(at(choices.size()), nobody),
        members_(capacity.size()),
        reached_by_(capacity.size(), nobody),
        is_closed_(capacity.size(), false) {}

  std::vector<std::int32_t> make() && {
    std::vector<std::int32_t> order(bin_of_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return choices_.of(a).size() < choices_.of(b).size();
    });
    for (const auto element : order) give_best_free(element);
    for (const auto element : order) {
      if (bin_of_[at(element)] == nobody && steps_left_ > 0) let_in(element);
    }
    return std::move(bin_of_);
  }

 private:
  void give_best_free(std::int32_t element) {
    for (const auto bin : choices_.of(element)) {
      if (capacity_[at(bin)] == 0) continue;
      --capacity_[at(bin)];
      put(element, bin);
      return;
    }
  }

  void put(std::int32_t element, std::int32_t bin) {
    bin_of_[at(element)] = bin;
    members_[at(bin)].push_back(element);
  }

  // Breadth first from the element over bins whose elements could go elsewhere. What a search in vain has reached leads
  // nowhere for later ones either.
  void let_in(std::int32_t element) {
    std::vector<std::int32_t> reached;
    reach_from(element, reached);
    for (std::size_t i = 0; i < reached.size() && steps_left_ > 0; ++i) {
      const auto bin = reached[i];
      if (capacity_[at(bin)] > 0) {
        --capacity_[at(bin)];
        move_along(bin);
        for (const auto seen : reached) reached_by_[at(seen)] = nobody;
        return;
      }
      for (const auto other : members_[at(bin)]) reach_from(other, reached);
    }
    for (const auto bin : reached) is_closed_[at(bin)] = true;
  }

  void reach_from(std::int32_t element, std::vector<std::int32_t>& reached) {
    for (const auto bin : choices_.of(element)) {
      --steps_left_;
      if (is_closed_[at(bin)] || reached_by_[at(bin)] != nobody || bin == bin_of_[at(element)]) continue;
      reached_by_[at(bin)] = element;
      reached.push_back(bin);
    }
  }

  // Each element on the way to the free bin goes one bin on.
  void move_along(std::int32_t bin) {
    while (true) {
      const auto element = reached_by_[at(bin)];
      const auto left = bin_of_[at(element)];
      put(element, bin);
      if (left == nobody) return;
      std::erase(members_[at(left)], element);
      bin = left;
    }
  }

  const match_choices& choices_;
  std::vector<std::int32_t>& capacity_;
  std::vector<std::int32_t> bin_of_;
  std::vector<std::vector<std::int32_t>> members_;  // bin -> its elements
  std::vector<std::int32_t> reached_by_;            // bin -> element whose choice led there, in the present search
  std::vector<bool> is_closed_;
  std::int64_t steps_left_ = match_steps_max;
};

}  // namespace

std::vector<std::int32_t> match(const match_choices& choices, std::vector<std::int32_t>& capacity) {
  return matching(choices, capacity).make();
}

}  // namespace weir::assignor
