// Patterns of source topics: spec 01, 11.4.
#include <gtest/gtest.h>

#include "group/offsets/commit.hpp"
#include "group/topology/patterns.hpp"
#include "group/versions.hpp"
#include "tests/unit/group/scenario.hpp"
#include "tests/unit/group/topology/topology_fixtures.hpp"

namespace weir::group {
namespace {

topology matching(const std::vector<std::string>& patterns, const std::string& changelog = {}) {
  auto app = reading({}, changelog);
  app.subtopologies[0].source_topic_regex = patterns;
  return app;
}

std::string fault_of(const std::string& pattern) {
  const auto bad = check_patterns(matching({pattern}));
  return bad ? std::to_string(protocol::code_of(bad->code)) + " " + bad->message : "";
}

/// As a group resolves it that has seen all of these topics.
resolved_topology resolved(const topology& app, const topic_counts& topics) {
  return resolve(app, match_patterns(app, *image_of(topics), nullptr, false)->get());
}

std::vector<std::string> sources(const topology& app, const topic_counts& topics) {
  return resolved(app, topics).plain.subtopologies[0].source_topics;
}

class patterns : public ::testing::Test {
 protected:
  scenario s{false};
};

TEST_F(patterns, s11_4_tasks_are_those_of_the_topics_that_match) {
  s.topic("foo-2", 6).topic("food", 9).app(matching({"foo(-[0-9]+)?"}));
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-5}, []") << "the whole name has to match";
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
}

TEST_F(patterns, s11_4_a_topic_that_appears_is_new_metadata) {
  s.app(matching({"foo.*"})).join("A");
  const auto hash = s.state().metadata.metadata_hash;
  s.topic("unrelated", 2);
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  s.topic("foo-2", 6);
  EXPECT_EQ(s.hb("A", 2), "ep 3, A{0:0-5}, []");
  EXPECT_EQ(s.events().substr(0, 22), "metadata-changed g3/a3");
  EXPECT_NE(s.state().metadata.metadata_hash, hash);
  s.no_topic("foo-2");
  s.hb("A", 3);
  EXPECT_EQ(s.state().metadata.metadata_hash, hash);
}

TEST_F(patterns, s11_4_a_pattern_that_matches_nothing_is_a_missing_source_topic) {
  s.app(matching({"foo", "later.*"}));
  EXPECT_EQ(s.join("A"), "ep 2, {}, [1]");
  EXPECT_NE(s.last().answer.status->front().status_detail.view().find("\"later.*\""), std::string_view::npos);
  s.topic("later-1", 2);
  EXPECT_EQ(s.hb("A", 2), "ep 3, A{0:0-3}, []");
}

TEST_F(patterns, s11_4_a_topic_has_one_subtopology) {
  auto app = matching({"foo.*"});
  app.subtopologies.push_back(reader("1", {"foo-2"}));
  s.app(app).topic("bar", 1);
  s.topic("foo-2", 4);
  EXPECT_EQ(s.join("A"), "ep 2, {}, [2]");
  EXPECT_NE(s.last().answer.status->front().status_detail.view().find("both read topic foo-2"), std::string_view::npos);
  EXPECT_EQ(s.group(), "g2/a2 NOT_READY");
}

TEST(pattern_rules, s11_4_kafkas_own_and_internal_topics_are_not_matched) {
  auto app = matching({".*"}, "cl");
  app.subtopologies[0].repartition_sink_topics = {"rp"};
  app.subtopologies.push_back(reader("1", {}));
  app.subtopologies[1].repartition_source_topics = {flexible("rp")};
  EXPECT_EQ(sources(app, {{"a", 1}, {"cl", 1}, {"rp", 1}, {"__consumer_offsets", 50}, {"__mine", 1}}),
            (std::vector<std::string>{"__mine", "a"}));
}

TEST(pattern_rules, s11_4_a_name_that_is_matched_twice_is_read_once) {
  auto app = matching({"a.*", ".*b"});
  app.subtopologies[0].source_topics = {"ab"};
  EXPECT_EQ(sources(app, {{"ab", 1}, {"aab", 1}, {"c", 1}}), (std::vector<std::string>{"ab", "aab"}));
}

TEST(pattern_rules, s11_4_copartition_groups_name_patterns) {
  auto app = matching({"a.*"});
  app.subtopologies[0].source_topics = {"x"};
  app.subtopologies[0].copartition_groups = {
      {.source_topics = {0}, .source_topic_regex = {0}, .repartition_source_topics = {}}};
  const auto plain = resolved(app, {{"a1", 2}, {"a2", 2}, {"x", 2}}).plain;
  EXPECT_EQ(copartitioned_topics(plain.subtopologies[0], plain.subtopologies[0].copartition_groups[0]),
            (std::set<std::string>{"a1", "a2", "x"}));
  const auto image = image_of({{"a1", 2}, {"a2", 3}, {"x", 2}});
  const auto matches = match_patterns(app, *image, nullptr, true);
  ASSERT_TRUE(matches);
  const auto unequal = configure(app, *image, 0, {.matches = matches->get()});
  ASSERT_TRUE(unequal && unequal->problem);
  EXPECT_EQ(unequal->problem->status, topology_status::incorrectly_partitioned_topics);
  app.subtopologies[0].copartition_groups[0].source_topic_regex = {1};
  EXPECT_TRUE(check_patterns(app)) << "out of range";
}

TEST(pattern_rules, s11_4_what_cannot_be_used_is_refused_with_words) {
  EXPECT_EQ(fault_of("foo.*"), "");
  EXPECT_EQ(fault_of("\\Qa.b\\E-\\d{1,3}"), "") << "what Java and RE2 have in common";
  EXPECT_NE(fault_of("a(?=b)").find("130 Subtopology 0: the pattern \"a(?=b)\" cannot be used"), std::string::npos);
  EXPECT_NE(fault_of("(a").find("missing )"), std::string::npos);
  EXPECT_NE(fault_of("((((a{100}){100}){100}){100})"), "") << "more states than memory for them";
  EXPECT_NE(fault_of(std::string(1001, 'a')).find("1001 bytes"), std::string::npos);
  EXPECT_TRUE(check_patterns(matching(std::vector<std::string>(101, "a"))));
  EXPECT_FALSE(check_patterns(matching(std::vector<std::string>(100, "a"))));
}

TEST(pattern_rules, patterns_have_a_budget_together) {
  const std::string large = "(?:a|b){500}";
  EXPECT_EQ(fault_of(large), "");
  const auto bad = check_patterns(matching(std::vector<std::string>(30, large)));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->code, protocol::error_code::streams_invalid_topology);
  EXPECT_NE(bad->message.find("instructions"), std::string::npos) << bad->message;
}

TEST(pattern_rules, a_new_topology_may_not_cost_too_much_for_the_topics_there_are) {
  const auto app = matching(std::vector<std::string>(15, "(?:a|b){500}"));
  topic_counts many;
  for (int i = 0; i < 2'000; ++i) many.emplace_back("t" + std::to_string(i) + std::string(200, 'a'), 1);
  const auto image = image_of(many);
  ASSERT_FALSE(check_patterns(app));
  const auto refused = match_patterns(app, *image, nullptr, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, protocol::error_code::streams_invalid_topology);
  EXPECT_TRUE(match_patterns(app, *image_of({{"a", 1}}), nullptr, true));
}

TEST(pattern_rules, only_new_topics_are_looked_at) {
  const auto app = matching({"a.*", ".*z"});
  const auto first = match_patterns(app, *image_of({{"a1", 1}, {"a2", 1}, {"b", 1}, {"z", 1}}), nullptr, true);
  ASSERT_TRUE(first);
  // What was found out is believed: a memory of something else shows that nothing is looked at twice.
  auto told = **first;
  told.names[0].emplace_back("b");
  const auto next = match_patterns(app, *image_of({{"a0", 1}, {"a2", 1}, {"az", 1}, {"b", 1}, {"c", 1}}), &told, false);
  ASSERT_TRUE(next);
  EXPECT_EQ((*next)->names[0], (std::vector<std::string>{"a0", "a2", "az", "b"}));
  EXPECT_EQ((*next)->names[1], (std::vector<std::string>{"az"}));
  EXPECT_EQ((*next)->seen.size(), 5U);
  const auto back = match_patterns(app, *image_of({{"a1", 1}}), next->get(), false);
  ASSERT_TRUE(back);
  EXPECT_EQ((*back)->names[0], (std::vector<std::string>{"a1"})) << "gone and there again";
}

TEST_F(patterns, a_group_remembers_what_its_patterns_match_until_it_has_another_topology) {
  s.app(matching({"foo.*"})).join("A");
  const auto first = s.state().soft.matches;
  ASSERT_TRUE(first);
  s.topic("unrelated", 2);
  s.hb("A", 2);
  EXPECT_NE(s.state().soft.matches, first) << "it has seen one topic more";
  EXPECT_EQ(s.state().soft.matches->names, first->names);
  apply(s.mutable_state(), topology_record{.value = matching({"bar.*"})});
  EXPECT_FALSE(s.state().soft.matches);
}

TEST(pattern_rules, s11_4_a_pattern_that_matches_too_many_topics_holds_the_group) {
  topic_counts many;
  for (int i = 0; i <= 10'000; ++i) many.emplace_back("t" + std::to_string(i), 1);
  const auto made = resolved(matching({"t.*"}), many);
  ASSERT_TRUE(made.problem);
  EXPECT_EQ(made.problem->status, topology_status::incorrectly_partitioned_topics);
}

TEST(pattern_rules, s11_4_patterns_make_a_topology_another_one) {
  EXPECT_TRUE(equivalent(matching({"a", "b"}), matching({"b", "a"})));
  EXPECT_FALSE(equivalent(matching({"a"}), matching({"a", "b"})));
  auto one = matching({"a", "b"});
  auto other = one;
  one.subtopologies[0].copartition_groups = {{.source_topics = {}, .source_topic_regex = {0},
                                              .repartition_source_topics = {}}};
  other.subtopologies[0].copartition_groups = {{.source_topics = {}, .source_topic_regex = {1},
                                                .repartition_source_topics = {}}};
  EXPECT_FALSE(equivalent(one, other));
}

TEST_F(patterns, v1_bad_ones_are_refused_before_they_reach_a_group) {
  auto request = s.request("A", 0, {.app = matching({"(a"})});
  EXPECT_EQ(check_request(request, false)->code, protocol::error_code::streams_invalid_topology);
  EXPECT_EQ(check_request(request, true)->code, protocol::error_code::invalid_request);
}

TEST_F(patterns, s4_9_a_description_shows_the_topics_they_match) {
  s.topic("foo-2", 4).app(matching({"foo.*"})).join("A");
  const auto shown = describe(s.state(), s.view());
  const auto& topics = shown.topology->subtopologies->front().source_topics;
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0], "foo");
  EXPECT_EQ(topics[1], "foo-2");
}

TEST_F(patterns, appendix_b_commits_for_topics_they_match) {
  s.topic("foo-2", 4).app(matching({"foo.*"}));
  s.join("A");
  s.split({{"A", "0:0-3"}, {"B", ""}}).join("B");
  s.hb("A", 2);
  commit_check late;
  late.member_id = "A";
  late.member_epoch = 2;
  late.partitions = {{"foo-2", 1}};
  EXPECT_FALSE(check_commit(s.state(), late));
  late.partitions = {{"goo", 1}};
  EXPECT_TRUE(check_commit(s.state(), late));
  EXPECT_TRUE(live_readers(s.state()).reads("foo-2"));
  EXPECT_FALSE(live_readers(s.state()).reads("goo"));
  s.reload();
  EXPECT_TRUE(check_commit(s.state(), late)) << "nobody has tried the pattern yet";
  EXPECT_TRUE(live_readers(s.state()).reads("goo")) << "it may, for all that is known";
}

/// A clock of which each look takes a millisecond.
std::int64_t ticking_ns() {
  static std::int64_t now_ns = 0;
  return now_ns += 1'000'000;
}

TEST(pattern_rules, what_does_not_fit_into_one_turn_is_left_for_the_next) {
  const auto app = matching({"a.*", ".*z"});
  const auto image = image_of({{"a1", 1}, {"a2", 1}, {"az", 1}, {"b", 1}, {"bz", 1}, {"c", 1}, {"d", 1}});
  const auto turn_of = [](std::int64_t topics) {
    return match_meter({.used_ns = ticking_ns, .most_ns = (topics + 1) * 1'000'000, .work_between_looks = 1});
  };
  auto turn = turn_of(3);
  const auto first = match_patterns(app, *image, nullptr, true, turn);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->unseen, 4U);
  EXPECT_EQ((*first)->names[0], (std::vector<std::string>{"a1", "a2", "az"}));
  const auto more = image_of({{"a0", 1}, {"a1", 1}, {"az", 1}, {"b", 1}, {"bz", 1}, {"c", 1}, {"d", 1}});
  turn = turn_of(3);
  const auto second = match_patterns(app, *more, first->get(), false, turn);
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->unseen, 2U) << "a0, b and bz were tried, c and d are left";
  EXPECT_EQ((*second)->names[0], (std::vector<std::string>{"a0", "a1", "az"}));
  EXPECT_EQ((*second)->names[1], (std::vector<std::string>{"az", "bz"}));
  turn = turn_of(0);
  const auto third = match_patterns(app, *more, second->get(), false, turn);
  ASSERT_TRUE(third);
  EXPECT_EQ((*third)->unseen, 1U) << "one topic at least";
  const auto last = match_patterns(app, *more, third->get(), false);
  ASSERT_TRUE(last);
  EXPECT_EQ((*last)->unseen, 0U);
  EXPECT_EQ((*last)->seen.size(), 7U);
}

TEST_F(patterns, a_running_group_goes_on_with_what_it_knew_while_they_are_tried) {
  s.app(matching({"foo.*"})).join("A");
  s.topic("foo-2", 6).patterns({.are_own_pending = true, .are_sent_pending = false, .sent = {}, .limit = {}});
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.join("B"), "ep 3, {}, []") << "an epoch of another cause";
  s.patterns({});
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0-2}, []") << "does not end the search";
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
}

TEST_F(patterns, internal_topics_are_not_asked_for_with_counts_that_are_outdated) {
  s.app(matching({"foo.*"}, "log")).join("A");
  EXPECT_TRUE(s.last().missing_internal_topics);
  s.topic("foo-2", 6).patterns({.are_own_pending = true, .are_sent_pending = false, .sent = {}, .limit = {}});
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, [3]");
  EXPECT_FALSE(s.last().missing_internal_topics);
  s.patterns({});
  s.hb("A", 2);
  ASSERT_TRUE(s.last().missing_internal_topics);
  EXPECT_EQ(s.last().missing_internal_topics->topics_to_create.at("log").partitions, 6);
}

TEST_F(patterns, a_group_that_a_restart_has_made_forget_refuses_for_now_and_loses_nothing) {
  s.app(matching({"foo.*"})).join("A");
  s.reload();
  s.patterns({.are_own_pending = true, .are_sent_pending = false, .sent = {}, .limit = {}});
  EXPECT_EQ(s.hb("A", 2), "error 14");
  EXPECT_EQ(s.hb("B", 5), "error 25") << "who is no member need not come again";
  s.pass_silently(44'000);
  EXPECT_EQ(s.hb("A", 2), "error 14");
  s.pass(44'000);
  EXPECT_EQ(s.member("A"), "STABLE 2/0 A{0:0-3}") << "it was heard of";
  s.patterns({});
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
}

TEST_F(patterns, a_topology_waits_until_its_own_have_been_tried) {
  s.app(matching({"foo.*"}));
  s.patterns({.are_own_pending = false, .are_sent_pending = true, .sent = {}, .limit = {}});
  EXPECT_EQ(s.join("A"), "error 14");
  EXPECT_EQ(s.state().kind, group_kind::none);
  pattern_matches found;
  found.names = {{"foo"}};
  found.seen.assign(s.view().image.topics().begin(), s.view().image.topics().end());
  s.patterns({.are_own_pending = false,
              .are_sent_pending = false,
              .sent = std::make_shared<const pattern_matches>(found),
              .limit = {}});
  s.topic("foo-2", 9);
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-8}, []") << "what is newer than that is tried, too";
  s.patterns({.are_own_pending = false, .are_sent_pending = true, .sent = {}, .limit = {}});
  auto next = matching({"foo"});
  next.epoch = 1;
  s.app(next);
  EXPECT_EQ(s.join("B"), "error 14");
  EXPECT_EQ(s.state().topology->epoch, 0);
}

TEST_F(patterns, of_a_former_topology_vouch_for_late_commits_and_keep_offsets) {
  s.topic("foo-2", 4).app(matching({"foo.*"})).join("A");
  auto next = matching({"bar.*"});
  next.epoch = 1;
  s.topic("bar", 2).app(next).join("B");
  commit_check late;
  late.member_id = "A";
  late.member_epoch = 2;
  late.partitions = {{"foo-2", 1}};
  s.hb("A", 2);
  EXPECT_FALSE(check_commit(s.state(), late));
  EXPECT_TRUE(live_readers(s.state()).reads("foo-2"));
  EXPECT_TRUE(live_readers(s.state()).reads("bar"));
  EXPECT_FALSE(live_readers(s.state()).reads("goo"));
}

TEST_F(patterns, s8_4_a_restart_resolves_them_again) {
  s.app(matching({"foo.*"})).join("A");
  s.reload();
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  s.topic("foo-2", 5);
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0-3"}), "ep 3, A{0:0-4}, []");
}

}  // namespace
}  // namespace weir::group
