// Which values a topic may be given: the verdicts are those of a Kafka 4.4 broker for the same values.
#include "server/topic_configs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::server {
namespace {

using ::testing::HasSubstr;

std::string verdict(const std::string& name, const std::string& value) {
  return check_topic_configs({{name, value}}).value_or("taken");
}

void takes(const std::string& name, const std::vector<std::string>& values) {
  for (const auto& value : values) EXPECT_EQ(verdict(name, value), "taken") << name << " = '" << value << "'";
}

void refuses(const std::string& name, const std::vector<std::string>& values) {
  for (const auto& value : values) EXPECT_NE(verdict(name, value), "taken") << name << " = '" << value << "'";
}

TEST(topic_configs, every_default_is_taken) {
  config_map all;
  for (const auto& key : topic_config_keys()) all.emplace(key.name, key.standard);
  EXPECT_EQ(check_topic_configs(all), std::nullopt);
  EXPECT_TRUE(std::ranges::is_sorted(topic_config_keys(), {}, &topic_config_key::name));
}

TEST(topic_configs, what_kafka_streams_gives_its_internal_topics_is_taken) {
  EXPECT_EQ(check_topic_configs({{"cleanup.policy", "compact,delete"},
                                 {"message.timestamp.type", "CreateTime"},
                                 {"retention.ms", "-1"},
                                 {"segment.bytes", "52428800"}}),
            std::nullopt);
  takes("cleanup.policy", {"delete", "compact"});
  takes("retention.ms", {"86400000"});
}

TEST(topic_configs, a_refusal_names_the_key_the_value_and_what_is_allowed) {
  EXPECT_EQ(verdict("segment.bytes", "14"),
            "Invalid value 14 for configuration segment.bytes: it must be a 32 bit number, at least 1048576.");
  EXPECT_EQ(verdict("compression.lz4.level", "18"),
            "Invalid value 18 for configuration compression.lz4.level: it must be a 32 bit number from 1 to 17.");
  EXPECT_EQ(verdict("retention.bytes", "much"),
            "Invalid value much for configuration retention.bytes: it must be a 64 bit number.");
  EXPECT_EQ(verdict("cleanup.policy", "compact,none"),
            "Invalid value compact,none for configuration cleanup.policy: it must be a list of compact, delete.");
  EXPECT_EQ(verdict("no.such", "1"), "Unknown topic config name: no.such");
  EXPECT_THAT(verdict("preallocate", "yes"), HasSubstr("true or false"));
  EXPECT_LT(verdict("retention.ms", std::string(100'000, '9')).size(), 400U);
  EXPECT_LT(verdict(std::string(100'000, 'n'), "1").size(), 400U);
}

TEST(topic_configs, unknown_names_are_told_first) {
  EXPECT_EQ(check_topic_configs({{"flush.ms", "x"}, {"zzz", "1"}}), "Unknown topic config name: zzz");
}

TEST(topic_configs, numbers_have_the_bounds_of_kafka) {
  takes("retention.ms", {"-1", "0", "9223372036854775807", " 5 ", "+5"});
  refuses("retention.ms", {"-2", "9223372036854775808", "", "1.5", "0x10", "+-5", "5 5"});
  takes("retention.bytes", {"-131073"});
  takes("segment.bytes", {"1048576", "2147483647"});
  refuses("segment.bytes", {"1048575", "2147483648"});
  takes("local.retention.ms", {"-2"});
  refuses("local.retention.ms", {"-3"});
  takes("min.insync.replicas", {"1"});
  refuses("min.insync.replicas", {"0"});
  refuses("segment.ms", {"0"});
  takes("segment.jitter.ms", {"0"});
  refuses("flush.messages", {"0"});
  refuses("segment.index.bytes", {"3"});
  refuses("max.decompressed.message.bytes", {"2147483640"});
  takes("compression.zstd.level", {"-131072", "22"});
  refuses("compression.zstd.level", {"-131073", "23"});
  takes("compression.gzip.level", {"-1", "1", "9"});
  refuses("compression.gzip.level", {"-2", "0", "10"});
  takes("min.cleanable.dirty.ratio", {"0", "1", "0.5", "1e-3", ".5", "+0.5", " 0.5 "});
  refuses("min.cleanable.dirty.ratio", {"-0.1", "1.1", "5.", "inf", "x", ""});
}

TEST(topic_configs, words_and_lists) {
  takes("preallocate", {"true", "TRUE", " False "});
  refuses("preallocate", {"1", "yes", ""});
  takes("remote.storage.enable", {"false"});
  refuses("remote.storage.enable", {"true"});
  takes("compression.type", {"zstd", "producer", " gzip "});
  refuses("compression.type", {"none", "GZIP", ""});
  takes("message.timestamp.type", {"LogAppendTime"});
  refuses("message.timestamp.type", {"createtime", ""});
  takes("cleanup.policy", {"", "delete,delete", " compact , delete "});
  refuses("cleanup.policy", {"none", "DELETE", ",", "compact,", "compact,,delete"});
  takes("leader.replication.throttled.replicas", {"*", "", "0:1", " 0:1 , 1:2 "});
  refuses("follower.replication.throttled.replicas", {"0:x", "none", "*,0:1", "0", ":1", "1:"});
}

TEST(topic_configs, the_compaction_lags_must_fit_each_other) {
  EXPECT_EQ(check_topic_configs({{"min.compaction.lag.ms", "5"}, {"max.compaction.lag.ms", "5"}}), std::nullopt);
  const auto refused = check_topic_configs({{"min.compaction.lag.ms", "10"}, {"max.compaction.lag.ms", "5"}});
  EXPECT_EQ(refused, "Invalid value 10 for configuration min.compaction.lag.ms: max.compaction.lag.ms is 5.");
}

}  // namespace
}  // namespace weir::server
