#include "assignor/tag_groups.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace weir::assignor {

namespace {

// Distinct values of one key beyond these are worth the same.
constexpr std::size_t levels = 6;

// How much the key's next distinct value is worth, `distinct` being there already.
std::int64_t worth(std::size_t keys, std::size_t key, std::size_t distinct) {
  return std::int64_t{1} << (keys * (levels - std::min(distinct, levels)) + keys - 1 - key);
}
static_assert(tag_keys_max * (levels + 1) < 62, "the worth of all first values fits");

// Process -> number of its value of the key, or nobody.
std::vector<std::int32_t> values_of(const dense_group& group, const std::string& key) {
  std::map<std::string_view, std::int32_t> numbers;
  std::vector<std::int32_t> values(group.threads.size(), nobody);
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    auto& value = values[at(group.process_of[at(member)])];
    const auto* tags = group.members[at(member)]->client_tags;
    if (value != nobody || tags == nullptr) continue;
    const auto tag = tags->find(key);
    if (tag == tags->end() || tag->second.empty()) continue;
    value = numbers.try_emplace(tag->second, static_cast<std::int32_t>(numbers.size())).first->second;
  }
  return values;
}

}  // namespace

tag_groups::tag_groups(const dense_group& group, std::span<const std::string> keys)
    : keys_(std::min(keys.size(), tag_keys_max)) {
  std::vector<std::vector<std::int32_t>> by_key;
  for (std::size_t key = 0; key < keys_; ++key) by_key.push_back(values_of(group, keys[key]));
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  for (std::size_t process = 0; process < group.threads.size(); ++process) {
    std::vector<std::int32_t> values;
    for (const auto& of_key : by_key) values.push_back(of_key[process]);
    const auto [found, is_new] = known.try_emplace(values, size());
    if (is_new) {
      processes_.push_back(0);
      values_.insert(values_.end(), values.begin(), values.end());
    }
    ++processes_[at(found->second)];
    group_of_.push_back(found->second);
  }
}

void diversity::clear() {
  for (auto& values : used_) values.clear();
  value_ = 0;
}

void diversity::add(std::int32_t tag_group) {
  value_ += gain(tag_group);
  for (std::size_t key = 0; key < used_.size(); ++key) {
    const auto value = groups_.value(tag_group, key);
    auto& used = used_[key];
    if (value != nobody && std::find(used.begin(), used.end(), value) == used.end()) used.push_back(value);
  }
}

std::int64_t diversity::gain(std::int32_t tag_group) const {
  std::int64_t gained = 0;
  for (std::size_t key = 0; key < used_.size(); ++key) {
    const auto value = groups_.value(tag_group, key);
    const auto& used = used_[key];
    if (value == nobody || std::find(used.begin(), used.end(), value) != used.end()) continue;
    gained += worth(used_.size(), key, used.size());
  }
  return gained;
}

}  // namespace weir::assignor
