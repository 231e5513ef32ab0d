// Groups come and go: restart, expiry, death of an actor, deletion, the end of the node.
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

TEST(lifecycle, p4_p5_a_restart_changes_no_epoch_and_no_task) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  w.commit("A", 2, 5);
  const auto before = w.view()->group;
  w.stop();
  w.start();
  const auto after = w.view()->group;
  EXPECT_EQ(after.metadata, before.metadata);
  EXPECT_EQ(after.target_info, before.target_info);
  EXPECT_EQ(after.members, before.members);
  EXPECT_EQ(after.targets, before.targets);
  EXPECT_EQ(after.offsets, before.offsets);
  EXPECT_EQ(error_of(w.beat("B", 3)), 0);
  EXPECT_EQ(w.view()->group.metadata.epoch, before.metadata.epoch);
}

TEST(lifecycle, commits_are_counted_for_their_members_until_a_restart) {
  world w;
  w.beat("A", 0);
  EXPECT_EQ(w.commit("A", 2, 5), error_code::none);
  EXPECT_EQ(w.commit("A", 3, 5), error_code::stale_member_epoch);
  EXPECT_EQ(w.commit("X", 2, 5), error_code::unknown_member_id);
  const group::commit_counts expected{.accepted = 1,
                                      .refused = 1,
                                      .last_refused_ms = w.time.now_ms(),
                                      .last_error = error_code::stale_member_epoch};
  EXPECT_EQ(w.view()->group.soft.members.at("A").commits, expected);
  EXPECT_EQ(w.view()->group.soft.commits_refused_of_strangers, 1U);
  w.log.fail_next(1, "disk full");
  EXPECT_NE(w.commit("A", 2, 6), error_code::none);
  EXPECT_EQ(w.view()->group.soft.members.at("A").commits.refused, 1U) << "what could not be written was not refused";
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->group.soft.members.at("A").commits, group::commit_counts());
}

TEST(lifecycle, spec01_9_a_silent_member_is_removed_when_its_session_ends) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  w.pass(30'000);
  EXPECT_EQ(error_of(w.beat("A", 2)), 0);
  w.pass(16'000);
  const auto view = w.view();
  EXPECT_EQ(view->group.members.size(), 1U);
  EXPECT_TRUE(view->group.members.contains("A"));
  EXPECT_EQ(w.coordinator->counters().of(group::cause::session_expired), 1U);
  EXPECT_EQ(view->timeline.back().why, group::cause::session_expired);
}

TEST(lifecycle, spec04_11_sessions_start_in_full_after_a_restart) {
  world w;
  w.beat("A", 0);
  w.pass(40'000);
  w.stop();
  w.start();
  w.pass(44'000);
  EXPECT_EQ(w.view()->group.members.size(), 1U);
  w.pass(2'000);
  EXPECT_TRUE(w.view()->group.members.empty());
}

TEST(lifecycle, an_expiry_that_cannot_be_written_is_tried_again) {
  world w;
  w.beat("A", 0);
  w.log.fail_next(1, "disk full");
  w.pass(45'010);
  EXPECT_EQ(w.view()->group.members.size(), 1U);
  w.pass(600);
  EXPECT_TRUE(w.view()->group.members.empty());
}

TEST(lifecycle, a_new_image_reaches_the_next_heartbeat_of_groups_that_read_the_topic) {
  world w;
  w.beat("A", 0);
  w.publish(image_with(w.image(), "other", 9));
  EXPECT_EQ(w.beat("A", 2).member_epoch, 2);
  w.publish(image_with(w.image(), "foo", 6));
  const auto answer = w.beat("A", 2);
  EXPECT_EQ(answer.member_epoch, 3);
  EXPECT_EQ(active_tasks(answer), 6U);
  EXPECT_EQ(w.coordinator->counters().of(group::cause::metadata_changed), 1U);
}

TEST(lifecycle, spec04_13_6_offsets_of_a_deleted_topic_go) {
  world w;
  w.beat("A", 0);
  w.commit("A", 2, 5);
  EXPECT_EQ(w.fetch().offsets.size(), 1U);
  w.delete_topic("foo");
  EXPECT_TRUE(w.fetch().offsets.empty());
}

TEST(lifecycle, every_held_answer_is_given_when_the_node_stops) {
  world w;
  w.log.hold();
  const auto slot = w.send("A", 0);
  std::optional<error_code> committed;
  w.coordinator->check_commit({.group_id = "g", .member_id = "A", .instance_id = {}, .entries = {}, .producer = {}},
                              [&](error_code code) { committed = code; });
  w.run();
  EXPECT_FALSE(committed);
  w.coordinator->stop(1'000);
  EXPECT_EQ(error_of(w.answers->find(slot).value()), 16);
  EXPECT_EQ(committed, error_code::not_coordinator);
  EXPECT_EQ(error_of(w.answers
                         ->find([&] {
                           w.coordinator->heartbeat(call_of(heartbeat_request("A", 0), w.answers, 99));
                           return std::uint64_t{99};
                         }())
                         .value()),
            16);
}

/// Throws when it is asked for topics: a fault inside a group actor.
class throwing_topics final : public internal_topics {
 public:
  std::vector<std::pair<std::string, std::string>> ensure(
      std::string_view, const std::map<std::string, group::internal_topic, std::less<>>&, std::int32_t) override {
    throw std::runtime_error("a fault in a handler");
  }
};

/// A node whose group actors die of an application that needs internal topics.
class deadly_node_test : public ::testing::Test {
 protected:
  ~deadly_node_test() override { n.stop(1'000); }

  /// The actor dies of its answer.
  void kill(const std::string& group_id, std::uint64_t slot) {
    auto faulty = heartbeat_request("B", 0, group_id);
    faulty.topology->subtopologies.at(0).state_changelog_topics.emplace_back().name = "g-store-changelog";
    n.heartbeat(call_of(std::move(faulty), answers, slot));
    n.system().run();
  }

  storage::memory_log log;
  manual_clock time;
  throwing_topics topics;
  std::shared_ptr<answer_book> answers = std::make_shared<answer_book>();
  metadata::image_ptr image = image_with(nullptr, "foo", 4);
  std::unique_ptr<node> running =
      node::start(quick_options(), {log, topics, time}, image, scheduling::manual).value();
  node& n = *running;
};

TEST_F(deadly_node_test, an_actor_that_dies_is_replaced_by_replay_and_its_requests_are_answered) {
  n.heartbeat(call_of(heartbeat_request("A", 0), answers, 1));
  n.system().run();
  EXPECT_EQ(error_of(answers->find(1).value()), 0);
  kill("h", 2);
  EXPECT_EQ(error_of(answers->find(2).value()), 16);
  EXPECT_EQ(n.counters().respawns, 1U);
  EXPECT_TRUE(n.has_streams_group("h"));
  n.heartbeat(call_of(heartbeat_request("A", 2), answers, 3));
  n.heartbeat(call_of(heartbeat_request("C", 7, "h"), answers, 4));
  n.system().run();
  EXPECT_EQ(error_of(answers->find(3).value()), 0);
  EXPECT_EQ(error_of(answers->find(4).value()), 25);
}

TEST_F(deadly_node_test, s13_6_a_deletion_that_comes_while_a_group_is_loaded_is_not_lost) {
  commit_request commit;
  commit.group_id = "g";
  commit.entries.push_back({"foo", 0, {}});
  std::optional<error_code> committed;
  n.commit(std::move(commit), [&](error_code code) { committed = code; });
  n.system().run();
  ASSERT_EQ(committed, error_code::none);
  log.hold();
  kill("g", 1);
  log.release(1);
  n.system().run();  // the actor has died; the next one waits for what the log still has to say
  n.publish_image(image_without(image, "foo"), [] {});
  n.system().run();
  log.resume();
  n.system().run();
  n.system().advance(1);
  std::optional<fetched_offsets> left;
  n.fetch({.group_id = "g", .member_id = {}, .member_epoch = -1},
          [&](fetched_offsets offsets) { left = std::move(offsets); });
  n.system().run();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->error, error_code::none);
  EXPECT_TRUE(left->offsets.empty());
}

TEST_F(deadly_node_test, a_group_that_is_being_loaded_is_listed_as_such_and_tells_nothing) {
  log.hold();
  kill("g", 1);
  log.release(1);
  n.system().run();  // the actor has died of its answer; the next one waits for what the log still has to say
  std::optional<viewed_group> seen;
  std::vector<group::group_summary> rows;
  const auto look = [&] {
    n.view("g", [&](const viewed_group& answer) { seen = answer; });
    n.list([&](std::vector<group::group_summary> all) { rows = std::move(all); });
    n.system().run();
  };
  look();
  ASSERT_TRUE(seen && !*seen);
  EXPECT_EQ(seen->error().code, error_code::coordinator_load_in_progress);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].loading);
  EXPECT_EQ(rows[0].state_name, "Unknown");
  EXPECT_EQ(rows[0].kind, group::group_kind::streams);
  log.resume();
  n.system().run();
  look();
  EXPECT_TRUE(*seen);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].loading);
  n.view("nobody", [&](const viewed_group& answer) { seen = answer; });
  EXPECT_EQ(seen->error().code, error_code::group_id_not_found);
}

TEST(lifecycle, a_row_whose_write_fails_says_that_the_group_is_being_loaded) {
  world w;
  w.beat("A", 0);
  w.log.hold();
  w.send("B", 0);
  std::vector<group::group_summary> rows;
  w.coordinator->list([&](std::vector<group::group_summary> all) { rows = std::move(all); });
  w.run();
  EXPECT_TRUE(rows.empty()) << "the row waits for the write it shows";
  w.log.fail_next(1, "disk full");
  w.log.resume();
  w.run();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].loading);
}

TEST(lifecycle, a_part_of_the_list_follows_another_in_the_order_of_ids) {
  world w;
  for (const auto* id : {"b", "a2", "c", "a1", "a3"}) w.send(heartbeat_request("A", 0, id));
  const auto ids_of = [&](group_range range) {
    const auto part = w.ask<group_rows>([&](auto done) { w.coordinator->list_some(range, done); });
    std::string out;
    for (const auto& row : part.rows) out += row.id + " ";
    return out + (part.complete ? "end" : part.last);
  };
  EXPECT_EQ(ids_of({"", "", 2}), "a1 a2 a2");
  EXPECT_EQ(ids_of({"a2", "", 3}), "a3 b c c");
  EXPECT_EQ(ids_of({"c", "", 3}), "end");
  EXPECT_EQ(ids_of({"", "a", 9}), "a1 a2 a3 end");
  EXPECT_EQ(ids_of({"a1", "a", 9}), "a2 a3 end");
  EXPECT_EQ(ids_of({"", "b", 9}), "b end");
  w.send(heartbeat_request("A", -1, "b"));
  w.ask<error_code>([&](auto done) { w.coordinator->delete_group("b", done); });
  EXPECT_EQ(ids_of({"a3", "", 1}), "c c");
}

TEST(lifecycle, the_simple_group_without_a_name_is_in_the_list) {
  world w;
  const auto commit = [&](const std::string& group_id) {
    commit_request request;
    request.group_id = group_id;
    request.entries.push_back({"foo", 0, {}});
    return w.ask<error_code>([&](auto done) { w.coordinator->commit(request, done); });
  };
  ASSERT_EQ(commit(""), error_code::none);
  ASSERT_EQ(commit("a"), error_code::none);
  const auto rows = w.ask<std::vector<group::group_summary>>([&](auto done) { w.coordinator->list(done); });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "");
  EXPECT_EQ(rows[1].id, "a");
}

TEST(lifecycle, what_a_group_waits_for_is_told_as_it_is_after_a_change) {
  world w;
  const auto words = [&] {
    const auto told = w.ask<told_health>([&](auto done) { w.coordinator->health_of("g", {}, done); });
    return told ? told->waits : std::vector<std::string>();
  };
  const auto first = w.beat("A", 0);
  w.beat("B", 0);
  const auto before = words();
  ASSERT_FALSE(before.empty());
  w.beat("A", first.member_epoch);
  EXPECT_NE(words(), before) << "no time has passed";
}

TEST(lifecycle, a_list_shows_every_change_that_was_answered) {
  world w;
  const auto row = [&] {
    auto rows = w.ask<std::vector<group::group_summary>>([&](auto done) { w.coordinator->list(done); });
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? group::group_summary() : std::move(rows.front());
  };
  const auto first = w.beat("A", 0);
  EXPECT_EQ(row().state_name, "Stable");
  w.beat("A", first.member_epoch);
  EXPECT_EQ(row().state_name, "Stable");
  w.beat("B", 0);
  EXPECT_EQ(row().state_name, "Reconciling");
  EXPECT_EQ(row().members, 2);
  w.beat("B", -1);
  EXPECT_EQ(row().members, 1);
  w.beat("A", -1);
  EXPECT_EQ(row().state_name, "Empty");
  EXPECT_EQ(w.commit("", -1, 5), error_code::none);
  EXPECT_EQ(row().state_name, "Empty");
  w.stop();
  w.start();
  EXPECT_EQ(row().state_name, "Empty");
}

TEST(lifecycle, actors_without_a_group_retire) {
  world w;
  EXPECT_EQ(error_of(w.beat("A", 5)), 69);
  EXPECT_EQ(w.coordinator->groups().size(), 0U);
  w.beat("A", 0);
  EXPECT_EQ(w.coordinator->groups().size(), 1U);
  EXPECT_TRUE(w.coordinator->has_streams_group("g"));
  const auto remove = [&] { return w.ask<error_code>([&](auto done) { w.coordinator->delete_group("g", done); }); };
  EXPECT_EQ(remove(), error_code::non_empty_group);
  w.beat("A", -1);
  EXPECT_EQ(remove(), error_code::none);
  EXPECT_FALSE(w.coordinator->has_streams_group("g"));
  EXPECT_EQ(w.coordinator->groups().size(), 0U);
  EXPECT_EQ(remove(), error_code::group_id_not_found);
}

TEST(lifecycle, spec04_13_2_an_administrators_commit_makes_a_simple_group) {
  world w;
  EXPECT_EQ(w.commit("", -1, 5), error_code::none);
  EXPECT_FALSE(w.coordinator->has_streams_group("g"));
  const auto rows = w.ask<std::vector<group::group_summary>>([&](auto done) { w.coordinator->list(done); });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, group::group_kind::simple);
  EXPECT_EQ(w.fetch().offsets.at("foo").at(0).offset, 5);
  EXPECT_EQ(w.fetch().offsets.at("foo").at(0).topic_id, (uuid{1, 7}));
}

TEST(lifecycle, altered_settings_count_from_the_next_heartbeat_and_survive_a_restart) {
  world w;
  w.beat("A", 0);
  EXPECT_FALSE(w.alter({{"streams.heartbeat.interval.ms", "1"}}));
  ASSERT_TRUE(w.alter({{"streams.heartbeat.interval.ms", "7000"}}));
  EXPECT_EQ(w.beat("A", 2).heartbeat_interval_ms, 7'000);
  w.stop();
  w.start();
  EXPECT_EQ(w.beat("A", 2).heartbeat_interval_ms, 7'000);
  const auto read = w.ask<group::overrides>([&](auto done) { w.coordinator->config("g", done); });
  EXPECT_EQ(read, (group::overrides{{"streams.heartbeat.interval.ms", "7000"}}));
}

TEST(lifecycle, ids_the_log_cannot_store_are_refused_with_words) {
  world w;
  const auto answer = w.answers->find(w.send(heartbeat_request("A", 0, std::string(250, 'g')))).value();
  EXPECT_EQ(error_of(answer), 42);
  EXPECT_NE(answer.error_message->view().find("249 bytes"), std::string_view::npos);
}

TEST(lifecycle, describing_an_unknown_group_is_an_error_and_leaves_no_actor) {
  world w;
  using described = protocol::streams_group_describe_response::described_group_data;
  const auto answer = w.ask<described>([&](auto done) { w.coordinator->describe("nobody", done); });
  EXPECT_EQ(answer.error_code, 69);
  EXPECT_EQ(w.coordinator->groups().size(), 0U);
  EXPECT_EQ(w.view("nobody"), nullptr);
}

}  // namespace
}  // namespace weir::actors
