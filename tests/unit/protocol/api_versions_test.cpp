// Spec 05, 3.1 row by row, and the fallback of 1.2.
#include "protocol/api_versions.hpp"

#include <gtest/gtest.h>

#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"

namespace weir::protocol {
namespace {

api_offer sample_offer() {
  return {.apis = {{api::metadata, 0, 13}, {api::api_versions, 0, 5}, {api::streams_group_heartbeat, 0, 1}},
          .supported_features = {{"group.version", 0, 1}, {"metadata.version", 7, 33}},
          .finalized_features = {{"streams.version", 1}},
          .finalized_epoch = 12,
          .cluster_id = "cluster",
          .node_id = 3};
}

api_versions_request valid_request() {
  return {.client_software_name = "apache-kafka-java", .client_software_version = "4.4.0"};
}

/// What a client sees when it sends the request in that version.
api_versions_response ask(const api_versions_request& request, std::int16_t version, std::int16_t answer_version) {
  static bytes answer;  // the texts of the decoded answer are views of it
  const auto frame = encode_request_frame(1, text("c"), request, version);
  answer = answer_api_versions(sample_offer(), open_request(byte_view(frame).subspan(4)).value()).value();
  const auto opened = open_response(byte_view(answer).subspan(4), api::api_versions, answer_version).value();
  EXPECT_TRUE(opened.header.unknown_tags.empty());
  return decode<api_versions_response>(opened.body, answer_version).value();
}

TEST(api_versions_test, spec_05_3_1_every_version_lists_the_key_ranges) {
  for (std::int16_t version = 0; version <= 5; ++version) {
    const auto answer = ask(valid_request(), version, version);
    EXPECT_EQ(answer.error_code, 0);
    ASSERT_EQ(answer.api_keys.size(), 3U) << version;
    EXPECT_EQ(answer.api_keys[2].api_key, 88);
    EXPECT_EQ(answer.api_keys[2].max_version, 1);
  }
}

TEST(api_versions_test, spec_05_3_1_features_from_version_3) {
  EXPECT_TRUE(ask(valid_request(), 2, 2).finalized_features.empty());
  for (std::int16_t version = 3; version <= 5; ++version) {
    const auto answer = ask(valid_request(), version, version);
    ASSERT_EQ(answer.finalized_features.size(), 1U);
    EXPECT_EQ(answer.finalized_features[0].name, "streams.version");
    EXPECT_EQ(answer.finalized_features[0].max_version_level, 1);
    EXPECT_EQ(answer.finalized_features_epoch, 12);
  }
}

TEST(api_versions_test, spec_05_3_1_version_3_leaves_out_features_whose_minimum_is_zero) {
  ASSERT_EQ(ask(valid_request(), 3, 3).supported_features.size(), 1U);
  EXPECT_EQ(ask(valid_request(), 3, 3).supported_features[0].name, "metadata.version");
  EXPECT_EQ(ask(valid_request(), 4, 4).supported_features.size(), 2U);
}

TEST(api_versions_test, spec_05_3_1_a_bad_client_name_is_an_invalid_request_with_no_keys) {
  auto request = valid_request();
  request.client_software_name = "-java";
  for (std::int16_t version = 3; version <= 5; ++version) {
    const auto answer = ask(request, version, version);
    EXPECT_EQ(answer.error_code, code_of(error_code::invalid_request));
    EXPECT_TRUE(answer.api_keys.empty());
  }
  EXPECT_EQ(ask(request, 2, 2).error_code, 0);
}

TEST(api_versions_test, spec_05_3_1_names_are_letters_and_digits_with_dots_and_dashes_between) {
  for (const auto* good : {"a", "7", "apache-kafka-java", "4.4.0", "a.-b", "librdkafka", "2.8.0-RC1"}) {
    EXPECT_TRUE(valid_software_name(good)) << good;
  }
  for (const auto* bad : {"", "-", ".", "a-", ".a", "a b", "a_b", "\xC3\xA4", "a\n", "a/b"}) {
    EXPECT_FALSE(valid_software_name(bad)) << bad;
  }
}

TEST(api_versions_test, spec_05_3_1_cluster_and_node_must_come_together_and_be_ours) {
  const auto code = [](std::optional<text> cluster, std::int32_t node) {
    auto request = valid_request();
    request.cluster_id = std::move(cluster);
    request.node_id = node;
    const auto answer = ask(request, 5, 5);
    EXPECT_EQ(answer.api_keys.empty(), answer.error_code != 0);
    return static_cast<error_code>(answer.error_code);
  };
  EXPECT_EQ(code(std::nullopt, -1), error_code::none);
  EXPECT_EQ(code("cluster", 3), error_code::none);
  EXPECT_EQ(code("cluster", -1), error_code::invalid_request);
  EXPECT_EQ(code(std::nullopt, 3), error_code::invalid_request);
  EXPECT_EQ(code("other", 3), error_code::rebootstrap_required);
  EXPECT_EQ(code("cluster", 4), error_code::rebootstrap_required);
}

TEST(api_versions_test, spec_05_1_2_an_unknown_version_is_answered_in_version_0_with_our_range) {
  const bytes request = {0, 18, 0, 9, 0, 0, 0, 77, 0xFF, 0xFF, 0, 'w', 'h', 'a', 't'};
  const auto answer = answer_api_versions(sample_offer(), open_request(request).value()).value();
  const bytes expected = {0, 0, 0, 16, 0, 0, 0, 77, 0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 5};
  EXPECT_EQ(answer, expected);
}

TEST(api_versions_test, an_undecodable_body_is_an_error) {
  const bytes request = {0, 18, 0, 3, 0, 0, 0, 77, 0xFF, 0xFF, 0, 50, 'x'};
  const auto answer = answer_api_versions(sample_offer(), open_request(request).value());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "ApiVersionsRequest version 3: ends too early at byte 1");
}

TEST(api_versions_test, offers_says_which_versions_are_known) {
  const auto offer = sample_offer();
  EXPECT_TRUE(offers(offer, 88, 0));
  EXPECT_TRUE(offers(offer, 88, 1));
  EXPECT_FALSE(offers(offer, 88, 2));
  EXPECT_FALSE(offers(offer, 88, -1));
  EXPECT_FALSE(offers(offer, 89, 0));
}

}  // namespace
}  // namespace weir::protocol
