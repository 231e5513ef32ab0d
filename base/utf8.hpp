// What clients call themselves is any bytes: what we print and serve is UTF-8, and blank is what Java calls blank.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// The text with every byte that is not part of a well-formed UTF-8 sequence replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

/// Empty or nothing but white space, like Java's String.isBlank of the text read as UTF-8: no-break spaces and bytes
/// that are no UTF-8 are not white space.
[[nodiscard]] bool is_blank(std::string_view bytes) noexcept;

}  // namespace weir
