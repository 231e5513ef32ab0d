// UTF-16 as Kafka sees text: lengths, sort orders and hashes of strings count Java's 16-bit units.
#pragma once

#include <string>
#include <string_view>

namespace weir {

[[nodiscard]] bool is_ascii(std::string_view utf8) noexcept;

/// Never fails: each ill-formed part of the input becomes one U+FFFD (spec 02, 7.2).
[[nodiscard]] std::u16string to_utf16(std::string_view utf8);

}  // namespace weir
