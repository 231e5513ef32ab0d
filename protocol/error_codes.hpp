// Kafka's error codes: names, which ones a client may retry, and the error a room that answers Kafka clients returns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "protocol/messages/error_code_list.hpp"

namespace weir::protocol {

/// Kafka's name, as in UNKNOWN_MEMBER_ID; "UNKNOWN_ERROR_CODE" for a number that Kafka 4.4 does not know.
[[nodiscard]] std::string_view name(error_code code) noexcept;
/// May a client repeat the request unchanged? False for unknown numbers.
[[nodiscard]] bool retriable(error_code code) noexcept;
/// The number on the wire.
[[nodiscard]] constexpr std::int16_t code_of(error_code code) noexcept { return static_cast<std::int16_t>(code); }

/// What a Kafka client is told. The message may be empty: then the answer carries none.
struct kafka_error {
  error_code code = error_code::unknown_server_error;
  std::string message;

  bool operator==(const kafka_error&) const = default;
};

/// A T, or what the client is told instead.
template <class T>
using kafka_result = tl::expected<T, kafka_error>;

/// Builds the error side of a kafka_result.
inline tl::unexpected<kafka_error> refuse(error_code code, std::string message = {}) {
  return tl::unexpected<kafka_error>(kafka_error{code, std::move(message)});
}

}  // namespace weir::protocol
