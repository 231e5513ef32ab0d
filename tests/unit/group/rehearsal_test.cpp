// Rehearsal of a migration from the classic protocol: each check says what is there, what is missing and what differs.
#include "group/rehearsal/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::group {
namespace {

using protocol::error_code;

/// An application `app`: reads `in` (4 partitions) and, joined with it, `other`; keeps a store.
struct migration {
  former_group before;
  rehearsal_question asked;
  overrides own;
  broker_config broker;
  bool is_gateway = false;
  bool strict_kafka = false;
  metadata::image_builder topics{nullptr};

  migration() {
    before.kind = group_kind::simple;
    before.state = "Empty";
    before.protocol_type = "consumer";
    asked.topology.subtopologies.push_back({.id = "0",
                                            .source_topics = {"in"},
                                            .source_topic_regex = {},
                                            .state_changelog_topics = {{"app-store-changelog", 0, 0, {}}},
                                            .repartition_sink_topics = {},
                                            .repartition_source_topics = {},
                                            .copartition_groups = {}});
    put("in", 4);
  }
  void put(const std::string& name, std::size_t partitions) {
    metadata::topic made;
    made.name = name;
    made.partition_racks.resize(partitions);
    topics.put_topic(std::move(made));
  }
  [[nodiscard]] rehearsal play() const {
    auto made = rehearse(asked, {.group_id = "app",
                                 .group = before,
                                 .own_config = own,
                                 .broker = broker,
                                 .image = topics.build(1),
                                 .strict_kafka = strict_kafka,
                                 .is_gateway = is_gateway});
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : rehearsal();
  }
};

rehearsal_check check_of(const rehearsal& all, std::string_view wanted) {
  for (const auto& check : all.checks) {
    if (check.name == wanted) return check;
  }
  ADD_FAILURE() << "no check " << wanted;
  return {};
}

bool says(const rehearsal_check& check, std::string_view words) { return check.text.find(words) != std::string::npos; }

TEST(rehearsal, of_an_empty_group_with_everything_in_place_is_fine) {
  migration m;
  m.put("app-store-changelog", 4);
  m.before.offsets["in"] = {{0, 10}, {3, 7}};
  m.asked.processes = 2;
  m.asked.threads = 2;
  const auto all = m.play();
  EXPECT_EQ(all.outcome(), verdict::ok);
  EXPECT_TRUE(says(check_of(all, "group"), "is empty, go"));
  EXPECT_TRUE(says(check_of(all, "offsets"), "2 partitions carry over"));
  EXPECT_TRUE(says(check_of(all, "internal-topics"), "1 are there and fit"));
  ASSERT_TRUE(all.plan);
  EXPECT_EQ(all.plan->target.size(), 4U);
  EXPECT_EQ(all.plan->after->active_per_member, (assignor::spread{1, 1}));
  ASSERT_EQ(all.way_back.size(), 3U);
  EXPECT_TRUE(all.rights.empty());
}

TEST(rehearsal, members_of_the_classic_protocol_have_to_be_stopped_first) {
  migration m;
  m.before.members = {"a at /1", "b at /2"};
  const auto check = check_of(m.play(), "group");
  EXPECT_EQ(check.outcome, verdict::error);
  EXPECT_TRUE(says(check, "2 members")) << check.text;
  EXPECT_TRUE(says(check, "a at /1, b at /2")) << check.text;
  m.before = {};
  EXPECT_TRUE(says(check_of(m.play(), "group"), "no group app yet"));
  m.before.kind = group_kind::streams;
  EXPECT_EQ(check_of(m.play(), "group").outcome, verdict::ok);
  m.before.members = {"a at /1"};
  EXPECT_TRUE(says(check_of(m.play(), "group"), "nothing to migrate"));
  m.before.unknown = "the upstream is not reachable";
  EXPECT_EQ(check_of(m.play(), "group").outcome, verdict::warning);
}

TEST(rehearsal, offsets_of_topics_that_are_not_read_stay_behind) {
  migration m;
  EXPECT_TRUE(says(check_of(m.play(), "offsets"), "auto.offset.reset"));
  m.before.offsets["in"] = {{0, 10}};
  m.before.offsets["former"] = {{0, 10}, {1, 10}};
  const auto all = m.play();
  EXPECT_EQ(check_of(all, "offsets").outcome, verdict::warning);
  EXPECT_TRUE(says(check_of(all, "offsets"), "former"));
  ASSERT_EQ(all.offsets.size(), 2U);
  EXPECT_FALSE(all.offsets[0].is_read);
  EXPECT_TRUE(all.offsets[1].is_read);
  m.before.has_open_transactions = true;
  EXPECT_EQ(check_of(m.play(), "offsets").outcome, verdict::error);
}

TEST(rehearsal, missing_and_unequal_topics_are_named_and_nothing_is_planned) {
  migration m;
  auto& part = m.asked.topology.subtopologies.front();
  part.source_topics = {"in", "other"};
  part.copartition_groups.push_back({{0, 1}, {}, {}});
  auto all = m.play();
  EXPECT_TRUE(says(check_of(all, "source-topics"), "other"));
  EXPECT_FALSE(all.plan);
  EXPECT_EQ(check_of(all, "assignment").outcome, verdict::error);
  m.put("other", 3);
  all = m.play();
  EXPECT_EQ(check_of(all, "source-topics").outcome, verdict::error) << "copartitioned, 4 and 3 partitions";
  m.put("other", 4);
  EXPECT_TRUE(m.play().plan);
}

TEST(rehearsal, internal_topics_are_created_or_have_the_wrong_count) {
  migration m;
  auto all = m.play();
  EXPECT_TRUE(says(check_of(all, "internal-topics"), "1 will be created: app-store-changelog"));
  EXPECT_TRUE(all.plan) << "the plan is that of afterwards";
  m.put("app-store-changelog", 3);
  all = m.play();
  EXPECT_EQ(all.outcome(), verdict::error);
  const auto row = std::ranges::find(all.topics, "app-store-changelog", &rehearsed_topic::name);
  ASSERT_NE(row, all.topics.end());
  EXPECT_EQ(row->expected, 4);
  EXPECT_EQ(row->found, 3);
  EXPECT_EQ(row->outcome, verdict::error);
}

TEST(rehearsal, patterns_are_resolved_and_refused_by_strict_kafka) {
  migration m;
  m.asked.topology.subtopologies.front().source_topics.clear();
  m.asked.topology.subtopologies.front().source_topic_regex = {"i."};
  const auto all = m.play();
  EXPECT_TRUE(says(check_of(all, "topology"), "patterns"));
  EXPECT_EQ(all.topics.front().name, "in");
  ASSERT_TRUE(all.plan);
  m.strict_kafka = true;
  EXPECT_EQ(check_of(m.play(), "topology").outcome, verdict::error);
}

TEST(rehearsal, a_topology_that_can_never_run_is_told) {
  migration m;
  m.asked.topology.subtopologies.front().source_topics = {"no name"};
  EXPECT_EQ(check_of(m.play(), "topology").outcome, verdict::error);
  m.asked.topology.subtopologies.clear();
  EXPECT_EQ(check_of(m.play(), "topology").outcome, verdict::error);
}

TEST(rehearsal, settings_of_the_client_are_held_against_those_in_force) {
  migration m;
  m.asked.client = {{"num.standby.replicas", "2"},
                    {"main.consumer.session.timeout.ms", "45000"},
                    {"heartbeat.interval.ms", "3000"},
                    {"task.assignor.class", "org.apache.kafka.streams...assignors.StickyTaskAssignor"},
                    {"probing.rebalance.interval.ms", "1000"},
                    {"state.dir", "/tmp"}};
  auto all = m.play();
  const auto row = [&](std::string_view name) {
    const auto found = std::ranges::find(all.settings, name, &rehearsed_setting::name);
    return found == all.settings.end() ? rehearsed_setting() : *found;
  };
  EXPECT_EQ(all.settings.size(), 5U) << "state.dir counts as ever";
  EXPECT_EQ(row("num.standby.replicas").text,
            "2 standbys were set on the client, 0 are in force: weir groups set app streams.num.standby.replicas=2");
  EXPECT_EQ(row("main.consumer.session.timeout.ms").outcome, verdict::ok);
  EXPECT_NE(row("heartbeat.interval.ms").text.find("cannot be set here"), std::string::npos) << "below Kafka's bound";
  EXPECT_EQ(row("task.assignor.class").outcome, verdict::ok);
  EXPECT_NE(row("probing.rebalance.interval.ms").text.find("caught up"), std::string::npos);
  EXPECT_EQ(check_of(all, "client-settings").outcome, verdict::warning);
  m.asked.client = {{"num.standby.replicas", "2"}};
  m.asked.config.values["streams.num.standby.replicas"] = "2";
  EXPECT_EQ(check_of(m.play(), "client-settings").outcome, verdict::ok);
  m.asked.client = {{"default.client.supplier", "mine"}};
  EXPECT_EQ(check_of(m.play(), "client-settings").outcome, verdict::error);
}

TEST(rehearsal, behind_a_gateway_rights_are_listed_and_the_way_back_has_one_more_step) {
  migration m;
  m.is_gateway = true;
  const auto all = m.play();
  EXPECT_EQ(check_of(all, "rights").outcome, verdict::warning);
  const std::vector<std::string> wanted{"READ on group app", "DESCRIBE on topic app-store-changelog",
                                        "DESCRIBE on topic in"};
  EXPECT_EQ(all.rights, wanted);
  EXPECT_EQ(all.way_back.size(), 4U);
}

TEST(rehearsal, settings_that_cannot_be_are_refused) {
  migration m;
  m.asked.config.values["streams.num.standby.replicas"] = "9";
  const auto made = rehearse(m.asked, {.group_id = "app",
                                       .group = m.before,
                                       .own_config = m.own,
                                       .broker = m.broker,
                                       .image = m.topics.build(1),
                                       .strict_kafka = false,
                                       .is_gateway = false});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, error_code::invalid_config);
}

}  // namespace
}  // namespace weir::group
