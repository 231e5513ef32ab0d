// Topology files of `weir simulate`, in TOML and JSON.
#include "cli/sim_topology.hpp"

#include <gmock/gmock.h>

#include "cli/output.hpp"
#include "cli/toml_reader.hpp"
#include "http/json_reader.hpp"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view join_toml = R"(
topics = [{name = "orders", partitions = 6}, "customers"]
[[subtopologies]]
sources = ["orders", "customers"]
repartition_sinks = ["by-city"]
copartition = [["customers", "orders"]]
[[subtopologies]]
id = "city"
repartition_sources = [{name = "by-city", partitions = 3}]
changelogs = ["city-changelog"]
)";

TEST(sim_topology, is_read_from_toml) {
  const auto made = http::read_topology_body(*read_toml(join_toml));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->topics[0].partitions, 6);
  EXPECT_EQ(made->topics[1].partitions, 4);
  EXPECT_EQ(made->subtopologies[0].id, "0");
  EXPECT_EQ(made->subtopologies[1].repartition_sources[0].partitions, 3);
}

TEST(sim_topology, is_read_from_json) {
  const auto made = http::read_topology_body(*http::parse_json(R"({"subtopologies":[{"sources":["a"]}]})"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->subtopologies[0].sources[0], "a");
  ASSERT_EQ(made->topics.size(), 1U) << "a source is created although nothing is said about it";
  EXPECT_EQ(made->topics[0].name, "a");
  EXPECT_EQ(made->topics[0].partitions, 4);
}

TEST(sim_topology, goes_over_the_wire_with_indexes_for_copartition_groups) {
  const auto made = http::read_topology_body(*read_toml(join_toml));
  const auto wire = to_wire(*made);
  EXPECT_EQ(wire.epoch, 0);
  EXPECT_EQ(wire.subtopologies[0].copartition_groups[0].source_topics, (std::vector<std::int16_t>{1, 0}));
  EXPECT_EQ(wire.subtopologies[1].repartition_source_topics[0].name, "by-city");
  EXPECT_EQ(wire.subtopologies[1].state_changelog_topics[0].partitions, 0);
}

TEST(sim_topology, patterns_of_sources_can_be_copartitioned) {
  const auto made = http::read_topology_body(*http::parse_json(
      R"({"subtopologies":[{"sources":["a"],"source_patterns":["b.*"],"copartition":[["a","b.*"]]}]})"));
  ASSERT_TRUE(made) << made.error().message;
  const auto wire = to_wire(*made);
  EXPECT_EQ(wire.subtopologies[0].source_topic_regex[0], "b.*");
  EXPECT_EQ(wire.subtopologies[0].copartition_groups[0].source_topics, std::vector<std::int16_t>{0});
  EXPECT_EQ(wire.subtopologies[0].copartition_groups[0].source_topic_regex, std::vector<std::int16_t>{0});
  EXPECT_EQ(made->topics.size(), 1U) << "a pattern is no topic to create";
}

TEST(sim_topology, mistakes_are_named_with_their_place) {
  const auto made =
      http::read_topology_body(*http::parse_json(R"({"subtopologies":[{"source":["a"]},{"changelogs":"x"}]})"));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("'subtopologies[0].source' is not known here"));
  EXPECT_THAT(made.error().message, HasSubstr("'subtopologies[1].changelogs' must be a list, not a string"));
  EXPECT_FALSE(http::read_topology_body(*http::parse_json("{}")));
  EXPECT_FALSE(read_topology("/nowhere/topology.toml"));
}

TEST(table, columns_are_as_wide_as_their_widest_cell) {
  table out({"A", "LONG"});
  out.add({"word", ""});
  EXPECT_EQ(out.text(), "A     LONG\nword  -\n");
}

}  // namespace
}  // namespace weir::cli
