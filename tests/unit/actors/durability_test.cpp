// No answer before its records are durable, and nothing left of a write that failed.
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

TEST(durability, p1_an_answer_waits_until_its_records_are_durable) {
  world w;
  w.log.hold();
  const auto slot = w.send("A", 0);
  EXPECT_FALSE(w.answers->find(slot));
  EXPECT_EQ(w.coordinator->counters().held_now, 1U);
  w.log.resume();
  w.run();
  ASSERT_TRUE(w.answers->find(slot));
  EXPECT_EQ(w.answers->find(slot)->member_epoch, 2);
  EXPECT_EQ(active_tasks(*w.answers->find(slot)), 4U);
  EXPECT_EQ(w.coordinator->counters().held_now, 0U);
}

TEST(durability, spec04_9_1_an_answer_that_wrote_nothing_waits_for_the_groups_earlier_writes) {
  world w;
  w.log.hold();
  const auto join = w.send("A", 0);
  const auto steady = w.send("A", 2);
  EXPECT_FALSE(w.answers->find(steady));
  w.log.resume();
  w.run();
  EXPECT_EQ(w.answers->order(), (std::vector<std::uint64_t>{join, steady}));
  EXPECT_EQ(error_of(*w.answers->find(steady)), 0);
}

TEST(durability, other_groups_do_not_wait) {
  world w;
  w.beat("A", 0);
  w.log.hold();
  w.send(heartbeat_request("B", 0, "other"));
  EXPECT_EQ(error_of(w.beat("A", 2)), 0);
}

TEST(durability, p2_a_failed_append_is_refused_and_leaves_nothing) {
  world w;
  w.beat("A", 0);
  const auto before = w.view()->group;
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(error_of(w.beat("B", 0)), 15);
  const auto after = w.view()->group;
  EXPECT_EQ(after.metadata.epoch, before.metadata.epoch);
  EXPECT_EQ(after.members, before.members);
  EXPECT_EQ(after.targets, before.targets);
  EXPECT_EQ(w.coordinator->counters().rollbacks, 1U);
  EXPECT_EQ(error_of(w.beat("A", 2)), 0);
  EXPECT_EQ(error_of(w.beat("B", 0)), 0);
}

TEST(durability, everything_decided_on_a_failed_write_is_refused_too) {
  world w;
  w.beat("A", 0);
  w.log.hold();
  const auto b = w.send("B", 0);
  const auto c = w.send("C", 0);
  const auto steady = w.send("A", 2);
  w.log.fail_next(1, "disk full");
  w.log.resume();
  w.run();
  for (const auto slot : {b, c, steady}) EXPECT_EQ(error_of(w.answers->find(slot).value()), 15);
  EXPECT_EQ(w.view()->group.members.size(), 1U);
  EXPECT_EQ(w.beat("B", 0).member_epoch, 3);
}

TEST(durability, an_append_made_before_the_failure_is_known_fails_as_well) {
  world w;
  w.beat("A", 0);
  w.log.hold();
  const auto b = w.send("B", 0);
  w.log.fail_next(1, "disk full");
  w.coordinator->heartbeat(call_of(heartbeat_request("C", 0), w.answers, 99));  // in the mailbox before the news
  w.log.release(1);
  w.run();
  w.log.resume();
  w.run();
  EXPECT_EQ(error_of(w.answers->find(b).value()), 15);
  EXPECT_EQ(error_of(w.answers->find(99).value()), 15);
  EXPECT_EQ(w.view()->group.members.size(), 1U);
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->group.members.size(), 1U);
}

TEST(durability, spec04_9_2_an_answer_that_waits_too_long_is_refused_and_the_write_still_counts) {
  world w;
  w.log.hold();
  const auto slot = w.send("A", 0);
  w.pass(4'990);
  EXPECT_FALSE(w.answers->find(slot));
  w.pass(20);
  EXPECT_EQ(error_of(w.answers->find(slot).value()), 15);
  w.log.resume();
  w.run();
  EXPECT_EQ(w.beat("A", 2).error_code, 0);
}

TEST(durability, p1_offsets_are_answered_when_durable_and_read_after_earlier_writes) {
  world w;
  w.beat("A", 0);
  w.log.hold();
  commit_request request;
  request.group_id = "g";
  request.member_id = "A";
  request.member_epoch = 2;
  request.entries.push_back({"foo", 1, {}});
  request.entries.back().value.offset = 42;
  std::vector<std::string> seen;
  w.coordinator->commit(request, [&](error_code code) { seen.push_back("commit " + std::string(name(code))); });
  w.coordinator->fetch({"g", std::nullopt, -1}, [&](const fetched_offsets& got) {
    seen.push_back("fetch " + std::to_string(got.offsets.at("foo").at(1).offset));
  });
  w.run();
  EXPECT_TRUE(seen.empty());
  w.log.resume();
  w.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"commit NONE", "fetch 42"}));
}

TEST(durability, internal_topics_are_asked_for_when_the_answer_leaves) {
  world w;
  w.topics.errors = {{"g-store-changelog", "too many"}};
  auto join = heartbeat_request("A", 0);
  auto& changelog = join.topology->subtopologies.at(0).state_changelog_topics.emplace_back();
  changelog.name = "g-store-changelog";
  w.log.hold();
  const auto slot = w.send(std::move(join));
  EXPECT_TRUE(w.topics.asked.empty());
  w.log.resume();
  w.run();
  EXPECT_EQ(w.topics.asked, std::vector<std::string>{"g-store-changelog"});
  const auto answer = w.answers->find(slot).value();
  ASSERT_TRUE(answer.status && answer.status->size() == 1);
  EXPECT_EQ(answer.status->front().status_code, 3);
  EXPECT_NE(answer.status->front().status_detail.view().find("g-store-changelog (too many)"), std::string_view::npos);
}

}  // namespace
}  // namespace weir::actors
