// One consumer group for tests: requests are decided and carried out one after the other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "group/consumer/consumer_group.hpp"
#include "group/streams_group.hpp"
#include "metadata/hash_cache.hpp"
#include "protocol/error_codes.hpp"

namespace weir::group {

using protocol::code_of;
using protocol::error_code;

/// Topics are t, u and what a test makes; topic ids have the number of the topic.
class consumer_test : public ::testing::Test {
 protected:
  using beat_request = protocol::consumer_group_heartbeat_request;
  static constexpr std::int32_t fenced_code = -1'000 - 110;   ///< what beat() answers then
  static constexpr std::int32_t unknown_code = -1'000 - 25;
  using parts = std::map<std::string, std::vector<std::int32_t>>;

  consumer_test() {
    group.id = "g";
    make_topic("t", 4);
    make_topic("u", 2);
    options.assignment_interval_ms = 0;
  }

  void make_topic(const std::string& name, std::size_t partitions) {
    metadata::topic topic;
    const auto* const known = image->find(name);
    topic.id = known != nullptr ? known->id : uuid{.high = 1, .low = ++topics};
    topic.name = name;
    topic.partition_racks.resize(partitions);
    image = metadata::image_builder(image).put_topic(std::move(topic)).build(image->version() + 1);
  }
  void drop_topic(const std::string& name) {
    image = metadata::image_builder(image).remove_topic(name).build(image->version() + 1);
  }

  static beat_request beats(const std::string& member_id, std::int32_t epoch) {
    beat_request request;
    request.group_id = "g";
    request.member_id = text(member_id);
    request.member_epoch = epoch;
    return request;
  }
  static beat_request joins(const std::string& member_id, std::initializer_list<std::string> names = {"t"}) {
    auto request = beats(member_id, 0);
    request.rebalance_timeout_ms = 10'000;
    request.topic_partitions.emplace();
    request.subscribed_topic_names.emplace();
    for (const auto& name : names) request.subscribed_topic_names->emplace_back(name);
    return request;
  }
  /// Says what the member owns.
  beat_request owning(beat_request request, const parts& owned) const {
    request.topic_partitions.emplace();
    for (const auto& [name, partitions] : owned) {
      auto& part = request.topic_partitions->emplace_back();
      part.topic_id = image->find(name)->id;
      part.partitions = partitions;
    }
    return request;
  }

  /// The error code.
  int send(const beat_request& request) {
    const consumer_caller caller{
        .version = version, .client_id = "client", .client_host = "/h", .new_member_id = "made"};
    auto outcome = heartbeat_consumer(group, request, caller, world());
    answer = outcome.answer;
    take(std::move(outcome));
    return answer.error_code;
  }
  /// The member's epoch, or the error code below zero.
  std::int32_t beat(const std::string& member_id, std::int32_t epoch) {
    const int code = send(beats(member_id, epoch));
    return code == 0 ? answer.member_epoch : -1'000 - code;
  }
  std::int32_t beat(const std::string& member_id, std::int32_t epoch, const parts& owned) {
    const int code = send(owning(beats(member_id, epoch), owned));
    return code == 0 ? answer.member_epoch : -1'000 - code;
  }
  void take(consumer_outcome outcome) {
    last_written = outcome.records;
    for (const auto& r : outcome.records) apply(group, r);
    apply(group, outcome.soft);
  }
  void pass(std::int64_t ms) {
    now += ms;
    take(expire_consumers(group, world()));
  }
  consumer_world world() { return {.image = *image, .hashes = hashes, .options = options, .now_ms = now}; }

  /// What the last answer assigns; `{"none", {}}` if it says nothing about it.
  [[nodiscard]] parts told() const {
    if (!answer.assignment) return {{"none", {}}};
    parts out;
    for (const auto& part : answer.assignment->topic_partitions) {
      out[image->find(part.topic_id)->name].assign(part.partitions.begin(), part.partitions.end());
    }
    return out;
  }
  [[nodiscard]] std::string state() const { return std::string(name(consumer_state_of(group))); }
  [[nodiscard]] const consumer_member& member(const std::string& id) const {
    return group.soft.consumer.members.at(id);
  }
  [[nodiscard]] std::int32_t epoch() const { return group.consumer->epoch; }

  std::uint64_t topics = 0;
  metadata::image_ptr image = std::make_shared<const metadata::image>();
  metadata::hash_cache hashes;
  consumer_options options;
  streams_group group;
  std::int64_t now = 1'000;
  std::int16_t version = 1;
  records last_written;
  protocol::consumer_group_heartbeat_response answer;
};

}  // namespace weir::group
