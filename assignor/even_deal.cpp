#include "assignor/even_deal.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "base/assert.hpp"

namespace weir::assignor {

even_deal::even_deal(const dense_group& group, std::span<const std::int32_t> threads)
    : group_(group),
      threads_(threads),
      thread_count_(std::accumulate(threads.begin(), threads.end(), std::int64_t{0})) {}

std::vector<std::int32_t> even_deal::counts(const deal& dealt) const { return counts_in(dealt, 0, dealt.bins.size()); }

// The same of the tasks from begin to end - 1.
std::vector<std::int32_t> even_deal::counts_in(const deal& dealt, std::size_t begin, std::size_t end) const {
  std::vector<std::int32_t> counted(threads_.size(), 0);
  for (auto i = begin; i < end; ++i) {
    if (dealt.bins[i] != nobody) ++counted[at(dealt.bins[i])];
  }
  return counted;
}

void even_deal::give_up_surplus(deal& dealt, std::span<const std::int32_t> quotas, std::span<const pull> wanted) const {
  const auto held = counts(dealt);
  std::vector<std::vector<std::size_t>> mine(threads_.size());  // of bins above their quota
  for (std::size_t i = 0; i < dealt.tasks.size(); ++i) {
    const auto bin = dealt.bins[i];
    if (bin != nobody && held[at(bin)] > quotas[at(bin)]) mine[at(bin)].push_back(i);
  }
  const auto size_of = sizes(dealt.tasks);
  for (std::size_t bin = 0; bin < mine.size(); ++bin) {
    if (mine[bin].empty()) continue;
    auto surplus = mine[bin].size() - at(quotas[bin]);
    for (const auto most : {pull::caught_up, pull::some_state}) {
      if (wanted.empty()) break;
      for (auto i = mine[bin].rbegin(); i != mine[bin].rend() && surplus > 0; ++i) {
        if (wanted[*i] != most) continue;
        dealt.bins[*i] = nobody;
        --surplus;
      }
    }
    std::erase_if(mine[bin], [&](std::size_t i) { return dealt.bins[i] == nobody; });
    auto shares = size_of;
    for (auto& share : shares) share *= threads_[bin];
    give_up(dealt, mine[bin], surplus, shares);
  }
}

// Subtopology -> how many of the tasks are its.
std::vector<std::int64_t> even_deal::sizes(std::span<const std::int32_t> tasks) const {
  std::vector<std::int64_t> counted(group_.subtopologies.size(), 0);
  for (const auto& of : runs(tasks)) counted[at(of.subtopology)] = static_cast<std::int64_t>(of.end - of.begin);
  return counted;
}

// The last tasks, one by one, of the subtopology that the bin has most of above its share. `shares` of the
// subtopologies and what is above them are counted in tasks times threads of all bins.
void even_deal::give_up(deal& dealt, std::span<const std::size_t> mine, std::size_t surplus,
                        const std::vector<std::int64_t>& shares) const {
  if (surplus == 0) return;
  struct stack {
    std::int64_t above;
    std::size_t begin;
    std::size_t end;
    bool operator<(const stack& other) const { return std::tie(above, begin) < std::tie(other.above, other.begin); }
  };
  std::vector<std::int32_t> tasks;
  for (const auto i : mine) tasks.push_back(dealt.tasks[i]);
  std::priority_queue<stack> stacks;
  for (const auto& [subtopology, begin, end] : runs(tasks)) {
    stacks.push({static_cast<std::int64_t>(end - begin) * thread_count_ - shares[at(subtopology)], begin, end});
  }
  for (; surplus > 0; --surplus) {
    auto most = stacks.top();
    stacks.pop();
    dealt.bins[mine[--most.end]] = nobody;
    most.above -= thread_count_;
    if (most.end > most.begin) stacks.push(most);
  }
}

std::vector<even_deal::run> even_deal::runs(std::span<const std::int32_t> tasks) const {
  std::vector<run> found;
  for (std::size_t i = 0; i < tasks.size();) {
    const auto subtopology = group_.subtopology_of(tasks[i]);
    const auto after = std::lower_bound(tasks.begin() + static_cast<std::ptrdiff_t>(i), tasks.end(),
                                        group_.first_task[at(subtopology) + 1]);
    const auto end = static_cast<std::size_t>(after - tasks.begin());
    found.push_back({subtopology, i, end});
    i = end;
  }
  return found;
}

void even_deal::place(deal& dealt, std::vector<std::int32_t>& room, const racks* near) const {
  for (const auto& of : runs(dealt.tasks)) {
    std::vector<std::size_t> places;  // of the tasks without bin
    std::vector<std::int32_t> tasks;
    for (auto i = of.begin; i < of.end; ++i) {
      if (dealt.bins[i] != nobody) continue;
      places.push_back(i);
      tasks.push_back(dealt.tasks[i]);
    }
    if (tasks.empty()) continue;
    auto bins = bins_for(dealt, of, room, tasks.size());
    if (near != nullptr && near->are_known(of.subtopology)) bins = near->pair_up(tasks, of.subtopology, bins);
    for (std::size_t i = 0; i < places.size(); ++i) dealt.bins[places[i]] = bins[i];
  }
}

// Bins for so many more tasks of the run.
std::vector<std::int32_t> even_deal::bins_for(const deal& dealt, const run& of, std::vector<std::int32_t>& room,
                                              std::size_t wanted) const {
  auto held = counts_in(dealt, of.begin, of.end);
  const auto goes_later = [&](std::int32_t a, std::int32_t b) {
    const std::int64_t threads_a = threads_[at(a)];
    const std::int64_t threads_b = threads_[at(b)];
    return std::tuple(held[at(a)] * threads_b, -room[at(a)] * threads_b, a) >
           std::tuple(held[at(b)] * threads_a, -room[at(b)] * threads_a, b);
  };
  std::vector<std::int32_t> open;
  for (std::size_t bin = 0; bin < room.size(); ++bin) {
    if (room[bin] > 0) open.push_back(static_cast<std::int32_t>(bin));
  }
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, decltype(goes_later)> next(goes_later, std::move(open));
  std::vector<std::int32_t> bins;
  bins.reserve(wanted);
  while (bins.size() < wanted) {
    WEIR_ASSERT(!next.empty());
    const auto bin = next.top();
    next.pop();
    bins.push_back(bin);
    ++held[at(bin)];
    if (--room[at(bin)] > 0) next.push(bin);
  }
  return bins;
}

void even_deal::divide(deal& dealt, std::vector<std::int32_t>& room, const racks* near) const {
  for (const auto& of : runs(dealt.tasks)) {
    auto left = even_counts(of, counts_in(dealt, of.begin, of.end), room);
    for (std::size_t bin = 0; bin < left.size(); ++bin) room[bin] -= left[bin];
    std::vector<std::size_t> places;
    std::vector<std::int32_t> tasks;
    for (auto i = of.begin; i < of.end; ++i) {
      if (dealt.bins[i] != nobody && left[at(dealt.bins[i])] > 0) {
        --left[at(dealt.bins[i])];
      } else {
        places.push_back(i);
        tasks.push_back(dealt.tasks[i]);
      }
    }
    std::vector<std::int32_t> bins;
    for (std::size_t bin = 0; bin < left.size(); ++bin) {
      bins.insert(bins.end(), at(left[bin]), static_cast<std::int32_t>(bin));
    }
    if (near != nullptr && near->are_known(of.subtopology)) bins = near->pair_up(tasks, of.subtopology, bins);
    for (std::size_t i = 0; i < places.size(); ++i) dealt.bins[places[i]] = bins[i];
  }
}

// Each bin gets its share of the run rounded down, then those with most room per thread one more each, round by round;
// of equals those that hold one more now.
std::vector<std::int32_t> even_deal::even_counts(const run& of, std::span<const std::int32_t> held,
                                                 std::span<const std::int32_t> room) const {
  const auto tasks = static_cast<std::int64_t>(of.end - of.begin);
  auto left = static_cast<std::size_t>(tasks);
  std::vector<std::int32_t> given(threads_.size());
  for (std::size_t bin = 0; bin < given.size(); ++bin) {
    given[bin] = std::min(room[bin], static_cast<std::int32_t>(threads_[bin] * tasks / thread_count_));
    left -= at(given[bin]);
  }
  const auto goes_first = [&](std::int32_t a, std::int32_t b) {
    const auto room_a = std::int64_t{room[at(a)] - given[at(a)]} * threads_[at(b)];
    const auto room_b = std::int64_t{room[at(b)] - given[at(b)]} * threads_[at(a)];
    return std::tuple(-room_a, held[at(a)] <= given[at(a)], a) < std::tuple(-room_b, held[at(b)] <= given[at(b)], b);
  };
  while (left > 0) {
    std::vector<std::int32_t> open;
    for (std::size_t bin = 0; bin < given.size(); ++bin) {
      if (room[bin] > given[bin]) open.push_back(static_cast<std::int32_t>(bin));
    }
    WEIR_ASSERT(!open.empty());
    const auto chosen = std::min(left, open.size());
    const auto middle = open.begin() + static_cast<std::ptrdiff_t>(chosen);
    if (middle != open.end()) std::nth_element(open.begin(), middle, open.end(), goes_first);
    std::for_each(open.begin(), middle, [&](std::int32_t bin) { ++given[at(bin)]; });
    left -= chosen;
  }
  return given;
}

}  // namespace weir::assignor
