#include "group/offsets/input_lag.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/saturated.hpp"
#include "group/topology/patterns.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

std::int32_t partitions_there(const metadata::image& image, const std::string& topic) {
  const auto* const found = image.find(topic);
  return found == nullptr ? 0 : found->partition_count();
}

/// Collects partitions with all that is known of them.
class lag_writer {
 public:
  lag_writer(const streams_group& group, const told_offsets& told) : told_(told), versions_(versions_read(group)) {
    for (const auto& [id, member] : group.members) {
      for (const auto* tasks : {&member.current.assigned, &member.current.pending_revocation}) {
        for (const auto& [subtopology, partitions] : tasks->active) {
          for (const auto& [partition, epoch] : partitions) {
            runs_.insert_or_assign({member.metadata.topology_epoch, subtopology, partition}, id);
          }
        }
      }
    }
  }

  /// Those of the image, and others with a committed offset.
  void add_topic(const std::string& name, const metadata::image& image) {
    const auto readers = readers_of(name);
    const auto count = readers.empty() ? 0 : partitions_there(image, name);
    for (std::int32_t partition = 0; partition < count; ++partition) add(name, partition, readers);
    const auto committed = told_.committed.find(name);
    if (committed == told_.committed.end()) return;
    for (const auto& [partition, offset] : committed->second) {
      if (partition < 0 || partition >= count) add(name, partition, {});
    }
  }

  input_lag take() { return std::move(out_); }

 private:
  /// A subtopology, and the topology epoch that knows it.
  using reader = std::pair<std::int32_t, std::string_view>;

  [[nodiscard]] std::vector<reader> readers_of(const std::string& topic) const {
    std::vector<reader> out;
    for (const auto& version : versions_) {
      const auto found = version.topics.find(topic);
      if (found != version.topics.end()) out.emplace_back(version.epoch, found->second);
    }
    return out;
  }

  void add(const std::string& name, std::int32_t partition, const std::vector<reader>& readers) {
    if (out_.partitions.size() >= lag_partitions_max) {
      ++out_.left_out;
      return;
    }
    auto& row = out_.partitions.emplace_back();
    row.topic = name;
    row.partition = partition;
    name_reader(row, readers);
    tell_offsets(row);
    count(out_.total, row);
    if (!row.subtopology_id.empty()) count(out_.by_subtopology[row.subtopology_id], row);
  }

  /// Who has the task, by whichever topology; else the task of the newest.
  void name_reader(read_partition& row, const std::vector<reader>& readers) const {
    if (readers.empty()) return;
    row.subtopology_id = readers.front().second;
    for (const auto& [epoch, subtopology] : readers) {
      const auto member = runs_.find({epoch, subtopology, row.partition});
      if (member == runs_.end()) continue;
      row.subtopology_id = subtopology;
      row.member_id = member->second;
      return;
    }
  }

  void tell_offsets(read_partition& row) const {
    const auto* const end = entry(told_.ends, row);
    if (end != nullptr) row.end_offset = end->offset;
    const auto* const committed = entry(told_.committed, row);
    if (committed == nullptr) {
      row.reason = told_.has_committed ? "nothing is committed" : told_.problem;
      return;
    }
    row.committed = *committed;
    if (row.end_offset) {
      row.lag = std::max<std::int64_t>(saturated_difference(*row.end_offset, committed->offset), 0);
    } else if (end != nullptr) {
      row.reason = end->reason;
    } else {
      row.reason = told_.problem.empty() ? "its end was not asked for" : told_.problem;
    }
  }

  template <class Value>
  static const Value* entry(const std::map<std::string, std::map<std::int32_t, Value>, std::less<>>& in,
                            const read_partition& of) {
    const auto topic = in.find(of.topic);
    if (topic == in.end()) return nullptr;
    const auto found = topic->second.find(of.partition);
    return found == topic->second.end() ? nullptr : &found->second;
  }

  static void count(lag_sum& sum, const read_partition& row) {
    ++sum.partitions;
    if (row.lag) {
      sum.lag = saturated_sum(sum.lag, *row.lag);
    } else {
      ++sum.unknown;
    }
  }

  const told_offsets& told_;
  std::vector<version_read> versions_;
  std::map<std::tuple<std::int32_t, std::string_view, std::int32_t>, std::string_view> runs_;
  input_lag out_;
};

}  // namespace

std::vector<version_read> versions_read(const streams_group& group) {
  std::vector<version_read> versions;
  const auto add = [&](const topology& version, const pattern_matches* matches) {
    versions.push_back({.epoch = version.epoch, .topics = offset_topics(resolve(version, matches).plain)});
  };
  if (group.topology) add(*group.topology, group.soft.matches.get());
  for (const auto& [epoch, former] : group.soft.former_topologies) {
    if (count_of_version(group, epoch) > 0) add(*former.topology, former.matches.get());
  }
  return versions;
}

std::set<std::string, std::less<>> topics_read(const streams_group& group) {
  std::set<std::string, std::less<>> names;
  for (const auto& version : versions_read(group)) {
    for (const auto& [name, subtopology] : version.topics) names.insert(name);
  }
  return names;
}

told_offsets own_offsets(const streams_group& group, const metadata::image& image, std::int64_t now_ms) {
  told_offsets told;
  told.at_ms = now_ms;
  told.has_committed = true;
  const auto end_all = [&](const std::string& name) {
    auto& ends = told.ends[name];
    const auto count = partitions_there(image, name);
    for (std::int32_t partition = 0; partition < count; ++partition) ends[partition] = {.offset = 0, .reason = {}};
  };
  for (const auto& name : topics_read(group)) end_all(name);
  for (const auto& [name, partitions] : group.offsets) {
    const auto* const topic = image.find(name);
    if (topic == nullptr) continue;
    for (const auto& [partition, offset] : partitions) {
      if (offset.topic_id.is_zero() || offset.topic_id == topic->id) told.committed[name].emplace(partition, offset);
    }
    end_all(name);
  }
  return told;
}

input_lag lag_of_input(const streams_group& group, const metadata::image& image, const told_offsets& told,
                       std::string_view only_topic) {
  auto topics = topics_read(group);
  for (const auto& [name, partitions] : told.committed) topics.insert(name);
  lag_writer out(group, told);
  for (const auto& name : topics) {
    if (only_topic.empty() || name == only_topic) out.add_topic(name, image);
  }
  return out.take();
}

}  // namespace weir::group
