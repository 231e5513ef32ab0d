// How far a group has read: which partitions count, for which task and member, and what is said where a number is
// missing.
#include "group/offsets/input_lag.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

committed_offset at(std::int64_t offset, uuid topic_id = {}) {
  committed_offset committed;
  committed.offset = offset;
  committed.topic_id = topic_id;
  return committed;
}

std::string row(const read_partition& of) {
  const auto text = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string("-"); };
  const auto committed = of.committed ? std::optional(of.committed->offset) : std::nullopt;
  return of.topic + "-" + std::to_string(of.partition) + " " + text(committed) + " of " + text(of.end_offset) +
         ", lag " + text(of.lag) + ", task " + of.subtopology_id + ", " + of.member_id +
         (of.reason.empty() ? "" : ": " + of.reason);
}

std::vector<std::string> rows(const input_lag& lag) {
  std::vector<std::string> out;
  for (const auto& one : lag.partitions) out.push_back(row(one));
  return out;
}

class input_lag_test : public ::testing::Test {
 protected:
  input_lag_test() {
    s.topic("foo", 3).topic("other", 2);
    s.join("A");
    s.split({{"A", "0:0,1"}, {"B", "0:2"}}).join("B");
    s.hb("A", 2, {.own = "0:0,1"});
    s.hb("B", 3);
    told.has_committed = true;
    told.committed["foo"] = {{0, at(70)}, {1, at(120)}, {2, at(5)}};
    told.ends["foo"] = {{0, {100, {}}}, {1, {100, {}}}, {2, {{}, "the upstream says X"}}};
  }
  [[nodiscard]] input_lag lag(std::string_view only_topic = {}) const {
    return lag_of_input(s.state(), s.view().image, told, only_topic);
  }

  scenario s;
  told_offsets told;
};

TEST_F(input_lag_test, is_told_of_every_partition_with_its_task_and_member_and_is_at_least_nothing) {
  const auto all = lag();
  EXPECT_EQ(rows(all), (std::vector<std::string>{"foo-0 70 of 100, lag 30, task 0, A",
                                                 "foo-1 120 of 100, lag 0, task 0, A",
                                                 "foo-2 5 of -, lag -, task 0, B: the upstream says X"}));
  EXPECT_EQ(all.total, (lag_sum{.partitions = 3, .unknown = 1, .lag = 30}));
  EXPECT_EQ(all.by_subtopology.at("0"), all.total);
  EXPECT_EQ(all.left_out, 0U);
}

TEST_F(input_lag_test, partitions_that_no_task_reads_are_there_if_something_is_committed) {
  told.committed["gone"][7] = at(1);
  told.committed["foo"][9] = at(1);
  told.committed["foo"].erase(0);
  const auto all = lag();
  ASSERT_EQ(all.partitions.size(), 5U);
  EXPECT_EQ(row(all.partitions[0]), "foo-0 - of 100, lag -, task 0, A: nothing is committed");
  EXPECT_EQ(row(all.partitions[3]), "foo-9 1 of -, lag -, task , : its end was not asked for");
  EXPECT_EQ(row(all.partitions[4]), "gone-7 1 of -, lag -, task , : its end was not asked for");
  EXPECT_EQ(all.total.partitions, 5U);
  EXPECT_EQ(all.by_subtopology.at("0").partitions, 3U);
}

TEST_F(input_lag_test, of_one_topic) {
  told.committed["gone"][7] = at(1);
  EXPECT_EQ(lag("gone").partitions.size(), 1U);
  EXPECT_EQ(lag("gone").total.partitions, 1U);
  EXPECT_EQ(lag("foo").partitions.size(), 3U);
  EXPECT_TRUE(lag("other").partitions.empty());
}

TEST_F(input_lag_test, says_the_problem_where_nothing_could_be_asked) {
  told = {};
  told.problem = "the upstream is not reachable";
  const auto all = lag();
  EXPECT_EQ(row(all.partitions[0]), "foo-0 - of -, lag -, task 0, A: the upstream is not reachable");
  told.has_committed = true;
  told.committed["foo"][0] = at(3);
  EXPECT_EQ(row(lag().partitions[0]), "foo-0 3 of -, lag -, task 0, A: the upstream is not reachable");
  EXPECT_EQ(row(lag().partitions[1]), "foo-1 - of -, lag -, task 0, A: nothing is committed");
}

TEST_F(input_lag_test, a_task_that_is_to_be_revoked_is_still_run_by_who_has_it) {
  s.split({{"A", "0:0"}, {"B", "0:1,2"}}).hb("B", 3, {.rack = "r1"});
  s.hb("A", 3);
  ASSERT_EQ(s.member("A"), "UNREVOKED 3/3 A{0:0} pending A{0:1}");
  EXPECT_EQ(lag().partitions[1].member_id, "A");
}

TEST_F(input_lag_test, of_more_partitions_than_fit_the_rest_is_counted) {
  s.topic("foo", static_cast<int>(lag_partitions_max) + 3);
  const auto all = lag();
  EXPECT_EQ(all.partitions.size(), lag_partitions_max);
  EXPECT_EQ(all.left_out, 3U);
}

TEST_F(input_lag_test, of_topics_that_a_pattern_matches) {
  scenario patterns(false);
  auto app = reading({});
  app.subtopologies[0].source_topic_regex = {"in-.*"};
  patterns.topic("in-a", 2).topic("in-b", 1).app(app).join("A");
  EXPECT_EQ(topics_read(patterns.state()), (std::set<std::string, std::less<>>{"in-a", "in-b"}));
}

TEST_F(input_lag_test, during_an_update_members_are_named_by_what_their_own_topology_reads) {
  scenario update(false);
  update.topic("bar", 2).topic("foo", 2);
  auto old = reading({"foo"});
  auto next = reading({"bar"});
  old.epoch = 0;
  next.epoch = 1;
  update.app(old).join("A");
  update.app(next).join("B");
  ASSERT_EQ(update.state().topology->epoch, 1);
  ASSERT_EQ(update.member("A"), "STABLE 2/0 A{0:0,1}");
  EXPECT_EQ(topics_read(update.state()), (std::set<std::string, std::less<>>{"bar", "foo"}));
  const auto& image = update.view().image;
  EXPECT_EQ(rows(lag_of_input(update.state(), image, own_offsets(update.state(), image, 0), {})),
            (std::vector<std::string>{"bar-0 - of 0, lag -, task 0, : nothing is committed",
                                      "bar-1 - of 0, lag -, task 0, : nothing is committed",
                                      "foo-0 - of 0, lag -, task 0, A: nothing is committed",
                                      "foo-1 - of 0, lag -, task 0, A: nothing is committed"}))
      << "0 of the old topology is not 0 of the new one";
}

TEST_F(input_lag_test, own_offsets_are_those_of_topics_that_are_there_and_each_partition_ends_at_0) {
  const auto& image = s.view().image;
  const auto id = image.find("foo")->id;
  s.store(offset_record{"foo", 0, at(4, id)});
  s.store(offset_record{"foo", 1, at(5, uuid{9, 9})});
  s.store(offset_record{"other", 1, at(6)});
  s.store(offset_record{"gone", 0, at(7)});
  const auto own = own_offsets(s.state(), image, 77);
  EXPECT_EQ(own.at_ms, 77);
  EXPECT_EQ(rows(lag_of_input(s.state(), image, own, {})),
            (std::vector<std::string>{"foo-0 4 of 0, lag 0, task 0, A",
                                      "foo-1 - of 0, lag -, task 0, A: nothing is committed",
                                      "foo-2 - of 0, lag -, task 0, B: nothing is committed",
                                      "other-1 6 of 0, lag 0, task , "}));
}

TEST(input_lag_of_nothing, is_empty) {
  EXPECT_TRUE(topics_read(streams_group()).empty());
  EXPECT_TRUE(lag_of_input(streams_group(), metadata::image(), own_offsets({}, {}, 0), {}).partitions.empty());
}

}  // namespace
}  // namespace weir::group
