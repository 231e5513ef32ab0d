#include "gateway/api_offer.hpp"

#include <gtest/gtest.h>

#include "gateway/gateway.hpp"

namespace weir::gateway {
namespace {

using protocol::api;

protocol::api_versions_response upstream_with(std::vector<protocol::api_versions_response::api_version_data> keys) {
  protocol::api_versions_response upstream;
  upstream.api_keys = std::move(keys);
  return upstream;
}

protocol::api_versions_response::api_version_data range(api key, std::int16_t least, std::int16_t most) {
  protocol::api_versions_response::api_version_data data;
  data.api_key = protocol::key_of(key);
  data.min_version = least;
  data.max_version = most;
  return data;
}

TEST(api_offer, spec_05_8_3_streams_groups_are_offered_whatever_the_upstream_has) {
  const auto offer = offer_from(upstream_with({}));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::streams_group_heartbeat), 1));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::streams_group_describe), 1));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::api_versions), 5));
  EXPECT_EQ(offer.apis.size(), 3U);
}

TEST(api_offer, spec_05_8_3_commits_and_fetches_of_offsets_are_raised_and_data_is_not) {
  const auto offer = offer_from(
      upstream_with({range(api::produce, 0, 9), range(api::offset_commit, 0, 8), range(api::offset_fetch, 0, 7)}));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::offset_commit), 9));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::offset_fetch), 9));
  EXPECT_FALSE(offers(offer, protocol::key_of(api::offset_commit), 10));
  EXPECT_FALSE(offers(offer, protocol::key_of(api::produce), 10));
}

TEST(api_offer, spec_05_8_3_what_nobody_has_checked_is_not_offered) {
  const auto offer = offer_from(upstream_with({range(api::share_fetch, 1, 1), range(api::metadata, 0, 99)}));
  EXPECT_FALSE(offers(offer, protocol::key_of(api::share_fetch), 1));
  EXPECT_TRUE(offers(offer, protocol::key_of(api::metadata), 13));
  EXPECT_FALSE(offers(offer, protocol::key_of(api::metadata), 14));
}

TEST(upstream_cluster, an_upstream_that_may_not_be_served_is_refused_with_the_reason) {
  EXPECT_FALSE(upstream_cluster::check_versions(upstream_with({range(api::metadata, 0, 9)}), false).has_value());
  const auto streams = upstream_with({range(api::metadata, 0, 12), range(api::streams_group_heartbeat, 0, 1)});
  const auto refused = upstream_cluster::check_versions(streams, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("upstream.allow.streams.groups"), std::string::npos);
  EXPECT_TRUE(upstream_cluster::check_versions(streams, true).has_value());
}

TEST(parse_bootstrap, takes_one_address_and_says_what_is_wrong_with_others) {
  const broker_address named{"broker", 9092};
  const broker_address v6{"::1", 9092};
  EXPECT_EQ(parse_bootstrap("broker:9092"), named);
  EXPECT_EQ(parse_bootstrap("[::1]:9092"), v6);
  for (const char* wrong : {"broker", ":9092", "broker:0", "broker:70000", "broker:x", "a:1,b:2", ""}) {
    const auto parsed = parse_bootstrap(wrong);
    ASSERT_FALSE(parsed.has_value()) << wrong;
    EXPECT_NE(parsed.error().message.find("host:port"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::gateway
