#include "group/offsets/input_lag.hpp"

#include <algorithm>
#include <utility>

#include "base/saturated.hpp"
#include "group/topology/patterns.hpp"

namespace weir::group {
namespace {

/// Collects partitions with all that is known of them.
class lag_writer {
 public:
  lag_writer(const streams_group& group, const told_offsets& told) : told_(told) {
    for (const auto& [id, member] : group.members) {
      for (const auto* tasks : {&member.current.assigned, &member.current.pending_revocation}) {
        for (const auto& [subtopology, partitions] : tasks->active) {
          for (const auto& [partition, epoch] : partitions) runs_.insert_or_assign({subtopology, partition}, id);
        }
      }
    }
  }

  /// The first `count`, and others with a committed offset.
  void add_topic(const std::string& name, const std::string& subtopology_id, std::int32_t count) {
    for (std::int32_t partition = 0; partition < count; ++partition) add(name, partition, subtopology_id);
    const auto committed = told_.committed.find(name);
    if (committed == told_.committed.end()) return;
    for (const auto& [partition, offset] : committed->second) {
      if (partition < 0 || partition >= count) add(name, partition, subtopology_id);
    }
  }

  input_lag take() { return std::move(out_); }

 private:
  void add(const std::string& name, std::int32_t partition, const std::string& subtopology_id) {
    if (out_.partitions.size() >= lag_partitions_max) {
      ++out_.left_out;
      return;
    }
    auto& row = out_.partitions.emplace_back();
    row.topic = name;
    row.partition = partition;
    row.subtopology_id = subtopology_id;
    const auto member = runs_.find({subtopology_id, partition});
    if (!subtopology_id.empty() && member != runs_.end()) row.member_id = member->second;
    tell_offsets(row);
    count(out_.total, row);
    if (!subtopology_id.empty()) count(out_.by_subtopology[subtopology_id], row);
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
  std::map<std::pair<std::string_view, std::int32_t>, std::string_view> runs_;
  input_lag out_;
};

std::int32_t partitions_there(const metadata::image& image, const std::string& topic) {
  const auto* const found = image.find(topic);
  return found == nullptr ? 0 : found->partition_count();
}

}  // namespace

std::map<std::string, std::string, std::less<>> topics_read(const streams_group& group, const metadata::image& image) {
  if (!group.topology) return {};
  if (!group.reads_patterns) return offset_topics(*group.topology);
  return offset_topics(resolve(*group.topology, image, group.soft.matches.get()).plain);
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
  for (const auto& [name, subtopology] : topics_read(group, image)) end_all(name);
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
  auto topics = topics_read(group, image);
  for (const auto& [name, partitions] : told.committed) topics.try_emplace(name);
  lag_writer out(group, told);
  for (const auto& [name, subtopology] : topics) {
    if (!only_topic.empty() && name != only_topic) continue;
    out.add_topic(name, subtopology, subtopology.empty() ? 0 : partitions_there(image, name));
  }
  return out.take();
}

}  // namespace weir::group
