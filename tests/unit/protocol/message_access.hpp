// message_access: every generated message behind one interface, so that one test covers all of them.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "base/result.hpp"

namespace weir::protocol::testing {

enum class message_kind { request, response, header, key, value };

struct message_access {
  std::string_view name;
  message_kind kind;
  std::int16_t api_key;
  std::int16_t min_version;
  std::int16_t max_version;

  /// Decodes, gives Kafka's JSON form (records as "").
  result<boost::json::value> (*to_json)(byte_view body, std::int16_t version);
  /// Encodes from that form; fails on records, which it does not hold.
  result<bytes> (*from_json)(const boost::json::value& body, std::int16_t version);
  /// Decodes and encodes again.
  result<bytes> (*recode)(byte_view body, std::int16_t version);
  /// An encoded message with a random value in every field of the version, unknown tags included.
  bytes (*random_body)(seeded_random& random, std::int16_t version);
  /// Decodes body, encodes it, decodes that: are both decoded messages equal? Empty if so or if body cannot be decoded.
  std::string (*check_stable)(byte_view body, std::int16_t version);
  /// Fills a message, encodes and decodes it: is it equal to the first? Empty if so.
  std::string (*check_round_trip)(seeded_random& random, std::int16_t version);
};

/// Every message of the schemas.
std::vector<message_access> all_messages();

}  // namespace weir::protocol::testing
