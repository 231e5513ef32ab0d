// What an import refuses: each rule broken once, and the middle of a rebalance, which breaks none.
#include "cli/import_rules.hpp"

#include <gmock/gmock.h>

#include "assignor/dense_group.hpp"
#include "base/limits.hpp"
#include "tests/unit/storage/record_samples.hpp"

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Group epoch 7, assignment epoch 6, subtopologies 0 and 1, members a and b; b waits for a task that a is to give up.
struct sample {
  group::group_metadata metadata{.epoch = 7, .assignment_configs = {}};
  group::target_metadata target_info{.assignment_epoch = 6, .assignment_timestamp_ms = 1};
  group::topology topology;
  group::role_tasks target_of_b{.active = {{"0", {0, 1}}}, .standby = {{"1", {0}}}, .warmup = {}};
  group::current_assignment a;
  group::current_assignment b;
  bool has_topology = true;

  sample() {
    topology.subtopologies.resize(2);
    topology.subtopologies[0].id = "0";
    topology.subtopologies[1].id = "1";
    a.member_epoch = 5;
    a.previous_member_epoch = 4;
    a.state = group::member_state::unrevoked_tasks;
    a.assigned.active = {{"1", {{0, 5}}}};
    a.pending_revocation.active = {{"0", {{1, 3}}}};
    b.member_epoch = 6;
    b.state = group::member_state::unreleased_tasks;
    b.assigned.active = {{"0", {{0, 6}}}};
  }
  [[nodiscard]] result<std::vector<std::string>> checked() const {
    storage::folded_group group{.id = "g", .kind = "streams group", .records = {}};
    group.records = {storage::offset("t", 0, 5), group::group_metadata_record{metadata}, storage::member("a"),
                     storage::member("b"), group::target_metadata_record{target_info},
                     group::target_member_record{"b", target_of_b}, group::current_assignment_record{"a", a},
                     group::current_assignment_record{"b", b}};
    if (has_topology) group.records.emplace_back(group::topology_record{topology});
    return check_rules(group);
  }
  [[nodiscard]] std::string refusal() const {
    const auto done = checked();
    return done ? "none" : done.error().message;
  }
};

TEST(import_rules, the_middle_of_a_rebalance_breaks_none) {
  sample s;
  auto done = s.checked();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, IsEmpty());
  s.b.member_epoch = -2;  // a static member that is away; Kafka 4.1 wrote no epochs of tasks
  s.b.assigned.active = {{"0", {{0, -2}}}};
  EXPECT_EQ(s.refusal(), "none");
  s.metadata.stored_description_epoch = -2;
  EXPECT_EQ(s.refusal(), "none");
}

TEST(import_rules, a_group_of_offsets_or_of_the_classic_protocol_has_no_rules) {
  group::classic_metadata classic;
  classic.generation = -1;
  EXPECT_TRUE(check_rules({.id = "g",
                           .kind = "classic group",
                           .records = {storage::offset("t", 0, 5), group::classic_group_record{classic}}}));
}

TEST(import_rules, epochs_of_the_group) {
  sample s;
  s.metadata.epoch = -1;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 17: group epoch -1 is negative");
  s = {};
  s.metadata.validated_topology_epoch = -2;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 17: validated topology epoch -2 is below -1");
  s = {};
  s.metadata.failed_description_epoch = -3;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 17: description epoch -3 is below -2");
  s = {};
  s.target_info.assignment_epoch = -1;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 20: assignment epoch -1 is negative");
}

TEST(import_rules, an_assignment_epoch_above_the_groups_is_repaired_and_told) {
  sample s;
  s.target_info.assignment_epoch = 8;
  const auto done = s.checked();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre("assignment epoch 8 is above group epoch 7: group epoch raised"));
}

TEST(import_rules, epochs_of_members) {
  sample s;
  for (const std::int32_t epoch : {-1, -3}) {
    s.a.member_epoch = epoch;
    EXPECT_EQ(s.refusal(), "group 'g', record of type 22, member 'a': member epoch " + std::to_string(epoch) +
                               " is negative");
  }
  s.a.member_epoch = 8;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 22, member 'a': member epoch 8 is above group epoch 7");
  s = {};
  s.b.previous_member_epoch = 8;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 22, member 'b': previous member epoch 8 is above group epoch 7");
  for (const std::int32_t epoch : {-1, 8}) {
    s = {};
    s.a.pending_revocation.active["0"][1] = epoch;
    EXPECT_EQ(s.refusal(), "group 'g', record of type 22, member 'a': assignment epoch " + std::to_string(epoch) +
                               " of task 0_1 is not between 0 and group epoch 7");
  }
}

TEST(import_rules, an_active_task_that_two_members_claim_is_repaired_and_told) {
  sample s;
  s.b.assigned.active["1"][0] = 6;
  auto done = s.checked();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre(HasSubstr("active task 1_0 of member ")));
  s = {};
  s.b.assigned.active["0"][1] = 6;
  done = s.checked();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre(HasSubstr("active task 0_1 of member "))) << "it has not been given up";
}

TEST(import_rules, tasks_are_those_of_the_topology) {
  sample s;
  s.a.assigned.standby = {{"2", {0}}};
  EXPECT_EQ(s.refusal(), "group 'g', record of type 22, member 'a': the topology has no subtopology '2'");
  s = {};
  s.target_of_b.warmup = {{"2", {0}}};
  EXPECT_EQ(s.refusal(), "group 'g', record of type 21, member 'b': the topology has no subtopology '2'");
  s = {};
  s.target_of_b.active["0"].insert(-1);
  EXPECT_EQ(s.refusal(), "group 'g', record of type 21, member 'b': task 0_-1 has a negative partition");
  s = {};
  s.has_topology = false;
  EXPECT_THAT(s.refusal(), HasSubstr("the topology has no subtopology '0'"));
}

TEST(import_rules, topologies_keep_the_limits) {
  sample s;
  s.topology.epoch = -1;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 23: topology epoch -1 is negative");
  s = {};
  s.topology.subtopologies[1].id = "0";
  EXPECT_EQ(s.refusal(), "group 'g', record of type 23: Subtopology 0 is there twice.");
  s = {};
  s.topology.subtopologies.resize(limits::subtopologies_max + 1);
  EXPECT_THAT(s.refusal(), HasSubstr("record of type 23: The topology has 1001 subtopologies; 1000 are allowed."));
  s = {};
  for (auto& part : s.topology.subtopologies) {
    part.repartition_source_topics = {{.name = "r", .partitions = assignor::task_copies_max / 2, .configs = {}}};
  }
  EXPECT_EQ(s.refusal(), "none");
  ++s.topology.subtopologies[0].repartition_source_topics[0].partitions;
  EXPECT_EQ(s.refusal(), "group 'g', record of type 23: 2000001 tasks or more; 2000000 are allowed");
}

TEST(import_rules, a_member_that_is_not_whole_is_dropped_at_the_start_and_breaks_no_rule) {
  storage::folded_group group{.id = "g", .kind = "streams group", .records = {storage::group_epoch(7)}};
  group::current_assignment current;
  current.member_epoch = 99;
  group.records.emplace_back(group::current_assignment_record{"m", current});
  const auto done = check_rules(group);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre("member m has no metadata: dropped"));
}

}  // namespace
}  // namespace weir::cli
