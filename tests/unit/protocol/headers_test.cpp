// Spec 05, 1.1: which header goes with which API and version.
#include "protocol/headers.hpp"

#include <gtest/gtest.h>

#include "protocol/codec.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/heartbeat_request.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::protocol {
namespace {

/// The table of spec 05, 1.1; 32767 stands for "never". Of 76 there is no version 0 any more.
struct first_flexible {
  std::int16_t key;
  std::int16_t version;
};
constexpr first_flexible spec_table[] = {
    {0, 9},      {1, 12},     {2, 6},  {3, 9},  {8, 8},  {9, 6},  {10, 3}, {11, 6}, {12, 4}, {13, 4}, {14, 4}, {15, 5},
    {16, 3},     {18, 3},     {19, 5}, {20, 4}, {21, 2}, {22, 2}, {23, 4}, {24, 3}, {25, 3}, {26, 3}, {27, 1}, {28, 3},
    {29, 2},     {30, 2},     {31, 2}, {32, 4}, {33, 2}, {34, 2}, {35, 2}, {36, 2}, {37, 2}, {38, 2}, {39, 2}, {40, 2},
    {41, 2},     {42, 2},     {43, 2}, {44, 1}, {45, 0}, {46, 0}, {48, 1}, {49, 1}, {50, 0}, {51, 0}, {55, 0}, {60, 0},
    {17, 32767}, {47, 32767}, {68, 0}, {69, 0}, {74, 0}, {75, 0}, {76, 1}, {88, 0}, {89, 0}, {93, 0}};

TEST(headers_test, flexible_versions_have_the_newer_header) {
  for (const auto& [key, first] : spec_table) {
    const auto* const row = find_api(key);
    ASSERT_NE(row, nullptr) << key;
    EXPECT_EQ(row->flexible_from, first) << row->name;
    if (first == 32767) continue;
    EXPECT_EQ(request_header_version(*row, first), 2) << row->name;
    EXPECT_EQ(request_header_version(*row, static_cast<std::int16_t>(first - 1)), 1) << row->name;
    EXPECT_EQ(response_header_version(*row, first), key == 18 ? 0 : 1) << row->name;
    EXPECT_EQ(response_header_version(*row, static_cast<std::int16_t>(first - 1)), 0) << row->name;
  }
}

TEST(headers_test, the_client_id_has_a_16_bit_length_in_flexible_versions_too) {
  const auto frame = encode_request_frame(7, text("me"), api_versions_request{}, 4);
  const bytes start = {0, 18, 0, 4, 0, 0, 0, 7, 0, 2, 'm', 'e', 0};
  EXPECT_TRUE(std::equal(start.begin(), start.end(), frame.begin() + 4));
}

TEST(headers_test, opens_what_was_encoded) {
  const auto frame = encode_request_frame(-5, std::nullopt, heartbeat_request{.group_id = "g", .member_id = "m"}, 4);
  const auto opened = open_request(byte_view(frame).subspan(4));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->header.request_api_key, 12);
  EXPECT_EQ(opened->header.request_api_version, 4);
  EXPECT_EQ(opened->header.correlation_id, -5);
  EXPECT_EQ(opened->header.client_id, std::nullopt);
  EXPECT_EQ(decode<heartbeat_request>(opened->body, 4).value().member_id, "m");
}

TEST(headers_test, an_unknown_key_is_refused) {
  const auto opened = open_request(bytes{0x03, 0xE7, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "unknown api key 999");
}

TEST(headers_test, every_beginning_of_a_header_is_refused) {
  const auto frame = encode_request_frame(1, text("client"), api_versions_request{}, 3);
  constexpr std::size_t header_bytes = 2 + 2 + 4 + 2 + 6 + 1;
  for (std::size_t size = 0; size < header_bytes; ++size) {
    EXPECT_FALSE(open_request(byte_view(frame).subspan(4, size))) << size;
  }
  EXPECT_TRUE(open_request(byte_view(frame).subspan(4, header_bytes)));
}

TEST(headers_test, an_answer_starts_with_its_length_and_correlation_id) {
  const auto frame = encode_response_frame(9, streams_group_heartbeat_response{}, 1);
  EXPECT_EQ(static_cast<std::size_t>(wire::reader(frame).int32()), frame.size() - 4);
  const auto opened = open_response(byte_view(frame).subspan(4), api::streams_group_heartbeat, 1);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->header.correlation_id, 9);
  EXPECT_EQ(decode<streams_group_heartbeat_response>(opened->body, 1), streams_group_heartbeat_response{});
}

TEST(headers_test, names_of_apis) {
  EXPECT_EQ(api_name(88), "StreamsGroupHeartbeat");
  EXPECT_EQ(api_name(27), "WriteTxnMarkers");
  EXPECT_EQ(api_name(-1), "unknown");
  EXPECT_EQ(api_name(32767), "unknown");
}

}  // namespace
}  // namespace weir::protocol
