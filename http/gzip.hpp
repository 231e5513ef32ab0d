// Compression of answers, for those who say that they can read it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace weir::http {

/// Smaller bodies are sent as they are: the header would cost what is saved.
inline constexpr std::size_t gzip_bytes_min = 1024;

/// Whether an Accept-Encoding header allows gzip (RFC 9110, 12.5.3): named, or meant by `*`, with a weight above 0.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

/// RFC 1952, quick rather than small. Nothing if it cannot be done (no memory): send the text as it is.
[[nodiscard]] std::optional<std::string> gzip(std::string_view text);

/// Compresses the body of an answer above gzip_bytes_min if the client can read that (`is_wanted`). Once: one that has
/// been here before stays as it is.
void compress(response& out, bool is_wanted);

}  // namespace weir::http
