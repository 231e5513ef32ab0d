// What is refused whatever topics exist (spec 01, F3, F4, V1, V11; spec 02, 4.2).
#include <gtest/gtest.h>

#include "group/topology/validate.hpp"
#include "tests/unit/group/topology/topology_fixtures.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

topology one(subtopology part) { return {0, {std::move(part)}}; }

subtopology with_sink(std::string name) {
  auto part = reader("0", {"in"});
  part.repartition_sink_topics = {std::move(name)};
  return part;
}

subtopology with_changelog(topic_info info) {
  auto part = reader("0", {"in"});
  part.state_changelog_topics = {std::move(info)};
  return part;
}

subtopology with_repartition_source(topic_info info) {
  auto part = reader("0", {"in"});
  part.repartition_source_topics = {std::move(info)};
  return part;
}

TEST(validate, f3_kafkas_own_topics_are_refused_wherever_they_are_named) {
  for (const char* name : {"__consumer_offsets", "__transaction_state", "__share_group_state"}) {
    for (const auto& part : {reader("0", {name}), with_sink(name), with_changelog(flexible(name)),
                             with_repartition_source(flexible(name))}) {
      auto refused = check_internal_topics(one(part));
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->code, error_code::streams_invalid_topology);
      EXPECT_NE(refused->message.find(name), std::string::npos);
    }
  }
  EXPECT_FALSE(check_internal_topics(one(reader("0", {"__my_topic"}))));
}

TEST(validate, f4_names_follow_kafkas_rules) {
  EXPECT_TRUE(is_legal_topic_name("a"));
  EXPECT_TRUE(is_legal_topic_name("AZaz09._-"));
  EXPECT_TRUE(is_legal_topic_name("..."));
  EXPECT_TRUE(is_legal_topic_name(std::string(249, 'x')));
  for (const auto& name : {std::string(), std::string("."), std::string(".."), std::string(250, 'x'),
                           std::string("a b"), std::string("a/b"), std::string("\xC3\xA9"), std::string(1, '\0')}) {
    EXPECT_FALSE(is_legal_topic_name(name)) << name;
    for (const auto& part : {reader("0", {name}), with_sink(name), with_changelog(flexible(name)),
                             with_repartition_source(flexible(name))}) {
      auto refused = check_topic_names(one(part));
      ASSERT_TRUE(refused) << name;
      EXPECT_EQ(refused->code, error_code::streams_invalid_topology);
    }
  }
  EXPECT_FALSE(check_topic_names(one(with_sink("r"))));
}

TEST(validate, v1_regular_expressions_are_refused) {
  auto part = reader("0", {"in"});
  EXPECT_FALSE(check_source_regex(one(part)));
  part.source_topic_regex = {"in.*"};
  EXPECT_EQ(check_source_regex(one(part))->code, error_code::invalid_request);
}

TEST(validate, v11_a_changelog_must_not_fix_its_count) {
  EXPECT_FALSE(check_changelog_partitions(one(with_changelog(flexible("c")))));
  EXPECT_FALSE(check_changelog_partitions(one(with_repartition_source(fixed("r", 4)))));
  for (std::int32_t count : {4, -1}) {
    EXPECT_EQ(check_changelog_partitions(one(with_changelog(fixed("c", count))))->code,
              error_code::streams_invalid_topology);
  }
}

TEST(validate, malformed_topologies_are_invalid_and_an_unknown_error_in_strict_mode) {  // X8
  topology twice{0, {reader("0", {"in"}), reader("0", {"in"})}};
  auto bad_index = reader("0", {"in"});
  bad_index.copartition_groups = {{{0, 1}, {}, {}}};
  auto negative_index = reader("0", {"in"});
  negative_index.copartition_groups = {{{}, {}, {-1}}};
  auto repeated_topic = reader("0", {"in"});
  repeated_topic.state_changelog_topics = {flexible("c"), flexible("c")};
  std::vector<topology> malformed{
      twice, one(bad_index), one(negative_index), one(repeated_topic),
      one(with_changelog({"c", 0, 0, {{"k", "1"}, {"k", "2"}}})), one(with_repartition_source(fixed("r", -5)))};
  for (const auto& sent : malformed) {
    auto refused = check_structure(sent, false);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, error_code::streams_invalid_topology) << refused->message;
    EXPECT_EQ(check_structure(sent, true)->code, error_code::unknown_server_error);
  }
}

}  // namespace
}  // namespace weir::group
