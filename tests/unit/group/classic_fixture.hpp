// One classic group for tests: requests are decided and carried out one after the other.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "group/classic/classic_group.hpp"
#include "group/streams_group.hpp"
#include "protocol/error_codes.hpp"

namespace weir::group {

using protocol::code_of;
using protocol::error_code;

/// A group whose requests are decided and carried out one after the other; answers are kept by member id.
class classic_test : public ::testing::Test {
 protected:
  classic_test() { group.id = "g"; }

  static protocol::join_group_request asks(const std::string& member_id, const std::string& protocol = "range") {
    protocol::join_group_request request;
    request.group_id = "g";
    request.member_id = text(member_id);
    request.session_timeout_ms = 10'000;
    request.rebalance_timeout_ms = 20'000;
    request.protocol_type = "consumer";
    request.protocols.emplace_back();
    request.protocols.back().name = text(protocol);
    request.protocols.back().metadata = "topics";
    return request;
  }
  /// The error code, or 0 if it has been answered or waits.
  int join(const protocol::join_group_request& request, const std::string& new_id = "new", std::int16_t version = 9) {
    classic_context context{.version = version,
                            .client_id = "client",
                            .client_host = "/h",
                            .new_member_id = new_id,
                            .members_max = members_max,
                            .now_ms = now,
                            .strict_kafka = strict_kafka};
    auto outcome = join_classic(group, request, context);
    take(outcome);
    last_written = outcome.records;
    copies += outcome.soft.classic ? 1 : 0;
    if (outcome.answer) answered = *outcome.answer;
    return outcome.answer ? outcome.answer->error_code : 0;
  }
  int join(const std::string& member_id, std::int16_t version = 3) { return join(asks(""), member_id, version); }
  /// A static member of instance i.
  int join_static(const std::string& new_id, const std::string& member_id = "", std::int16_t version = 9) {
    auto request = asks(member_id);
    request.group_instance_id = "i";
    return join(request, new_id, version);
  }
  int sync(const std::string& member_id, std::int32_t generation, const std::map<std::string, std::string>& plan = {}) {
    protocol::sync_group_request request;
    request.group_id = "g";
    request.member_id = text(member_id);
    request.generation_id = generation;
    for (const auto& [id, assignment] : plan) {
      request.assignments.emplace_back();
      request.assignments.back().member_id = text(id);
      request.assignments.back().assignment = text(assignment);
    }
    auto outcome = sync_classic(group, request, now);
    take(outcome);
    copies += outcome.soft.classic ? 1 : 0;
    if (outcome.answer) synced[member_id] = *outcome.answer;
    return outcome.answer ? outcome.answer->error_code : 0;
  }
  int beat(const std::string& member_id, std::int32_t generation) {
    protocol::heartbeat_request request;
    request.group_id = "g";
    request.member_id = text(member_id);
    request.generation_id = generation;
    auto outcome = beat_classic(group, request, now);
    take(outcome);
    return code_of(outcome.answer);
  }
  int leave(const std::string& member_id) {
    protocol::leave_group_request request;
    request.members.emplace_back();
    request.members.back().member_id = text(member_id);
    auto outcome = leave_classic(group, request, 5, now);
    take(outcome);
    copies += outcome.soft.classic ? 1 : 0;
    return outcome.answer.members.front().error_code;
  }
  void pass(std::int64_t ms) {
    now += ms;
    take(expire_classic(group, now));
  }
  void beat_for(std::int64_t ms, const std::vector<std::string>& members, std::int32_t generation) {
    for (std::int64_t passed = 0; passed < ms; passed += 1'000) {
      pass(1'000);
      for (const auto& member : members) beat(member, generation);
    }
  }
  void take(const classic_outcome& outcome) {
    for (const auto& r : outcome.records) apply(group, r);
    apply(group, outcome.soft);
    for (const auto& [id, answer] : outcome.joined) joined[id] = answer;
    for (const auto& [id, answer] : outcome.synced) synced[id] = answer;
  }
  [[nodiscard]] std::string state() const { return describe_classic(group).group_state.str(); }

  streams_group group;
  std::int64_t now = 1'000;
  std::size_t members_max = 3;
  bool strict_kafka = false;
  int copies = 0;  ///< of the whole group
  records last_written;
  protocol::join_group_response answered;  ///< the last JoinGroup that did not wait
  std::map<std::string, protocol::join_group_response> joined;
  std::map<std::string, protocol::sync_group_response> synced;
};

}  // namespace weir::group
