// Spec 05, 1.2 and 3.1: what is offered, in every version; what happens to everything else.
#include <gtest/gtest.h>

#include <map>

#include "embedded_fixture.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/api_versions_response.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::server {
namespace {

using protocol::api_versions_request;
using protocol::api_versions_response;
using protocol::error_code;
using testing::number;
using range = std::pair<std::int16_t, std::int16_t>;

class api_versions_test : public testing::embedded_test {
 protected:
  static api_versions_request named() {
    api_versions_request request;
    request.client_software_name = "apache-kafka-java";
    request.client_software_version = "4.4.0";
    return request;
  }
  std::map<std::int16_t, range> offered(std::int16_t version) {
    std::map<std::int16_t, range> out;
    for (const auto& api : call<api_versions_response>(named(), version).api_keys) {
      out[api.api_key] = {api.min_version, api.max_version};
    }
    return out;
  }
};

TEST_F(api_versions_test, s3_1_the_ranges_are_those_of_the_handlers_in_every_version) {
  const std::map<std::int16_t, range> expected{
      {2, {1, 11}}, {3, {0, 13}}, {8, {2, 10}}, {9, {1, 10}}, {10, {0, 6}}, {11, {0, 9}}, {12, {0, 4}}, {13, {0, 5}},
      {14, {0, 5}}, {15, {0, 6}}, {16, {0, 5}}, {17, {0, 1}}, {18, {0, 5}}, {19, {2, 7}}, {20, {1, 6}}, {22, {0, 5}},
      {24, {0, 3}}, {25, {0, 4}}, {26, {0, 5}}, {28, {0, 6}}, {32, {1, 4}}, {36, {0, 2}}, {37, {0, 3}}, {42, {0, 3}},
      {44, {0, 1}}, {47, {0, 0}}, {60, {0, 2}}, {68, {0, 1}}, {69, {0, 1}}, {74, {0, 1}}, {75, {0, 0}}, {76, {1, 1}},
      {77, {1, 1}}, {88, {0, 1}}, {89, {0, 1}}, {93, {0, 0}}};
  for (std::int16_t version = 0; version <= 5; ++version) EXPECT_EQ(offered(version), expected) << version;
}

TEST_F(api_versions_test, s3_1_features_whose_minimum_is_0_are_listed_from_version_4_on) {
  const auto three = call<api_versions_response>(named(), 3);
  EXPECT_TRUE(three.supported_features.empty());
  EXPECT_EQ(three.finalized_features.size(), 1U);
  const auto four = call<api_versions_response>(named(), 4);
  ASSERT_EQ(four.supported_features.size(), 1U);
  EXPECT_EQ(four.supported_features[0].name, "streams.version");
}

TEST_F(api_versions_test, s3_1_a_bad_client_name_gets_42_and_no_keys) {
  auto request = named();
  request.client_software_name = "-bad-";
  const auto answer = call<api_versions_response>(request, 3);
  EXPECT_EQ(answer.error_code, number(error_code::invalid_request));
  EXPECT_TRUE(answer.api_keys.empty());
}

TEST_F(api_versions_test, s3_1_cluster_and_node_must_both_be_right_or_both_absent) {
  auto request = named();
  request.cluster_id = text(topics->cluster_id());
  EXPECT_EQ(call<api_versions_response>(request, 5).error_code, number(error_code::invalid_request));
  request.node_id = 1;
  EXPECT_EQ(call<api_versions_response>(request, 5).error_code, 0);
  request.node_id = 2;
  EXPECT_EQ(call<api_versions_response>(request, 5).error_code, number(error_code::rebootstrap_required));
}

TEST_F(api_versions_test, s1_2_an_unknown_version_of_api_versions_is_answered_in_version_0) {
  auto& c = connection();
  c.send({0, 0, 0, 11, 0, 18, 0, 9, 0, 0, 0, 7, 0xFF, 0xFF, 0});
  const auto answer = c.read<api_versions_response>(0);
  EXPECT_EQ(answer.error_code, number(error_code::unsupported_version));
  ASSERT_EQ(answer.api_keys.size(), 1U);
  EXPECT_EQ(answer.api_keys[0].api_key, 18);
  EXPECT_EQ(answer.api_keys[0].max_version, 5);
  EXPECT_EQ(call<api_versions_response>(named(), 3).error_code, 0) << "the connection stays usable";
}

TEST_F(api_versions_test, s1_2_another_api_of_an_unknown_version_closes) {
  connection().send({0, 0, 0, 11, 0, 88, 0, 2, 0, 0, 0, 7, 0xFF, 0xFF, 0});
  EXPECT_TRUE(connection().closed());
}

TEST_F(api_versions_test, s1_2_an_api_that_is_not_served_closes) {
  connection().send({0, 0, 0, 10, 0, 1, 0, 4, 0, 0, 0, 7, 0xFF, 0xFF});  // Fetch
  EXPECT_TRUE(connection().closed());
}

TEST_F(api_versions_test, s1_2_a_body_that_cannot_be_decoded_closes_only_its_own_connection) {
  testing::client other(server->port());
  connection().send({0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 7, 0xFF, 0xFF, 0, 0, 0, 9});  // Metadata: 9 topics, none there
  EXPECT_TRUE(connection().closed());
  EXPECT_EQ(other.call<api_versions_response>(named(), 3).error_code, 0);
}

}  // namespace
}  // namespace weir::server
