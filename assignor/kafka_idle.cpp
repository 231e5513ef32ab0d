#include "assignor/kafka_idle.hpp"

#include <algorithm>

namespace weir::assignor {

kafka_idle::kafka_idle(process_load& load) : load_(&load) {
  const auto& group = load.group();
  if (group.by_process.size() == group.threads.size()) return;  // one member each
  members_.resize(group.threads.size());
  first_place_ = group.first_members();
  first_place_.push_back(group.by_process.size());
}

void kafka_idle::begin() {
  processes_.clear();
  processes_.reserve(load_->group().threads.size());
  for (std::int32_t process = 0; process < load_->group().process_count(); ++process) {
    processes_.add({load_->load(process), process});
  }
}

std::int32_t kafka_idle::take(std::span<const std::int32_t> excluded_processes) {
  auto member = nobody;
  while (member == nobody && !processes_.empty()) {
    const auto least = processes_.poll();
    if (std::ranges::find(excluded_processes, least.item) != excluded_processes.end()) {
      set_aside_.push_back(least);
    } else {
      member = take_from(least.item);
      processes_.add({load_->load(least.item), least.item});
    }
  }
  for (; !set_aside_.empty(); set_aside_.pop_back()) processes_.add(set_aside_.back());
  return member;
}

std::int32_t kafka_idle::take_from(std::int32_t process) {
  const auto& group = load_->group();
  if (group.threads[at(process)] == 1) {
    const auto only = group.by_process[members_.empty() ? at(process) : first_place(process)];
    load_->add(only);
    return only;
  }
  auto& members = members_[at(process)];
  if (members.empty()) {
    for (auto place = first_place(process); place < first_place(process + 1); ++place) {
      const auto member = group.by_process[place];
      members.add({load_->tasks(member), member});
    }
  }
  const auto member = members.poll().item;
  members.add({load_->add(member), member});
  return member;
}

}  // namespace weir::assignor
