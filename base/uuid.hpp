// uuid: a Kafka topic or cluster id, 128 bit. Its text is URL-safe base64 without padding of the 16 bytes, big-endian.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "base/result.hpp"

namespace weir {

/// Value type; zero means "no id" (Kafka's ZERO_UUID).
struct uuid {
  std::uint64_t high = 0;  ///< most significant 64 bits
  std::uint64_t low = 0;   ///< least significant 64 bits

  auto operator<=>(const uuid&) const = default;
  [[nodiscard]] bool is_zero() const noexcept { return high == 0 && low == 0; }

  /// 22 characters, as Kafka prints it.
  [[nodiscard]] std::string to_string() const;
  /// The 16 bytes, big-endian.
  [[nodiscard]] std::array<std::uint8_t, 16> bytes() const noexcept;

  static uuid from_bytes(const std::uint8_t* sixteen) noexcept;
  /// Parses to_string()'s form. Error: not 22 characters of the URL-safe alphabet.
  static result<uuid> parse(std::string_view text);
  /// A random (version 4) id that is never zero and whose text never starts with '-', as Kafka avoids too.
  static uuid random(random_source& random);
};

}  // namespace weir
