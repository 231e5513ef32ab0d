// What clients call themselves is any bytes: what we print and serve is UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// The text with every byte that is not part of a well-formed UTF-8 sequence replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

}  // namespace weir
