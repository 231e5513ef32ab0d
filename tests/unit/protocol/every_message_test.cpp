// Every message in every version, filled from a seed: round trips, truncated, extended, damaged.
#include <gtest/gtest.h>

#include "tests/unit/protocol/encodings.hpp"
#include "tests/unit/protocol/message_access.hpp"

namespace weir::protocol::testing {
namespace {

constexpr std::uint64_t seed = 20260829;

/// Runs check(message, version, random) for every message and version.
template <class Check>
void for_every_version(Check&& check) {
  for (const auto& message : all_messages()) {
    for (auto version = message.min_version; version <= message.max_version; ++version) {
      SCOPED_TRACE(std::string(message.name) + " version " + std::to_string(version));
      seeded_random random(seed + static_cast<std::uint64_t>(version));
      check(message, version, random);
    }
  }
}

TEST(every_message_test, decodes_to_what_was_encoded) {
  std::size_t messages = 0;
  for_every_version([&](const message_access& message, std::int16_t version, seeded_random& random) {
    ++messages;
    for (int i = 0; i < 20; ++i) ASSERT_EQ(message.check_round_trip(random, version), "");
  });
  EXPECT_GT(messages, 400U);
}

TEST(every_message_test, no_beginning_of_a_message_is_a_message) {
  for_every_version([](const message_access& message, std::int16_t version, seeded_random& random) {
    const auto body = message.random_body(random, version);
    const auto step = 1 + body.size() / 500;
    for (std::size_t size = 0; size < body.size(); size += step) {
      ASSERT_FALSE(message.recode(byte_view(body).first(size), version)) << size << " of " << to_hex(body);
    }
  });
}

TEST(every_message_test, bytes_left_over_are_refused) {
  for_every_version([](const message_access& message, std::int16_t version, seeded_random& random) {
    auto body = message.random_body(random, version);
    body.push_back(0);
    const auto decoded = message.recode(body, version);
    ASSERT_FALSE(decoded);
    ASSERT_NE(decoded.error().message.find("bytes left over"), std::string::npos) << decoded.error().message;
  });
}

TEST(every_message_test, damaged_bytes_are_refused_or_decode_to_something_stable) {
  for_every_version([](const message_access& message, std::int16_t version, seeded_random& random) {
    const auto body = message.random_body(random, version);
    for (int i = 0; i < 20 && !body.empty(); ++i) {
      auto damaged = body;
      damaged[random.next() % damaged.size()] = static_cast<std::uint8_t>(random.next());
      ASSERT_EQ(message.check_stable(damaged, version), "") << to_hex(damaged);
    }
  });
}

TEST(every_message_test, versions_outside_the_schema_are_refused) {
  for (const auto& message : all_messages()) {
    EXPECT_FALSE(message.recode({}, static_cast<std::int16_t>(message.min_version - 1))) << message.name;
    EXPECT_FALSE(message.recode({}, static_cast<std::int16_t>(message.max_version + 1))) << message.name;
  }
}

}  // namespace
}  // namespace weir::protocol::testing
