// Equality, derived sets and visiting order of topologies (spec 02, 1, 2 and 4).
#include <gmock/gmock.h>

#include <algorithm>

#include "group/topology/topology.hpp"
#include "tests/unit/group/topology/topology_fixtures.hpp"

namespace weir::group {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Two joined inputs, a repartition topic, a changelog with configs.
topology application() {
  subtopology first = reader("0", {"a", "b"});
  first.repartition_sink_topics = {"r", "s"};
  first.copartition_groups = {{{0, 1}, {}, {}}};
  subtopology second = reader("1", {"c", "d"});
  second.repartition_source_topics = {flexible("r"), fixed("s", 3)};
  second.state_changelog_topics = {{"log-1", 0, 1, {{"x", "1"}, {"y", "2"}}}, flexible("log-2")};
  second.copartition_groups = {{{0}, {}, {0}}, {{1}, {}, {1}}};
  return {0, {first, second}};
}

TEST(topology, is_equivalent_whatever_the_order_of_its_parts) {  // section 1, Rule
  auto sent = application();
  auto other = sent;
  auto& second = other.subtopologies[1];
  std::ranges::reverse(second.source_topics);
  std::ranges::reverse(second.repartition_source_topics);
  std::ranges::reverse(second.state_changelog_topics);
  std::ranges::reverse(second.state_changelog_topics[1].configs);
  second.copartition_groups = {{{0}, {}, {0}}, {{1}, {}, {1}}, {{1}, {}, {1}}};  // d with s, c with r, once more
  std::ranges::reverse(other.subtopologies[0].source_topics);
  std::ranges::reverse(other.subtopologies[0].repartition_sink_topics);
  std::ranges::reverse(other.subtopologies);
  EXPECT_NE(sent, other);
  EXPECT_TRUE(equivalent(sent, other));
  EXPECT_TRUE(equivalent(other, sent));
}

TEST(topology, is_equal_by_id_only_in_the_order_it_was_sent) {  // spec 01, 4.2
  const auto sent = application();
  auto other = sent;
  std::ranges::reverse(other.subtopologies);
  EXPECT_TRUE(equal_by_id(sent, other));
  auto expect_different = [&](auto change) {
    auto changed = sent;
    change(changed);
    EXPECT_FALSE(equal_by_id(sent, changed));
    EXPECT_TRUE(equivalent(sent, changed));
  };
  expect_different([](topology& t) { std::ranges::reverse(t.subtopologies[0].source_topics); });
  expect_different([](topology& t) { std::ranges::reverse(t.subtopologies[0].repartition_sink_topics); });
  expect_different([](topology& t) { std::ranges::reverse(t.subtopologies[1].state_changelog_topics); });
  expect_different([](topology& t) { std::ranges::reverse(t.subtopologies[1].state_changelog_topics[0].configs); });
  expect_different([](topology& t) { std::ranges::reverse(t.subtopologies[1].copartition_groups); });
}

TEST(topology, is_not_equivalent_if_anything_else_differs) {
  const auto sent = application();
  auto expect_different = [&](auto change) {
    auto other = sent;
    change(other);
    EXPECT_FALSE(equivalent(sent, other));
    EXPECT_FALSE(equivalent(other, sent));
  };
  expect_different([](topology& t) { t.epoch = 1; });
  expect_different([](topology& t) { t.subtopologies.pop_back(); });
  expect_different([](topology& t) { t.subtopologies[0].id = "2"; });
  expect_different([](topology& t) { t.subtopologies[0].source_topics[0] = "z"; });
  expect_different([](topology& t) { t.subtopologies[0].source_topic_regex = {"z.*"}; });
  expect_different([](topology& t) { t.subtopologies[0].repartition_sink_topics.pop_back(); });
  expect_different([](topology& t) { t.subtopologies[0].copartition_groups.clear(); });
  expect_different([](topology& t) { t.subtopologies[1].copartition_groups[0].source_topics = {1}; });
  expect_different([](topology& t) { t.subtopologies[1].repartition_source_topics[0].partitions = 9; });
  expect_different([](topology& t) { t.subtopologies[1].state_changelog_topics[0].replication_factor = 3; });
  expect_different([](topology& t) { t.subtopologies[1].state_changelog_topics[0].configs[0].second = "3"; });
}

TEST(topology, requires_what_it_reads_and_its_changelogs_but_not_its_sinks) {  // section 2
  auto sent = application();
  sent.subtopologies[0].repartition_sink_topics = {"nobody"};
  EXPECT_THAT(required_topics(sent), ElementsAre("a", "b", "c", "d", "log-1", "log-2", "r", "s"));
  EXPECT_THAT(all_topics(sent), ElementsAre("a", "b", "c", "d", "log-1", "log-2", "nobody", "r", "s"));
}

TEST(topology, knows_who_reads_a_topic) {  // section 2, offset topics
  EXPECT_THAT(offset_topics(application()), ElementsAre(Pair("a", "0"), Pair("b", "0"), Pair("c", "1"), Pair("d", "1"),
                                                        Pair("r", "1"), Pair("s", "1")));
}

TEST(topology, of_two_readers_the_one_visited_last_counts) {
  topology shared{0, {reader("1", {"in"}), reader("0", {"in"})}};
  EXPECT_THAT(offset_topics(shared), ElementsAre(Pair("in", "1")));
}

TEST(topology, a_subtopology_with_changelogs_is_stateful) {
  auto sent = application();
  EXPECT_FALSE(sent.subtopologies[0].is_stateful());
  EXPECT_TRUE(sent.subtopologies[1].is_stateful());
}

std::vector<std::string> visited(const std::vector<std::string>& ids) {
  topology sent;
  for (const auto& id : ids) sent.subtopologies.push_back(reader(id, {}));
  std::vector<std::string> order;
  for (const auto* part : in_visiting_order(sent)) order.push_back(part->id);
  return order;
}

std::vector<std::string> numbers_in_text_order(int count) {
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) ids.push_back(std::to_string(i));
  std::ranges::sort(ids);
  return ids;
}

TEST(topology, is_visited_in_the_order_of_a_java_hash_map) {  // section 4
  EXPECT_THAT(visited(numbers_in_text_order(11)), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(visited(numbers_in_text_order(12)),
              ElementsAre("0", "11", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(visited(numbers_in_text_order(14)),
              ElementsAre("11", "12", "13", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(visited({"2", "0", "1"}), ElementsAre("0", "1", "2"));
}

TEST(topology, ids_of_one_bucket_are_visited_in_request_order) {
  EXPECT_THAT(visited({"Aa", "BB"}), ElementsAre("Aa", "BB"));  // both hash to 2112
  EXPECT_THAT(visited({"BB", "Aa"}), ElementsAre("BB", "Aa"));
}

}  // namespace
}  // namespace weir::group
