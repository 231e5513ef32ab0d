// How different the places of a task's copies are, by client tags (spec 03, 8.3, step 5).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Tag keys that count; the configuration has no more of them. A foreign record may: the first ones count.
inline constexpr std::size_t tag_keys_max = 8;

/// Processes with equal values of all keys form a group. The tags of a process are those of its first member that has
/// the key; an empty value is none.
class tag_groups {
 public:
  tag_groups(const dense_group& group, std::span<const std::string> keys);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(processes_.size()); }
  [[nodiscard]] std::int32_t of(std::int32_t process) const { return group_of_[at(process)]; }
  [[nodiscard]] std::int32_t processes(std::int32_t tag_group) const { return processes_[at(tag_group)]; }

  [[nodiscard]] std::size_t keys() const { return keys_; }
  /// Number of the value of a key, or nobody.
  [[nodiscard]] std::int32_t value(std::int32_t tag_group, std::size_t key) const {
    return values_[at(tag_group) * keys_ + key];
  }

 private:
  std::size_t keys_;
  std::vector<std::int32_t> group_of_;   // process -> group
  std::vector<std::int32_t> processes_;  // group -> number of processes
  std::vector<std::int32_t> values_;     // group x key
};

/// Tag values in use by the copies of one task. A second value of any key is worth more than all third ones together,
/// and so on; among second values one of an important key more than those of all lesser keys.
class diversity {
 public:
  explicit diversity(const tag_groups& groups) : groups_(groups), used_(groups.keys()) {}

  void clear();
  /// One more copy, at a process of that group.
  void add(std::int32_t tag_group);
  /// What it would add.
  [[nodiscard]] std::int64_t gain(std::int32_t tag_group) const;
  /// The sum of what all copies added.
  [[nodiscard]] std::int64_t value() const { return value_; }

 private:
  const tag_groups& groups_;
  std::vector<std::vector<std::int32_t>> used_;  // key -> distinct values
  std::int64_t value_ = 0;
};

}  // namespace weir::assignor
