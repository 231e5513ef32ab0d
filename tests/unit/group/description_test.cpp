// Topology descriptions: spec 05, 4.10; spec 04, 14; spec 01, 5.7.
#include "group/description.hpp"

#include <gtest/gtest.h>

#include "group/offsets/delete.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using protocol::code_of;
using request_type = protocol::streams_group_topology_description_update_request;

request_type pushed(std::int32_t epoch = 0) {
  request_type request;
  request.group_id = "g";
  request.member_id = "A";
  request.topology_epoch = epoch;
  auto& part = request.topology_description.subtopologies.emplace_back();
  part.subtopology_id = "0";
  auto& node = part.nodes.emplace_back();
  node.name = "source";
  node.node_type = 1;
  node.source_topics.emplace_back("foo");
  return request;
}

class description_test : public ::testing::Test {
 protected:
  description_test() {
    s.join("A");
    group = s.state();
  }
  /// The error code.
  int push(const request_type& request) {
    auto outcome = store_description(group, request);
    for (const auto& r : outcome.records) apply(group, r);
    return outcome.refused ? code_of(outcome.refused->code) : 0;
  }
  bool beat(std::int64_t now_ms, std::int16_t version = 1) {
    auto view = s.view();
    const world asking{.image = view.image,
                       .hashes = view.hashes,
                       .config = view.config,
                       .max_size = view.max_size,
                       .assignors = view.assignors,
                       .strict_kafka = false,
                       .now_ms = now_ms,
                       .keeps_descriptions = true};
    const auto outcome =
        heartbeat(group, s.request("A", 2, {}), {.version = version, .client_id = {}, .client_host = {}}, asking);
    EXPECT_EQ(outcome.answer.error_code, 0);
    apply(group, outcome.soft);
    return outcome.answer.topology_description_required;
  }

  scenario s{false};
  streams_group group;
};

TEST_F(description_test, s4_10_a_description_is_stored_and_told_back) {
  EXPECT_FALSE(stored_description(group));
  EXPECT_EQ(push(pushed()), 0);
  EXPECT_EQ(group.metadata.stored_description_epoch, 0);
  const auto described = describe(group, s.view()).topology_description;
  ASSERT_TRUE(described);
  ASSERT_EQ(described->subtopologies.size(), 1U);
  EXPECT_EQ(described->subtopologies[0].nodes[0].name, "source");
  EXPECT_EQ(described->subtopologies[0].nodes[0].source_topics[0], "foo");
}

TEST_F(description_test, s4_10_checks_come_in_kafkas_order) {
  auto request = pushed(7);
  request.member_id = " ";
  EXPECT_EQ(push(request), 42);
  request = pushed(7);
  request.member_id = "B";
  EXPECT_EQ(push(request), 25) << "the member comes before the epoch";
  EXPECT_EQ(push(pushed(7)), 42);
  request = pushed();
  request.topology_description.subtopologies[0].nodes[0].node_type = 4;
  EXPECT_EQ(push(request), 42);
  request = pushed();
  auto& store = request.topology_description.global_stores.emplace_back();
  store.source.node_type = 2;
  store.processor.node_type = 2;
  EXPECT_EQ(push(request), 42);
  store.source.node_type = 1;
  EXPECT_EQ(push(request), 0);
  streams_group nobody;
  EXPECT_EQ(code_of(store_description(nobody, pushed()).refused->code), 69);
}

TEST_F(description_test, s14_one_that_is_too_long_is_refused_for_good) {
  auto request = pushed();
  const std::string name(30'000, 'x');
  auto& nodes = request.topology_description.subtopologies[0].nodes;
  while (nodes.size() * name.size() < description_bytes_max + name.size()) {
    nodes.push_back(nodes[0]);
    nodes.back().name = text(name);
  }
  EXPECT_EQ(push(request), 135);
  EXPECT_EQ(group.metadata.failed_description_epoch, 0);
  EXPECT_EQ(group.metadata.stored_description_epoch, -1);
  EXPECT_FALSE(beat(1)) << "and not asked for again";
}

TEST_F(description_test, s5_7_members_are_asked_until_it_is_stored_with_a_growing_back_off) {
  EXPECT_FALSE(beat(0, 0)) << "version 0 has no field for it";
  EXPECT_TRUE(beat(1'000));
  EXPECT_FALSE(beat(30'999));
  EXPECT_TRUE(beat(31'000));
  EXPECT_FALSE(beat(90'999));
  EXPECT_TRUE(beat(91'000));
  EXPECT_EQ(push(pushed()), 0);
  EXPECT_FALSE(beat(10'000'000));
}

TEST_F(description_test, s5_7_the_back_off_ends_at_an_hour) {
  std::int64_t now_ms = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(beat(now_ms));
    now_ms = group.soft.description.next_ms;
  }
  beat(now_ms);
  EXPECT_EQ(group.soft.description.next_ms - now_ms, 3'600'000);
}

TEST_F(description_test, without_a_store_nobody_is_asked) {
  EXPECT_FALSE(heartbeat(group, s.request("A", 2, {}), {}, s.view()).answer.topology_description_required);
}

TEST_F(description_test, it_goes_with_the_group) {
  push(pushed());
  s.leave("A");
  auto empty = s.state();
  empty.description = group.description;
  const auto records = deletion_records(empty);
  EXPECT_EQ(records.back(), record(topology_description_record{}));
  for (const auto& r : records) apply(empty, r);
  EXPECT_FALSE(empty.description);
  EXPECT_EQ(empty.kind, group_kind::none);
}

}  // namespace
}  // namespace weir::group
