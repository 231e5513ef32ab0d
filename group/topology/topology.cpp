#include "group/topology/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/java_hash.hpp"

namespace weir::group {
namespace {

topology canonical(topology any);
void sort_infos(std::vector<topic_info>& infos);
std::vector<std::optional<std::set<std::string>>> copartitioned_names(const subtopology& part);
bool is_index(std::int16_t index, std::size_t size);

}  // namespace

bool equivalent(const topology& a, const topology& b) {
  if (a == b) return true;
  if (a.epoch != b.epoch || a.subtopologies.size() != b.subtopologies.size()) return false;
  topology left = canonical(a);
  topology right = canonical(b);
  return std::ranges::equal(left.subtopologies, right.subtopologies, [](subtopology& x, subtopology& y) {
    if (copartitioned_names(x) != copartitioned_names(y)) return false;
    x.copartition_groups.clear();  // their indexes mean the order of the arrays they were sent with
    y.copartition_groups.clear();
    for (auto* part : {&x, &y}) {
      std::ranges::sort(part->source_topics);
      std::ranges::sort(part->source_topic_regex);
      std::ranges::sort(part->repartition_sink_topics);
      sort_infos(part->repartition_source_topics);
      sort_infos(part->state_changelog_topics);
    }
    return x == y;
  });
}

bool equal_by_id(const topology& a, const topology& b) { return a == b || canonical(a) == canonical(b); }

std::optional<std::set<std::string>> copartitioned_topics(const subtopology& part, const copartition_group& group) {
  std::set<std::string> names;
  for (auto index : group.source_topics) {
    if (!is_index(index, part.source_topics.size())) return std::nullopt;
    names.insert(part.source_topics[static_cast<std::size_t>(index)]);
  }
  for (auto index : group.repartition_source_topics) {
    if (!is_index(index, part.repartition_source_topics.size())) return std::nullopt;
    names.insert(part.repartition_source_topics[static_cast<std::size_t>(index)].name);
  }
  return names;
}

bool reads_patterns(const topology& topology) noexcept {
  return std::ranges::any_of(topology.subtopologies, [](const auto& part) { return !part.source_topic_regex.empty(); });
}

std::set<std::string> required_topics(const topology& topology) {
  std::set<std::string> names;
  for (const auto& part : topology.subtopologies) {
    names.insert(part.source_topics.begin(), part.source_topics.end());
    for (const auto& info : part.repartition_source_topics) names.insert(info.name);
    for (const auto& info : part.state_changelog_topics) names.insert(info.name);
  }
  return names;
}

std::set<std::string> all_topics(const topology& topology) {
  std::set<std::string> names = required_topics(topology);
  for (const auto& part : topology.subtopologies) {
    names.insert(part.repartition_sink_topics.begin(), part.repartition_sink_topics.end());
  }
  return names;
}

std::map<std::string, std::string, std::less<>> offset_topics(const topology& topology) {
  std::map<std::string, std::string, std::less<>> readers;
  for (const auto* part : in_visiting_order(topology)) {
    for (const auto& name : part->source_topics) readers[name] = part->id;
    for (const auto& info : part->repartition_source_topics) readers[info.name] = part->id;
  }
  return readers;
}

std::vector<const subtopology*> in_visiting_order(const topology& topology) {
  std::vector<std::string_view> ids;
  for (const auto& part : topology.subtopologies) ids.push_back(part.id);
  std::vector<const subtopology*> order;
  for (const auto index : java_map_order(ids)) order.push_back(&topology.subtopologies[index]);
  return order;
}

namespace {

topology canonical(topology any) {
  std::ranges::stable_sort(any.subtopologies, {}, &subtopology::id);
  return any;
}

void sort_infos(std::vector<topic_info>& infos) {
  for (auto& info : infos) std::ranges::sort(info.configs);
  std::ranges::stable_sort(infos, {}, &topic_info::name);
}

/// The copartition groups as a set of sets.
std::vector<std::optional<std::set<std::string>>> copartitioned_names(const subtopology& part) {
  std::vector<std::optional<std::set<std::string>>> groups;
  for (const auto& indexes : part.copartition_groups) {
    auto& names = groups.emplace_back(copartitioned_topics(part, indexes));
    for (auto index : indexes.source_topic_regex) {
      if (!names || !is_index(index, part.source_topic_regex.size())) continue;
      names->insert("pattern:" + part.source_topic_regex[static_cast<std::size_t>(index)]);  // no name of a topic
    }
  }
  std::ranges::sort(groups);
  auto repeated = std::ranges::unique(groups);
  groups.erase(repeated.begin(), repeated.end());
  return groups;
}

bool is_index(std::int16_t index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }

}  // namespace
}  // namespace weir::group
