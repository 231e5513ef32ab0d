// Configuring a topology: every scenario recorded from Kafka 4.4.0 (golden/topology-config.json, labels c01..c52), and
// where we do better unless strict.kafka is set (spec 02, 4.3).
#include <gmock/gmock.h>
#include <simdjson.h>

#include "group/topology/configure.hpp"
#include "tests/unit/group/topology/topology_fixtures.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using testing::HasSubstr;

constexpr configure_options strict{.strict_kafka = true};

// ---- reading the golden file ----

using json = simdjson::dom::element;

std::string text_of(json element) { return std::string(std::string_view(element)); }

std::vector<std::string> texts(json array) {
  std::vector<std::string> read;
  for (auto element : array.get_array()) read.push_back(text_of(element));
  return read;
}

topic_configs read_configs(json object) {
  topic_configs configs;
  for (auto [key, value] : object.get_object()) configs.emplace_back(std::string(key), text_of(value));
  return configs;
}

std::vector<topic_info> read_infos(json array) {
  std::vector<topic_info> infos;
  for (auto info : array.get_array()) {
    infos.push_back({text_of(info["name"]), static_cast<std::int32_t>(std::int64_t(info["partitions"])),
                     static_cast<std::int16_t>(std::int64_t(info["replicationFactor"])),
                     read_configs(info["topicConfigs"])});
  }
  return infos;
}

std::vector<std::int16_t> read_indexes(json array) {
  std::vector<std::int16_t> indexes;
  for (auto index : array.get_array()) indexes.push_back(static_cast<std::int16_t>(std::int64_t(index)));
  return indexes;
}

topology read_topology(json scenario) {
  topology read;
  for (auto sent : scenario["subtopologies"].get_array()) {
    auto& part = read.subtopologies.emplace_back();
    part.id = text_of(sent["subtopologyId"]);
    part.source_topics = texts(sent["sourceTopics"]);
    part.repartition_sink_topics = texts(sent["repartitionSinkTopics"]);
    part.repartition_source_topics = read_infos(sent["repartitionSourceTopics"]);
    part.state_changelog_topics = read_infos(sent["stateChangelogTopics"]);
    for (auto group : sent["copartitionGroups"].get_array()) {
      part.copartition_groups.push_back(
          {read_indexes(group["sourceTopics"]), {}, read_indexes(group["repartitionSourceTopics"])});
    }
  }
  return read;
}

metadata::image_ptr read_image(json scenario) {
  topic_counts counts;
  for (auto [name, count] : scenario["existingTopics"].get_object()) {
    counts.emplace_back(std::string(name), static_cast<std::int32_t>(std::int64_t(count)));
  }
  return image_of(counts);
}

struct scenario {
  group::topology topology;
  metadata::image_ptr image;
  json result;
};

std::map<std::string, scenario> golden() {
  static simdjson::dom::parser parser;
  auto file = parser.load(WEIR_SOURCE_DIR "/tests/conformance/golden/topology-config.json");
  std::map<std::string, scenario> read;
  for (json entry : file["scenarios"].get_array()) {
    read.emplace(text_of(entry["label"]), scenario{read_topology(entry), read_image(entry), entry["result"]});
  }
  return read;
}

tl::expected<configured_topology, refusal> run(const scenario& given, const configure_options& options) {
  return configure(given.topology, *given.image, 42, options);
}

tl::expected<configured_topology, refusal> run(const std::string& label, const configure_options& options) {
  return run(golden().at(label), options);
}

// ---- comparing ----

using counts_of = std::map<std::string, std::int32_t>;

counts_of read_counts(json object) {
  counts_of counts;
  for (auto [name, count] : object.get_object()) {
    counts.emplace(std::string(name), static_cast<std::int32_t>(std::int64_t(count)));
  }
  return counts;
}

counts_of counts(const std::map<std::string, internal_topic, std::less<>>& topics) {
  counts_of found;
  for (const auto& [name, topic] : topics) found.emplace(name, topic.partitions);
  return found;
}

void compare_parts(const configured_topology& made, json result) {
  simdjson::dom::object expected;
  bool present = result["configured"].get(expected) == simdjson::SUCCESS;
  ASSERT_EQ(made.subtopologies.has_value(), present);
  if (!present) return;
  EXPECT_EQ(made.subtopologies->size(), expected.size());
  for (auto [key, part] : expected) {
    auto found = made.subtopologies->find(key);
    ASSERT_NE(found, made.subtopologies->end()) << key;
    EXPECT_EQ(found->second.tasks, std::int64_t(part["tasks"])) << key;
    EXPECT_EQ(counts(found->second.repartition_sources), read_counts(part["repartitionSource"])) << key;
    EXPECT_EQ(counts(found->second.changelogs), read_counts(part["changelog"])) << key;
  }
}

void compare_topics_to_create(const configured_topology& made, json result) {
  std::map<std::string, internal_topic, std::less<>> expected;
  for (auto topic : result["topicsToCreate"].get_array()) {
    expected.emplace(text_of(topic["name"]),
                     internal_topic{static_cast<std::int32_t>(std::int64_t(topic["partitions"])),
                                    static_cast<std::int16_t>(std::int64_t(topic["replicationFactor"])),
                                    read_configs(topic["configs"])});
  }
  auto found = made.topics_to_create;
  for (auto* topics : {&expected, &found}) {
    for (auto& [name, topic] : *topics) std::ranges::sort(topic.configs);  // given as a set
  }
  EXPECT_EQ(found, expected);
}

void compare(const tl::expected<configured_topology, refusal>& made, json result) {
  if (std::int64_t code = 0; result["errorCode"].get(code) == simdjson::SUCCESS) {
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(protocol::code_of(made.error().code), code);
    EXPECT_NE(made.error().message, "");
    return;
  }
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->metadata_hash, 42);
  EXPECT_EQ(made->ready(), bool(result["ready"]));
  std::int64_t status = 0;
  bool not_ready = result["statusCode"].get(status) == simdjson::SUCCESS;
  EXPECT_EQ(made->problem.has_value(), not_ready);
  EXPECT_EQ(made->problem ? made->problem->status : 0, status);
  compare_parts(*made, result);
  compare_topics_to_create(*made, result);
}

TEST(configure, equals_every_scenario_of_kafka_in_strict_mode) {
  auto scenarios = golden();
  EXPECT_EQ(scenarios.size(), 52U);
  for (const auto& [label, given] : scenarios) {
    SCOPED_TRACE(label);
    compare(run(given, strict), given.result);
  }
}

TEST(configure, differs_from_kafka_by_default_only_where_a_rule_says_so) {
  const std::set<std::string> improved{"c36", "c37", "c41"};
  for (const auto& [label, given] : golden()) {
    SCOPED_TRACE(label);
    if (!improved.contains(label)) compare(run(given, {}), given.result);
  }
}

// ---- the Rules ----

TEST(configure, c36_and_c37_malformed_topologies_are_invalid_not_unknown_errors) {
  for (const char* label : {"c36", "c37"}) {
    EXPECT_EQ(run(label, {}).error().code, error_code::streams_invalid_topology) << label;
  }
}

TEST(configure, c41_a_source_reused_as_changelog_may_be_smaller_than_another_source) {
  auto made = run("c41", {});
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->ready());
  EXPECT_EQ(made->subtopologies->at("0").tasks, 6);
}

TEST(configure, c41_a_changelog_of_its_own_is_still_compared) {
  auto part = reader("0", {"in", "other"});
  part.state_changelog_topics = {flexible("in"), flexible("log")};
  auto made = configure({0, {part}}, *image_of({{"in", 4}, {"other", 6}, {"log", 4}}), 0, {});
  ASSERT_TRUE(made->problem);
  EXPECT_EQ(made->problem->status, topology_status::incorrectly_partitioned_topics);
  EXPECT_THAT(made->problem->detail, HasSubstr("log (4 instead of 6)"));
}

TEST(configure, c23_and_c24_unrelated_fixed_topics_do_not_matter_with_the_scope_of_the_group) {
  constexpr configure_options own{.scope = copartition_scope::group};
  for (const char* label : {"c23", "c24"}) {
    auto made = run(label, own);
    ASSERT_TRUE(made->subtopologies) << label;
    EXPECT_EQ(counts(made->subtopologies->at("2").repartition_sources), (counts_of{{"r1", 5}, {"r2", 5}})) << label;
  }
  auto fixed_member = run("c21", own);
  EXPECT_EQ(counts(fixed_member->subtopologies->at("2").repartition_sources), (counts_of{{"r1", 2}, {"r2", 2}}));
}

// ---- details and odds ----

TEST(configure, details_name_three_topics_and_how_many_more) {
  EXPECT_THAT(run("c03", {})->problem->detail, HasSubstr("v, w, x and 2 more"));
  EXPECT_THAT(run("c43", {})->problem->detail, HasSubstr("c1, c2, c3 and 2 more"));
  EXPECT_THAT(run("c15", {})->problem->detail, HasSubstr("a (4), b (6)"));
  EXPECT_THAT(run("c06", {})->problem->detail, HasSubstr("app-store-changelog (3 instead of 4)"));
}

TEST(configure, keeps_what_describe_and_the_assignor_need) {
  topology sent{7, {reader("0", {"in"}), {}}};
  sent.subtopologies[0].repartition_sink_topics = {"r"};
  sent.subtopologies[1].id = "1";
  sent.subtopologies[1].repartition_source_topics = {{"r", 0, 0, {{"k", "v"}}}};
  sent.subtopologies[1].state_changelog_topics = {{"c", 0, 3, {}}};
  auto made = configure(sent, *image_of({{"in", 2}}), 99, {});
  EXPECT_EQ(made->topology_epoch, 7);
  EXPECT_EQ(made->metadata_hash, 99);
  const auto& parts = *made->subtopologies;
  EXPECT_EQ(parts.at("0").source_topics, std::vector<std::string>{"in"});
  EXPECT_EQ(parts.at("0").sink_topics, std::vector<std::string>{"r"});
  EXPECT_FALSE(parts.at("0").stateful());
  EXPECT_TRUE(parts.at("1").stateful());
  EXPECT_EQ(parts.at("1").repartition_sources.at("r"), (internal_topic{2, 0, {{"k", "v"}}}));
  EXPECT_EQ(made->topics_to_create.at("r"), (internal_topic{2, -1, {{"k", "v"}}}));
  EXPECT_EQ(made->topics_to_create.at("c"), (internal_topic{2, 3, {}}));
}

TEST(configure, a_copartition_group_without_a_count_is_invalid) {  // 4.1 step 3: N = 0
  auto first = reader("0", {"empty"});
  first.repartition_sink_topics = {"r"};
  subtopology second;
  second.id = "1";
  second.repartition_source_topics = {flexible("r")};
  second.copartition_groups = {{{}, {}, {0}}};
  auto made = configure({0, {first, second}}, *image_of({{"empty", 0}}), 0, {});
  EXPECT_EQ(made.error().code, error_code::streams_invalid_topology);
}

}  // namespace
}  // namespace weir::group
