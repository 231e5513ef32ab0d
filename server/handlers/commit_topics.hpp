// What OffsetCommit and TxnOffsetCommit have in common: topics are checked by the front end, the rest by the group's
// coordinator. Spec 05, 4.2 and 4.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/utf16.hpp"
#include "group/offsets/transactions.hpp"
#include "metadata/image.hpp"
#include "protocol/error_codes.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {

/// How one request names topics and how long its offsets live.
struct commit_terms {
  bool by_id = false;
  std::int64_t now_ms = 0;
  std::int64_t retention_ms = -1;  ///< -1: the coordinator's
  bool merges = false;             ///< a topic that is named again stands once in the answer
};

/// What stays undecided until the coordinator has spoken is marked with these: it may still accept the first.
inline constexpr std::int16_t undecided = -2;
inline constexpr std::int16_t undecided_too_large = -3;

template <class Partition>
[[nodiscard]] protocol::error_code check_offset(const metadata::topic* topic, const Partition& partition, bool by_id) {
  using protocol::error_code;
  if (topic == nullptr && by_id) return error_code::unknown_topic_id;
  return has_partition(topic, partition.partition_index) ? error_code::none : error_code::unknown_topic_or_partition;
}

template <class Partition>
[[nodiscard]] bool is_too_large(const Partition& partition) {
  constexpr std::size_t metadata_max = 4096;  // offset.metadata.max.bytes, which Kafka compares with characters
  if (!partition.committed_metadata || partition.committed_metadata->size() <= metadata_max) return false;
  return to_utf16(partition.committed_metadata->view()).size() > metadata_max;
}

/// Where the answer tells of topics; one that `merges` has one place for each of them.
template <class Told>
class answer_places {
 public:
  answer_places(std::vector<Told>& topics, bool merges) : topics_(topics), merges_(merges) {}

  template <class Wanted>
  [[nodiscard]] Told& of(const Wanted& wanted) {
    if (merges_) {
      const std::pair key(wanted.name.view(), wanted.topic_id);
      const auto [place, is_first] = places_.try_emplace(key, topics_.size());
      if (!is_first) return topics_[place->second];
    }
    auto& made = topics_.emplace_back();
    made.name = wanted.name;
    made.topic_id = wanted.topic_id;
    return made;
  }

 private:
  std::vector<Told>& topics_;
  bool merges_;
  std::map<std::pair<std::string_view, uuid>, std::size_t> places_;
};

/// Fills the answer with what can be told now; returns what is left for the coordinator.
template <class Topics, class Answer>
[[nodiscard]] std::vector<group::offset_entry> read_topics(const Topics& topics, const metadata::image& image,
                                                           const commit_terms& terms, Answer& out) {
  std::vector<group::offset_entry> entries;
  answer_places places(out.topics, terms.merges);
  for (const auto& wanted : topics) {
    const auto* const topic = terms.by_id ? image.find(wanted.topic_id) : image.find(wanted.name);
    if (wanted.partitions.empty()) continue;  // as a broker leaves it out
    auto& told = places.of(wanted);
    for (const auto& partition : wanted.partitions) {
      const auto code = check_offset(topic, partition, terms.by_id);
      auto& answered = told.partitions.emplace_back();
      answered.partition_index = partition.partition_index;
      answered.error_code = code_of(code);
      if (code != protocol::error_code::none) continue;
      auto& entry = entries.emplace_back();
      entry.is_stored = !is_too_large(partition);
      answered.error_code = entry.is_stored ? undecided : undecided_too_large;
      entry.topic = topic->name;
      entry.partition = partition.partition_index;
      entry.value.offset = partition.committed_offset;
      entry.value.leader_epoch = partition.committed_leader_epoch;
      if (partition.committed_metadata) entry.value.metadata = partition.committed_metadata->str();
      entry.value.commit_timestamp_ms = terms.now_ms;
      if (terms.retention_ms >= 0) entry.value.expire_timestamp_ms = terms.now_ms + terms.retention_ms;
      entry.value.topic_id = topic->id;
    }
  }
  return entries;
}

/// The request to the coordinator; the answer is filled with what can be told now.
template <class Request, class Answer>
[[nodiscard]] actors::commit_request read_commit(const Request& asked, std::int16_t version,
                                                 const metadata::image& image, const commit_terms& terms, Answer& out) {
  actors::commit_request commit;
  commit.group_id = asked.group_id.str();
  commit.version = version;
  commit.member_id = asked.member_id.str();
  if (asked.group_instance_id) commit.instance_id = asked.group_instance_id->str();
  commit.member_epoch = asked.generation_id_or_member_epoch;
  commit.entries = read_topics(asked.topics, image, terms, out);
  return commit;
}

template <class Answer>
void decide(Answer& out, protocol::error_code code) {
  using protocol::error_code;
  for (auto& topic : out.topics) {
    for (auto& partition : topic.partitions) {
      if (partition.error_code == undecided) partition.error_code = code_of(code);
      if (partition.error_code != undecided_too_large) continue;
      partition.error_code = code_of(code == error_code::none ? error_code::offset_metadata_too_large : code);
    }
  }
}

}  // namespace weir::server::handlers
