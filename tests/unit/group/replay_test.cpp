// Spec 04, sections 4, 7 and 8: what records do, in whatever order they come, and what is repaired after a load.
#include <gtest/gtest.h>

#include <algorithm>

#include "group/invariants.hpp"
#include "group/offsets/delete.hpp"
#include "tests/support/hard_differences.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

std::string key_of(const record& r) {
  struct {
    std::string operator()(const group_metadata_record&) const { return ""; }
    std::string operator()(const member_metadata_record& m) const { return m.member_id; }
    std::string operator()(const target_metadata_record&) const { return ""; }
    std::string operator()(const target_member_record& m) const { return m.member_id; }
    std::string operator()(const current_assignment_record& m) const { return m.member_id; }
    std::string operator()(const topology_record&) const { return ""; }
    std::string operator()(const offset_record& o) const { return o.topic + "-" + std::to_string(o.partition); }
    std::string operator()(const classic_group_record&) const { return ""; }
    std::string operator()(const topology_description_record&) const { return ""; }
    std::string operator()(const consumer_group_record&) const { return ""; }
  } key;
  return (type_of(r) < 10 ? "0" : "") + std::to_string(type_of(r)) + " " + std::visit(key, r);
}

/// What a store keyed by record keeps, in key order.
std::vector<record> materialised(const std::vector<record>& log) {
  std::map<std::string, record> live;
  for (const auto& r : log) live.insert_or_assign(key_of(r), r);
  std::vector<record> values;
  for (auto& [key, r] : live) {
    if (!is_tombstone(r)) values.push_back(std::move(r));
  }
  return values;
}

/// A life with static members, a leave, a return, topics that come and go.
scenario eventful_life() {
  scenario s(false);
  s.join("A", {.instance = "i1", .process = "p1"});
  s.join("B");
  s.hb("A", 2, {.instance = "i1"});
  s.hb("A", 2, {.instance = "i1", .own = ""});
  s.hb("B", 3);
  s.hb("A", -2, {.instance = "i1"});
  s.join("A2", {.instance = "i1", .process = "p1"});
  s.join("C");
  s.leave("B");
  s.topic("foo", 6);
  s.hb("C", 4);
  s.hb("A2", 3);
  return s;
}

streams_group replay(const std::vector<record>& log) {
  streams_group group;
  group.id = "g";
  for (const auto& r : log) apply(group, r);
  return group;
}

TEST(replay, in_key_order_gives_the_live_group) {
  const auto s = eventful_life();
  auto loaded = replay(materialised(s.log()));
  EXPECT_TRUE(finish_load(loaded, *std::make_unique<group_config>(), 0).empty());
  EXPECT_EQ(hard_differences(loaded, s.state()), std::vector<std::string>());
  EXPECT_EQ(check_invariants(loaded), std::vector<std::string>());
}

TEST(replay, backwards_over_the_last_values_gives_the_live_group) {
  const auto s = eventful_life();
  auto values = materialised(s.log());
  std::ranges::reverse(values);
  EXPECT_EQ(hard_differences(replay(values), s.state()), std::vector<std::string>());
}

TEST(replay, with_any_record_missing_never_fails_and_repairs_to_a_consistent_group) {
  const auto s = eventful_life();
  for (std::size_t missing = 0; missing < s.log().size(); ++missing) {
    auto log = s.log();
    log.erase(log.begin() + static_cast<std::ptrdiff_t>(missing));
    auto loaded = replay(log);
    finish_load(loaded, {}, 0);
    for (const auto& [id, member] : loaded.members) {
      EXPECT_TRUE(member.metadata_seen && member.current_seen) << id;
    }
    for (const auto& [id, target] : loaded.targets) EXPECT_TRUE(loaded.members.contains(id)) << id;
    EXPECT_LE(loaded.target_info.assignment_epoch, loaded.metadata.epoch);
  }
}

TEST(replay, defaults_of_section_4) {
  streams_group group;
  apply(group, member_metadata_record{.member_id = "A", .value = member_metadata()});
  EXPECT_EQ(group.kind, group_kind::streams);
  EXPECT_EQ(group.metadata.epoch, 1);
  EXPECT_EQ(group.metadata.validated_topology_epoch, -1);
  EXPECT_EQ(group.target_info.assignment_epoch, 1);
  apply(group, target_metadata_record{});
  EXPECT_EQ(group.target_info.assignment_epoch, -1);
}

TEST(replay, tombstones_of_unknown_things_are_ignored) {
  streams_group group;
  for (const record& r : std::vector<record>{
           current_assignment_record{.member_id = "A", .value = {}},
           target_member_record{.member_id = "A", .value = {}}, member_metadata_record{.member_id = "A", .value = {}},
           group_metadata_record{}, topology_record{}, offset_record{.topic = "foo", .partition = 0, .value = {}}}) {
    apply(group, r);
  }
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST(replay, group_tombstone_keeps_the_offsets) {
  auto s = eventful_life();
  auto& group = s.mutable_state();
  apply(group, offset_record{.topic = "foo", .partition = 1, .value = committed_offset()});
  apply(group, group_metadata_record{});
  EXPECT_EQ(group.kind, group_kind::simple);
  EXPECT_TRUE(group.members.empty());
  EXPECT_FALSE(group.topology);
  EXPECT_EQ(check_invariants(group), std::vector<std::string>());
  apply(group, offset_record{.topic = "foo", .partition = 1, .value = {}});
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST(replay, a_topology_whose_tombstone_is_all_that_is_left_of_a_deletion_leaves_nothing) {
  streams_group group;
  group.id = "g";
  apply(group, topology_record{.value = reading({"foo"})});
  EXPECT_EQ(group.kind, group_kind::streams);
  apply(group, topology_record{.value = {}});
  EXPECT_EQ(group.kind, group_kind::none);
  auto s = eventful_life();
  auto& living = s.mutable_state();
  apply(living, topology_record{.value = {}});
  EXPECT_EQ(living.kind, group_kind::streams);
}

TEST(replay, a_simple_group_becomes_a_streams_group_and_keeps_its_offsets) {
  scenario s;
  apply(s.mutable_state(), offset_record{.topic = "foo", .partition = 1, .value = committed_offset()});
  EXPECT_EQ(s.state().kind, group_kind::simple);
  const auto outcome = heartbeat(s.state(), s.request("A", 0, {}), {}, s.view());
  for (const auto& r : outcome.records) apply(s.mutable_state(), r);
  EXPECT_EQ(s.state().kind, group_kind::streams);
  EXPECT_EQ(s.state().offsets.size(), 1U);
}

TEST(replay, a_task_claimed_twice_by_a_foreign_log_keeps_the_maps_exact) {
  streams_group group;
  current_assignment holds;
  holds.assigned = {.active = tasks_at("0:0,1", 1), .standby = tasks("0:2"), .warmup = {}};
  for (const auto* id : {"A", "B"}) {
    apply(group, member_metadata_record{.member_id = id, .value = member_metadata()});
    apply(group, current_assignment_record{.member_id = id, .value = holds});
  }
  const auto only_exclusive_is_violated = [&] {
    const auto problems = check_invariants(group);
    return std::ranges::all_of(problems, [](const std::string& p) { return p.starts_with("active task"); });
  };
  EXPECT_TRUE(only_exclusive_is_violated());
  apply(group, current_assignment_record{.member_id = "A", .value = {}});
  EXPECT_EQ(group.held.active.at("0").size(), 2U) << "B still holds them";
  EXPECT_EQ(check_invariants(group), std::vector<std::string>());
}

TEST(finish_load, drops_half_members_and_stray_targets) {
  streams_group group;
  apply(group, group_metadata_record{.value = group_metadata()});
  apply(group, member_metadata_record{.member_id = "no 22", .value = member_metadata()});
  apply(group, current_assignment_record{.member_id = "no 19", .value = current_assignment()});
  apply(group, target_member_record{.member_id = "stranger", .value = role_tasks()});
  apply(group, target_metadata_record{.value = target_metadata{.assignment_epoch = 7, .assignment_timestamp_ms = 5}});
  const auto repairs = finish_load(group, {}, 0);
  EXPECT_EQ(repairs.size(), 4U);
  EXPECT_TRUE(group.members.empty());
  EXPECT_TRUE(group.targets.empty());
  EXPECT_EQ(group.metadata.epoch, 7);
}

TEST(finish_load, a_task_claimed_twice_stays_with_the_member_it_was_given_to_last) {
  streams_group group;
  apply(group, group_metadata_record{.value = group_metadata{.epoch = 9, .assignment_configs = {}}});
  const auto add = [&](const char* id, assigned_tasks assigned, assigned_tasks pending) {
    current_assignment current;
    current.member_epoch = 8;
    current.assigned = std::move(assigned);
    current.pending_revocation = std::move(pending);
    apply(group, member_metadata_record{.member_id = id, .value = member_metadata()});
    apply(group, current_assignment_record{.member_id = id, .value = std::move(current)});
    apply(group, target_member_record{.member_id = id, .value = role_tasks()});
  };
  add("A", {.active = tasks_at("0:0,1", 3), .standby = tasks("0:2"), .warmup = {}}, {});
  add("B", {.active = tasks_at("0:0", 5), .standby = {}, .warmup = {}},
      {.active = tasks_at("0:3", 2), .standby = {}, .warmup = {}});
  add("C", {.active = tasks_at("0:3", 4), .standby = {}, .warmup = {}}, {});
  EXPECT_EQ(finish_load(group, {}, 0),
            (std::vector<std::string>{"active task 0_0 of member A was given to B later: the former is dropped",
                                      "active task 0_3 of member B was given to C later: the former is dropped"}));
  EXPECT_EQ(group.members.size(), 1U);
  EXPECT_EQ(group.members.at("C").current.assigned.active, tasks_at("0:3", 4));
  EXPECT_EQ(group.targets.size(), 1U) << "those of the dropped go with them";
  EXPECT_EQ(check_invariants(group), std::vector<std::string>());
  EXPECT_TRUE(finish_load(group, {}, 0).empty());
}

TEST(finish_load, a_lone_target_record_is_no_group) {
  streams_group group;
  apply(group, target_metadata_record{.value = target_metadata()});
  EXPECT_EQ(finish_load(group, {}, 0).size(), 1U);
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST(replay, s10_a_tombstone_of_the_target_of_a_group_that_is_not_there_changes_nothing) {
  streams_group gone;
  apply(gone, target_metadata_record{});
  EXPECT_TRUE(hard_differences(gone, streams_group()).empty()) << "its tombstones may come in any order";
}

TEST(deletion, order_of_section_7_leaves_nothing) {
  scenario s;
  s.join("A");
  EXPECT_EQ(check_deletion(s.state())->code, protocol::error_code::non_empty_group);
  s.leave("A");
  EXPECT_FALSE(check_deletion(s.state()));
  auto& group = s.mutable_state();
  apply(group, offset_record{.topic = "foo", .partition = 1, .value = committed_offset()});
  std::string types;
  for (const auto& r : deletion_records(group)) types += std::to_string(type_of(r)) + (is_tombstone(r) ? "t " : " ");
  EXPECT_EQ(types, "1t 20t 17t 23t ");
  for (const auto& r : deletion_records(group)) apply(group, r);
  EXPECT_EQ(group.kind, group_kind::none);
  EXPECT_EQ(check_deletion(group)->code, protocol::error_code::group_id_not_found);
}

TEST(deletion, of_a_group_with_members_goes_member_by_member_in_order) {
  scenario s;
  s.join("A");
  std::string types;
  for (const auto& r : deletion_records(s.state())) types += std::to_string(type_of(r)) + " ";
  EXPECT_EQ(types, "22 21 20 19 17 23 ");
}

TEST(deletion, of_a_topic_takes_the_offsets_of_that_topic_id_and_those_without) {
  streams_group group;
  committed_offset with_id;
  with_id.topic_id = uuid{1, 2};
  committed_offset other_id;
  other_id.topic_id = uuid{3, 4};
  apply(group, offset_record{.topic = "foo", .partition = 0, .value = with_id});
  apply(group, offset_record{.topic = "foo", .partition = 1, .value = other_id});
  apply(group, offset_record{.topic = "foo", .partition = 2, .value = committed_offset()});
  EXPECT_EQ(topic_deletion(group, {{"foo", uuid{1, 2}}}).records.size(), 2U);
  EXPECT_TRUE(topic_deletion(group, {{"bar", uuid{1, 2}}}).records.empty());
}

}  // namespace
}  // namespace weir::group
