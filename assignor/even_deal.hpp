// Dividing tasks among bins, processes of a group or members of a process, so that each bin gets what it has room for
// and every subtopology is spread evenly (spec 03, 8.3, steps 2 to 4 and 6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/racks.hpp"

namespace weir::assignor {

/// Tasks of one kind, ascending, and the bin each one is in; nobody: none yet.
struct deal {
  std::vector<std::int32_t> tasks;
  std::vector<std::int32_t> bins;

  void add(std::int32_t task, std::int32_t bin) {
    tasks.push_back(task);
    bins.push_back(bin);
  }
};

/// How much a task is wanted elsewhere, when somebody has to give it up.
enum class pull : std::uint8_t { none, some_state, caught_up };

/// Deals to bins of so many threads each. Borrows its arguments.
class even_deal {
 public:
  even_deal(const dense_group& group, std::span<const std::int32_t> threads);

  /// Tasks of each bin.
  [[nodiscard]] std::vector<std::int32_t> counts(const deal& dealt) const;

  /// Bins above their quota give up the difference: first what is wanted elsewhere most, then of the subtopology they
  /// are above their share of most, then the highest tasks. `wanted` is parallel to the tasks; empty: nothing is.
  void give_up_surplus(deal& dealt, std::span<const std::int32_t> quotas, std::span<const pull> wanted) const;

  /// Places all tasks without bin; `room` is what the bins may still take, in all at least as many. Each goes to the
  /// bin with the least of its subtopology per thread, of these to the one with most room per thread. With racks: who
  /// gets which task follows the racks as far as these numbers allow.
  void place(deal& dealt, std::vector<std::int32_t>& room, const racks* near = nullptr) const;

  /// Divides every subtopology evenly, whatever was where; tasks stay where they are within that. For tasks that are
  /// moved at no cost. `room` is for all of them.
  void divide(deal& dealt, std::vector<std::int32_t>& room, const racks* near = nullptr) const;

 private:
  struct run {  // tasks of one subtopology: [begin, end)
    std::int32_t subtopology;
    std::size_t begin;
    std::size_t end;
  };

  [[nodiscard]] std::vector<std::int32_t> counts_in(const deal& dealt, std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::vector<run> runs(std::span<const std::int32_t> tasks) const;
  [[nodiscard]] std::vector<std::int64_t> sizes(std::span<const std::int32_t> tasks) const;
  void give_up(deal& dealt, std::span<const std::size_t> mine, std::size_t surplus,
               const std::vector<std::int64_t>& shares) const;
  [[nodiscard]] std::vector<std::int32_t> bins_for(const deal& dealt, const run& of, std::vector<std::int32_t>& room,
                                                   std::size_t wanted) const;
  [[nodiscard]] std::vector<std::int32_t> even_counts(const run& of, std::span<const std::int32_t> held,
                                                      std::span<const std::int32_t> room) const;

  const dense_group& group_;
  std::span<const std::int32_t> threads_;
  std::int64_t thread_count_ = 0;
};

}  // namespace weir::assignor
