// Worked examples EX-13 to EX-23 of spec 01, section 12: bad requests, topologies, topics that come and go.
#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class topologies : public ::testing::TestWithParam<bool> {
 protected:
  scenario s{GetParam()};
  [[nodiscard]] int malformed(int ours) const { return GetParam() ? -1 : ours; }
  [[nodiscard]] static std::string error(int code) { return "error " + std::to_string(code); }
};
INSTANTIATE_TEST_SUITE_P(strict, topologies, ::testing::Bool());

topic_info info(const std::string& name, std::int32_t partitions = 0) {
  return {.name = name, .partitions = partitions, .replication_factor = 1, .configs = {}};
}

/// Subtopology 0 sinks `rp` from foo; subtopology 1 reads rp and has changelog `cl`.
topology word_count() {
  auto app = reading({"foo"});
  app.subtopologies[0].repartition_sink_topics = {"rp"};
  auto second = reading({}, "cl").subtopologies[0];
  second.id = "1";
  second.repartition_source_topics = {info("rp")};
  app.subtopologies.push_back(second);
  return app;
}

TEST_P(topologies, ex_14_broken_topologies) {
  auto no_source = reading({});
  EXPECT_EQ(s.join("A", {.app = no_source}), "error 130");

  auto unwritten = reading({"foo"});
  unwritten.subtopologies[0].repartition_source_topics = {info("rp")};
  EXPECT_EQ(s.join("A", {.app = unwritten}), "error 130");

  auto cycle = reading({});
  cycle.subtopologies[0].repartition_source_topics = {info("rp")};
  cycle.subtopologies[0].repartition_sink_topics = {"rp"};
  EXPECT_EQ(s.join("A", {.app = cycle}), "error 130");

  auto negative = reading({"foo"});
  negative.epoch = -1;
  EXPECT_EQ(s.join("A", {.app = negative}), error(malformed(130)));

  auto repeated = reading({"foo"});
  repeated.subtopologies.push_back(repeated.subtopologies[0]);
  EXPECT_EQ(s.join("A", {.app = repeated}), error(malformed(130)));

  auto bad_index = reading({"foo"});
  bad_index.subtopologies[0].copartition_groups = {
      {.source_topics = {7}, .source_topic_regex = {}, .repartition_source_topics = {}}};
  EXPECT_EQ(s.join("A", {.app = bad_index}), error(malformed(130)));

  auto twice = s.request("A", 0, {.tags = std::map<std::string, std::string>{{"zone", "z1"}}});
  twice.client_tags->push_back(twice.client_tags->front());
  EXPECT_EQ(s.send(twice), error(malformed(42)));

  EXPECT_EQ(s.join("A", {.app = reading({"bad topic!"})}), "error 130");
  EXPECT_EQ(s.join("A", {.app = reading({"__consumer_offsets"})}), "error 130");
  EXPECT_EQ(s.state().kind, group_kind::none);
}

TEST_P(topologies, ex_15_missing_source_topic) {
  s.app(reading({"none"}));
  EXPECT_EQ(s.join("A"), "ep 2, {}, [1]");
  EXPECT_EQ(s.group(), "g2/a2 NOT_READY");
  EXPECT_EQ(s.last().missing_internal_topics, nullptr);
  EXPECT_EQ(s.endpoints(), "0, []");
}

TEST_P(topologies, ex_15_no_map_for_a_client_that_knows_the_epoch) {
  s.app(reading({"none"})).join("A", {.endpoint_epoch = 0});
  EXPECT_EQ(s.endpoints(), "0, null");
}

TEST(topologies_strict, ex_16_missing_source_topic_and_an_endpoint) {
  scenario s(true);
  s.app(reading({"none"}));
  EXPECT_EQ(s.join("A", {.endpoint = "ha:1"}), "error -1");
  EXPECT_EQ(s.state().kind, group_kind::none);
  EXPECT_EQ(s.join("A", {.endpoint = "ha:1", .endpoint_epoch = 1}), "ep 2, {}, [1]");
}

TEST(topologies_ours, ex_16_missing_source_topic_and_an_endpoint_x1) {
  scenario s(false);
  s.app(reading({"none"}));
  EXPECT_EQ(s.join("A", {.endpoint = "ha:1"}), "ep 2, {}, [1]");
  EXPECT_EQ(s.endpoints(), "0, [ha: nothing]");
}

TEST_P(topologies, ex_17_copartition_mismatch) {
  s.topic("a", 3).topic("b", 2);
  auto app = reading({"a", "b"});
  app.subtopologies[0].copartition_groups = {
      {.source_topics = {0, 1}, .source_topic_regex = {}, .repartition_source_topics = {}}};
  s.app(app);
  EXPECT_EQ(s.join("A"), "ep 2, {}, [2]");
  EXPECT_EQ(s.group(), "g2/a2 NOT_READY");
}

TEST_P(topologies, ex_18_internal_topics) {
  s.app(word_count());
  EXPECT_EQ(s.join("A"), "ep 2, {}, [3]");
  EXPECT_EQ(s.group(), "g2/a2 NOT_READY");
  ASSERT_NE(s.last().missing_internal_topics, nullptr);
  const auto& wanted = s.last().missing_internal_topics->topics_to_create;
  ASSERT_EQ(wanted.size(), 2U);
  EXPECT_EQ(wanted.at("rp").partitions, 4);
  EXPECT_EQ(wanted.at("cl").partitions, 4);
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, [3]");
  EXPECT_NE(s.last().missing_internal_topics, nullptr);
  s.topic("rp", 4).topic("cl", 4);
  EXPECT_EQ(s.hb("A", 2), "ep 3, A{0:0-3;1:0-3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.last().missing_internal_topics, nullptr);
}

TEST_P(topologies, ex_19_missing_internal_topics_are_named) {
  s.app(word_count()).join("A");
  EXPECT_NE(s.last().answer.status->front().status_detail.view().find("rp"), std::string_view::npos);
}

void lose_the_source(scenario& s) {
  s.topic("foo2", 2).app(reading({"foo2"}));
  s.join("A");
  s.no_topic("foo2");
}

TEST(topologies_strict, ex_20_source_topic_deleted_under_a_stable_group) {
  scenario s(true);
  lose_the_source(s);
  EXPECT_EQ(s.hb("A", 2), "ep 2, {}, [1]");
  EXPECT_EQ(s.group(), "g3/a3 NOT_READY");
  EXPECT_EQ(s.member("A"), "UNREVOKED 2/2 {} pending A{0:0,1}");
  EXPECT_EQ(s.hb("A", 2, {.own = "9:77"}), "ep 3, -, [1]");
  s.topic("foo2", 2);
  EXPECT_EQ(s.hb("A", 3), "ep 4, A{0:0,1}, []");
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
}

TEST(topologies_ours, ex_20_owning_what_is_not_assigned_repeats_the_lists_x2) {
  scenario s(false);
  lose_the_source(s);
  EXPECT_EQ(s.hb("A", 2), "ep 2, {}, [1]");
  EXPECT_EQ(s.hb("A", 2, {.own = "9:77"}), "ep 3, {}, [1]");
  s.topic("foo2", 2);
  EXPECT_EQ(s.hb("A", 3), "ep 4, A{0:0,1}, []");
}

TEST_P(topologies, ex_21_partition_added) {
  s.topic("foo2", 2).app(reading({"foo2"}));
  s.join("A", {.endpoint = "ha:1"});
  s.hb("A", 2);
  const auto before = s.last().answer.endpoint_information_epoch;
  s.topic("foo2", 3);
  EXPECT_EQ(s.hb("A", 2), "ep 3, A{0:0-2}, []");
  EXPECT_EQ(s.endpoints(), std::to_string(before + 1) + ", [ha: foo2 0-2]");
}

TEST(topologies_ours, rc10_a_member_with_an_older_topology_gets_tasks_only_once_nobody_runs_the_newer_one) {
  auto current = reading({"foo"});
  current.epoch = 5;
  auto older = current;
  older.epoch = 4;
  scenario s(false);
  s.app(current);
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.join("B", {.app = older}), "ep 3, {}, [0]");
  EXPECT_EQ(s.hb("A", 2), "ep 3, -, []");
  EXPECT_EQ(s.target("B"), "{}");
  s.leave("A");
  EXPECT_EQ(s.hb("B", 3), "ep 5, A{0:0-3}, []") << "the group is back at the older topology";
  s.join("C");
  EXPECT_EQ(s.target("B"), "A{0:0-3}") << "what it owns it keeps";
  EXPECT_EQ(s.target("C"), "A{0:0-3}");
  EXPECT_EQ(s.member("C"), "UNRELEASED 6/0 {}");
}

TEST(topologies_strict, ex_22_stale_topology) {
  scenario s(true);
  auto older = reading({"bar"});
  older.epoch = 1;
  auto newer = reading({"foo"});
  newer.epoch = 2;
  auto newest = newer;
  newest.epoch = 3;
  EXPECT_EQ(s.join("A", {.app = newer}), "ep 2, A{0:0-3}, []");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}});
  EXPECT_EQ(s.join("B", {.app = older}), "ep 3, {}, [0]");
  EXPECT_EQ(s.target("B"), "A{0:2,3}");
  EXPECT_EQ(s.hb("B", 3), "ep 3, -, [0]");
  s.leave("A");
  s.leave("B");
  s.split({{"C", "0:0-3"}});
  EXPECT_EQ(s.join("C", {.app = older}), "ep 6, A{0:0-3}, [0]");
  s.leave("C");
  EXPECT_EQ(s.join("D", {.app = newest}), "error 42");
  EXPECT_EQ(s.group(), "g7/a7 EMPTY");
}

TEST_P(topologies, ex_23_topology_comparison) {
  auto app = reading({"foo"});
  app.subtopologies.push_back(reading({"foo"}).subtopologies[0]);
  app.subtopologies[1].id = "1";
  s.app(app).join("A");
  auto missing = app;
  missing.subtopologies.pop_back();
  EXPECT_EQ(s.join("B", {.app = missing}), GetParam() ? "error 42" : "error 131");
  auto newer = app;
  newer.epoch = 1;
  if (GetParam()) {
    EXPECT_EQ(s.join("B", {.app = newer}), "error 42");
  }
  auto reversed = app;
  std::swap(reversed.subtopologies[0], reversed.subtopologies[1]);
  EXPECT_EQ(s.join("B", {.app = reversed}).substr(0, 4), "ep 3");
  if (!GetParam()) {
    EXPECT_EQ(s.join("C", {.app = newer}), "ep 4, {}, []");
  }
}

TEST_P(topologies, order_inside_a_subtopology_matters_to_kafka_alone) {  // spec 01, 4.2 and spec 02, 1
  s.topic("bar", 4);
  s.app(reading({"foo", "bar"})).join("A");
  EXPECT_EQ(s.join("B", {.app = reading({"bar", "foo"})}).substr(0, 4), GetParam() ? "erro" : "ep 3");
}

TEST_P(topologies, refresh_without_bump_is_not_repeated) {
  s.join("A");
  s.topic("unrelated", 3);
  s.hb("A", 2);
  s.mutable_state().soft.refresh_deadline_ms = 0;  // a delta that changes nothing relevant
  s.mutable_state().soft.refresh_epoch = 0;
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_GT(s.state().soft.refresh_deadline_ms, s.now());
}

}  // namespace
}  // namespace weir::group
