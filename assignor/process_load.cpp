#include "assignor/process_load.hpp"

#include <algorithm>

namespace weir::assignor {

namespace {

// Restores the heap order after the top, and only the top, has grown. `before` says who belongs nearer to the top.
// Goes down to a leaf first and then up a little: who was given a task mostly belongs at the bottom now, and this way
// no step is a branch that the processor cannot foresee.
template <class T, class Before>
void sink_top(std::span<T> heap, Before before) {
  const T moving = heap[0];
  std::size_t hole = 0;
  std::size_t child = 1;
  for (; child + 1 < heap.size(); child = 2 * hole + 1) {
    child += static_cast<std::size_t>(before(heap[child + 1], heap[child]));
    heap[hole] = heap[child];
    hole = child;
  }
  if (child < heap.size()) {
    heap[hole] = heap[child];
    hole = child;
  }
  for (; hole > 0 && before(moving, heap[(hole - 1) / 2]); hole = (hole - 1) / 2) heap[hole] = heap[(hole - 1) / 2];
  heap[hole] = moving;
}

// Bit operators: no branches, see above.
const auto lighter = [](const auto& a, const auto& b) {
  return static_cast<bool>((a.load < b.load) | ((a.load == b.load) & (a.process < b.process)));
};
const auto heavier = [](const auto& a, const auto& b) { return lighter(b, a); };
const auto fewer = [](const auto& a, const auto& b) {
  return static_cast<bool>((a.tasks < b.tasks) | ((a.tasks == b.tasks) & (a.member < b.member)));
};
const auto more = [](const auto& a, const auto& b) { return fewer(b, a); };

std::size_t position(std::int32_t number) { return static_cast<std::size_t>(number); }

}  // namespace

process_load::process_load(const dense_group& group)
    : group_(&group), member_tasks_(group.members.size(), 0), process_tasks_(group.threads.size(), 0) {}

least_loaded::least_loaded(process_load& load) : load_(&load) {
  const auto& group = load.group();
  processes_.reserve(group.threads.size());
  members_.reserve(group.members.size());
  for (std::int32_t process = 0; process < group.process_count(); ++process) {
    processes_.push_back({load.load(process), process});
  }
  std::make_heap(processes_.begin(), processes_.end(), heavier);

  first_member_.resize(group.threads.size() + 1, 0);
  for (std::size_t i = 0; i < group.threads.size(); ++i) first_member_[i + 1] = first_member_[i] + group.threads[i];
  for (const auto member : group.by_process) members_.push_back({load.tasks(member), member});
  for (std::size_t i = 0; i < group.threads.size(); ++i) {
    std::make_heap(members_.begin() + first_member_[i], members_.begin() + first_member_[i + 1], more);
  }
}

std::int32_t least_loaded::take(std::span<const std::int32_t> excluded_processes) {
  const auto excluded = [&](std::int32_t process) {
    return std::find(excluded_processes.begin(), excluded_processes.end(), process) != excluded_processes.end();
  };
  while (!processes_.empty() && excluded(processes_.front().process)) set_aside_.push_back(pop());
  const auto member = processes_.empty() ? nobody : take_top();
  for (const auto& entry : set_aside_) push(entry);
  set_aside_.clear();
  return member;
}

std::int32_t least_loaded::take_below(std::int64_t limit) {
  while (!processes_.empty() && members_of(processes_.front().process).front().tasks >= limit) pop();
  return processes_.empty() ? nobody : take_top();
}

std::span<least_loaded::member_entry> least_loaded::members_of(std::int32_t process) {
  const auto first = position(first_member_[position(process)]);
  const auto last = position(first_member_[position(process) + 1]);
  return {members_.data() + first, last - first};
}

std::int32_t least_loaded::take_top() {
  auto& top = processes_.front();
  const auto heap = members_of(top.process);
  const auto member = heap.front().member;
  heap.front().tasks = load_->add(member);
  sink_top(heap, fewer);
  top.load = load_->load(top.process);
  sink_top(std::span(processes_), lighter);
  return member;
}

least_loaded::process_entry least_loaded::pop() {
  std::pop_heap(processes_.begin(), processes_.end(), heavier);
  const auto entry = processes_.back();
  processes_.pop_back();
  return entry;
}

void least_loaded::push(process_entry entry) {
  processes_.push_back(entry);
  std::push_heap(processes_.begin(), processes_.end(), heavier);
}

}  // namespace weir::assignor
