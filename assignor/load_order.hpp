// Processes in order of load: tasks per thread, then process id. Loads go up and down by one.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

class load_order {
 public:
  struct entry {
    std::int64_t tasks;
    std::int32_t threads;
    std::int32_t process;

    bool operator<(const entry& other) const {
      const auto mine = tasks * other.threads;
      const auto others = other.tasks * threads;
      return mine != others ? mine < others : process < other.process;
    }
    /// Tasks of its least and of its most loaded thread.
    [[nodiscard]] std::int64_t least() const { return tasks / threads; }
    [[nodiscard]] std::int64_t most() const { return (tasks + threads - 1) / threads; }
  };

  /// Process -> tasks, threads and class; each class is ordered by itself.
  load_order(std::span<const std::int64_t> tasks, std::span<const std::int32_t> threads,
             std::span<const std::int32_t> classes) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      entries_.push_back({tasks[i], threads[i], static_cast<std::int32_t>(i)});
      class_of_.push_back(classes[i]);
      if (at(classes[i]) >= classes_.size()) classes_.resize(at(classes[i]) + 1);
      classes_[at(classes[i])].insert(entries_.back());
    }
  }

  /// The least loaded first.
  [[nodiscard]] const std::set<entry>& of_class(std::int32_t number) const { return classes_[at(number)]; }

  void change(std::int32_t process, std::int64_t by) {
    auto& listed = classes_[at(class_of_[at(process)])];
    auto node = listed.extract(entries_[at(process)]);
    entries_[at(process)].tasks += by;
    node.value() = entries_[at(process)];
    listed.insert(std::move(node));
  }

  [[nodiscard]] std::int64_t tasks(std::int32_t process) const { return entries_[at(process)].tasks; }

 private:
  std::vector<entry> entries_;           // by process
  std::vector<std::int32_t> class_of_;   // by process
  std::vector<std::set<entry>> classes_;
};

}  // namespace weir::assignor
