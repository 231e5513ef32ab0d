// java.util.PriorityQueue down to the places where it leaves equal elements: a binary heap in which only what is really
// smaller moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::assignor {

/// Numbers by load, least first. `Load` is any ordered number.
template <class Load>
class java_priority_queue {
 public:
  struct entry {
    Load load;
    std::int32_t item;
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  void clear() { heap_.clear(); }
  void reserve(std::size_t entries) { heap_.reserve(entries); }

  void add(entry added) {
    auto hole = heap_.size();
    heap_.push_back(added);
    for (; hole > 0 && added.load < heap_[(hole - 1) / 2].load; hole = (hole - 1) / 2) {
      heap_[hole] = heap_[(hole - 1) / 2];
    }
    heap_[hole] = added;
  }

  /// Takes the least one out. The queue must not be empty.
  entry poll() {
    const auto least = heap_.front();
    const auto moving = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return least;
    std::size_t hole = 0;
    for (auto child = smaller_child(hole); child < heap_.size() && heap_[child].load < moving.load;
         child = smaller_child(hole)) {
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moving;
    return least;
  }

 private:
  // The left one of equals.
  [[nodiscard]] std::size_t smaller_child(std::size_t parent) const {
    const auto left = 2 * parent + 1;
    return left + 1 < heap_.size() && heap_[left + 1].load < heap_[left].load ? left + 1 : left;
  }

  std::vector<entry> heap_;
};

}  // namespace weir::assignor
