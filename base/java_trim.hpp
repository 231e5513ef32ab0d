// What Kafka's servers take for space around a text.
#pragma once

#include <string_view>

namespace weir {

/// `String.trim()`: without the control characters and spaces at both ends. A view of the same bytes.
[[nodiscard]] constexpr std::string_view java_trim(std::string_view text) noexcept {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Nothing that trim() leaves. Other white space of Unicode counts as text, as a broker sees it.
[[nodiscard]] constexpr bool is_blank(std::string_view text) noexcept { return java_trim(text).empty(); }

}  // namespace weir
