// Classic members, transactions, descriptions and the clean-up in a whole node: what waits, what is durable, and what a
// failed write leaves.
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

commit_request pending(std::int64_t producer_id, std::int64_t offset, std::int64_t deadline_ms) {
  commit_request request;
  request.group_id = "g";
  request.transactional = true;
  request.producer = group::producer{.id = producer_id, .epoch = 0, .deadline_ms = deadline_ms};
  request.entries.push_back({"foo", 0, {}});
  request.entries.back().value.offset = offset;
  return request;
}

class group_apis_test : public ::testing::Test {
 protected:
  error_code pend(std::int64_t offset, std::int64_t after_ms = 60'000) {
    const auto request = pending(1, offset, w.time.now_ms() + after_ms);
    return w.ask<error_code>([&](auto done) { w.coordinator->commit(request, done); });
  }
  error_code end(bool commit) {
    return w.ask<error_code>([&](auto done) { w.coordinator->end_transaction({"g", 1, 0, commit}, done); });
  }
  [[nodiscard]] std::int64_t committed() {
    const auto fetched = w.fetch();
    return fetched.offsets.empty() ? -1 : fetched.offsets.at("foo").at(0).offset;
  }
  /// As `as`, or as a newcomer, who gets that id.
  static void join(world& at, const std::string& member_id, const char* as,
                   std::optional<protocol::join_group_response>& answer, std::int16_t version = 3) {
    auto request = std::make_shared<protocol::join_group_request>();
    request->group_id = "g";
    request->member_id = text(std::string(as));
    request->session_timeout_ms = 10'000;
    request->protocol_type = "consumer";
    request->protocols.emplace_back();
    request->protocols[0].name = "range";
    group::classic_context context{.version = version,
                                   .client_id = "c",
                                   .client_host = "/h",
                                   .new_member_id = member_id,
                                   .members_max = 10,
                                   .now_ms = 0};
    at.coordinator->join_classic(std::move(request), std::move(context), [&](auto told) { answer = std::move(told); });
    at.run();
  }
  void join(const std::string& member_id, std::optional<protocol::join_group_response>& answer) {
    join(w, member_id, "", answer);
  }

  world w;
};

TEST_F(group_apis_test, strict_readers_see_a_group_that_a_join_has_ended_until_the_next_write_of_any_group) {
  auto options = quick_options();
  options.strict_kafka = true;
  world strict(options);
  const auto described = [&] {
    return strict.ask<protocol::streams_group_describe_response::described_group_data>(
        [&](auto done) { strict.coordinator->describe("g", done); });
  };
  const auto listed = [&] {
    return strict.ask<std::vector<group::group_summary>>([&](auto done) { strict.coordinator->list(done); }).size();
  };
  strict.beat("A", 0);
  strict.beat("A", -1);
  std::optional<protocol::join_group_response> answer;
  join(strict, "new", "unknown", answer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error_code, code_of(error_code::unknown_member_id));
  EXPECT_EQ(described().group_state.str(), "Empty");
  EXPECT_EQ(listed(), 1U);
  EXPECT_EQ(error_of(strict.beat("A", 5)), 69) << "writers see that it is gone";
  EXPECT_EQ(described().group_state.str(), "Empty") << "nothing has been written";
  ASSERT_TRUE(strict.view()) << "its document is there as long as the list shows it";
  EXPECT_EQ(strict.view()->state, group::group_state::empty);
  strict.send(heartbeat_request("B", 0, "another"));
  EXPECT_EQ(described().error_code, code_of(error_code::group_id_not_found));
  EXPECT_EQ(listed(), 1U) << "the other one";
  EXPECT_FALSE(strict.view());
}

TEST_F(group_apis_test, before_a_stop_nobody_waits_for_other_members) {
  std::optional<protocol::join_group_response> first;
  join("one", first);
  ASSERT_TRUE(first);
  std::optional<protocol::join_group_response> waiting;
  join("two", waiting);
  ASSERT_FALSE(waiting) << "the first has to join again";
  w.coordinator->let_go();
  w.run();
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->error_code, code_of(error_code::not_coordinator));
  std::optional<protocol::join_group_response> later;
  join("three", later);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->error_code, code_of(error_code::not_coordinator));
}

TEST_F(group_apis_test, strict_readers_see_a_classic_group_at_once) {
  auto options = quick_options();
  options.strict_kafka = true;
  world strict(options);
  strict.beat("A", 0);
  strict.beat("A", -1);
  std::optional<protocol::join_group_response> answer;
  join(strict, "new", "", answer, 4);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error_code, code_of(error_code::member_id_required));
  const auto rows = strict.ask<std::vector<group::group_summary>>([&](auto done) { strict.coordinator->list(done); });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, group::group_kind::simple);
}

TEST_F(group_apis_test, s13_3_offsets_of_an_open_transaction_are_unstable_until_it_ends) {
  EXPECT_EQ(pend(5), error_code::none);
  EXPECT_EQ(committed(), -1);
  EXPECT_TRUE(w.fetch().unstable.contains({"foo", 0}));
  EXPECT_EQ(end(true), error_code::none);
  EXPECT_EQ(committed(), 5);
  EXPECT_TRUE(w.fetch().unstable.empty());
  w.stop();
  w.start();
  EXPECT_EQ(committed(), 5);
}

TEST_F(group_apis_test, a_commit_of_a_transaction_that_cannot_be_written_can_be_repeated) {
  pend(5);
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(end(true), error_code::coordinator_not_available);
  EXPECT_EQ(committed(), -1);
  EXPECT_TRUE(w.fetch().unstable.contains({"foo", 0})) << "still open";
  EXPECT_EQ(end(true), error_code::none);
  EXPECT_EQ(committed(), 5);
}

TEST_F(group_apis_test, a_plain_commit_that_cannot_be_written_overtakes_nothing) {
  pend(5);
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(w.commit("", -1, 9), error_code::coordinator_not_available);
  end(true);
  EXPECT_EQ(committed(), 5);
}

TEST_F(group_apis_test, what_waits_for_a_write_that_fails_is_undone_with_it) {
  pend(5);
  w.log.hold();
  std::vector<error_code> told;
  const auto note = [&](error_code code) { told.push_back(code); };
  w.coordinator->end_transaction({"g", 1, 0, true}, note);
  w.coordinator->commit(pending(1, 6, w.time.now_ms() + 60'000), note);
  w.coordinator->commit(pending(2, 7, w.time.now_ms() + 60'000), note);
  w.run();
  w.log.fail_next(1, "disk full");
  w.log.resume();
  w.run();
  EXPECT_EQ(told, std::vector<error_code>(3, error_code::coordinator_not_available));
  w.coordinator->end_transaction({"g", 2, 0, true}, [](error_code) {});
  EXPECT_EQ(end(true), error_code::none);
  EXPECT_EQ(committed(), 5);
}

TEST_F(group_apis_test, a_restart_aborts_open_transactions_and_their_commit_fails) {
  w.commit("", -1, 3);
  pend(5);
  w.stop();
  w.start();
  EXPECT_TRUE(w.fetch().unstable.empty());
  const auto ended = w.ask<error_code>([&](auto done) {
    w.coordinator->end_transaction({"g", 1, 0, true, true}, done);
  });
  EXPECT_EQ(ended, error_code::invalid_txn_state) << "never taken for a commit";
  EXPECT_EQ(committed(), 3);
}

TEST_F(group_apis_test, a_transaction_of_a_deleted_group_can_be_ended) {
  pend(5);
  EXPECT_EQ(w.ask<error_code>([&](auto done) { w.coordinator->delete_group("g", done); }), error_code::none);
  w.pass(5'000);
  const auto ended = w.ask<error_code>([&](auto done) {
    w.coordinator->end_transaction({"g", 1, 0, true, true}, done);
  });
  EXPECT_EQ(ended, error_code::none) << "its offsets were not lost: they went with the group";
  EXPECT_EQ(committed(), -1);
}

TEST_F(group_apis_test, s13_6_pending_offsets_of_a_deleted_topic_go_and_the_transaction_can_be_ended) {
  pend(5);
  w.delete_topic("foo");
  EXPECT_TRUE(w.fetch().unstable.empty());
  const auto ended = w.ask<error_code>([&](auto done) {
    w.coordinator->end_transaction({"g", 1, 0, true, true}, done);
  });
  EXPECT_EQ(ended, error_code::none);
  EXPECT_EQ(committed(), -1);
}

TEST_F(group_apis_test, s13_6_a_deletion_that_cannot_be_written_is_done_later) {
  w.commit("", -1, 7);
  w.log.fail_next(1, "disk full");
  w.delete_topic("foo");
  EXPECT_EQ(committed(), 7);
  w.pass(600);
  EXPECT_EQ(committed(), -1);
}

TEST_F(group_apis_test, s13_6_a_full_log_puts_a_deletion_off) {
  w.commit("", -1, 7);
  w.log.set_full(true);
  w.delete_topic("foo");
  EXPECT_EQ(committed(), 7);
  w.log.set_full(false);
  w.pass(600);
  EXPECT_EQ(committed(), -1);
}

TEST_F(group_apis_test, an_open_transaction_is_aborted_when_its_time_is_over) {
  pend(5, 100);
  w.pass(200);
  EXPECT_TRUE(w.fetch().unstable.empty());
  end(true);
  EXPECT_EQ(committed(), -1);
}

TEST_F(group_apis_test, a_join_waits_for_the_other_members_and_for_the_log) {
  std::optional<protocol::join_group_response> first;
  std::optional<protocol::join_group_response> second;
  w.log.hold();
  join("m1", first);
  EXPECT_FALSE(first) << "the group is not durable";
  w.log.resume();
  w.run();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error_code, 0);
  join("m2", second);
  EXPECT_FALSE(second) << "m1 has not joined again";
  w.pass(11'000);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->leader, "m2");
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::simple);
}

TEST_F(group_apis_test, who_waits_is_answered_when_the_node_stops) {
  std::optional<protocol::join_group_response> first;
  std::optional<protocol::join_group_response> second;
  join("m1", first);
  join("m2", second);
  w.stop();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->error_code, protocol::code_of(error_code::not_coordinator));
}

TEST_F(group_apis_test, s4_5_deleted_offsets_are_gone_after_a_restart) {
  w.commit("", -1, 7);
  const auto deleted = w.ask<offset_deletion_answer>([&](auto done) {
    w.coordinator->delete_offsets({"g", {{"foo", 0}, {"foo", 1}}}, done);
  });
  EXPECT_EQ(deleted.error, error_code::none);
  EXPECT_EQ(deleted.partitions, (std::vector<error_code>{error_code::none, error_code::none}));
  EXPECT_EQ(committed(), -1);
  w.stop();
  w.start();
  EXPECT_EQ(committed(), -1);
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::simple);
}

TEST(group_apis, s4_10_without_a_store_descriptions_are_not_supported) {
  world w;
  const auto stored = w.ask<protocol::kafka_result<void>>([&](auto done) {
    w.coordinator->update_description(
        std::make_shared<const protocol::streams_group_topology_description_update_request>(), done);
  });
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, error_code::unsupported_version);
}

TEST(group_apis, s14_a_description_is_kept_over_a_restart) {
  auto options = quick_options();
  options.keeps_descriptions = true;
  world w(options);
  w.beat("A", 0);
  EXPECT_TRUE(w.beat("A", 2).topology_description_required);
  auto request = std::make_shared<protocol::streams_group_topology_description_update_request>();
  request->group_id = "g";
  request->member_id = "A";
  request->topology_description.subtopologies.emplace_back().subtopology_id = "0";
  const auto stored =
      w.ask<protocol::kafka_result<void>>([&](auto done) { w.coordinator->update_description(request, done); });
  EXPECT_TRUE(stored);
  w.stop();
  w.start();
  const auto described = w.ask<protocol::streams_group_describe_response::described_group_data>(
      [&](auto done) { w.coordinator->describe("g", done); });
  ASSERT_TRUE(described.topology_description);
  EXPECT_EQ(described.topology_description->subtopologies.at(0).subtopology_id, "0");
}

TEST(group_apis, s13_4_the_sweep_removes_expired_offsets_and_empty_groups) {
  auto options = quick_options();
  options.clean_up_interval_ms = 1'000;
  options.retention.retention_ms = 5'000;
  world w(options);
  w.commit("", -1, 7);
  w.pass(4'500);
  EXPECT_EQ(w.fetch().offsets.size(), 1U);
  w.pass(2'000);
  EXPECT_TRUE(w.fetch().offsets.empty());
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::none);
}

}  // namespace
}  // namespace weir::actors
