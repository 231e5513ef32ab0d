#include "http/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <new>

namespace weir::http {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // the largest window, and gzip's header
constexpr int memory_level = 8;            // zlib's default
constexpr std::size_t gzip_header_bytes = 18;  // and trailer; compressBound counts zlib's own

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// The text up to `separator`, taken off the front of rest together with it.
std::string_view next_of(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return trimmed(taken);
}

bool equal_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

/// A weight is 0 if it has no other digit: `q=0`, `q=0.000`.
bool has_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = next_of(parameters, ';');
    if (!equal_letters(next_of(value, '='), "q")) continue;
    return std::any_of(value.begin(), value.end(), [](char c) { return c >= '1' && c <= '9'; });
  }
  return true;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = next_of(accept_encoding, ',');
    const auto coding = next_of(parameters, ';');
    if (equal_letters(coding, "gzip") || equal_letters(coding, "x-gzip")) return has_weight(parameters);
    if (coding == "*") any = has_weight(parameters);
  }
  return any;
}

std::optional<std::string> gzip(std::string_view text) try {
  if (text.size() > std::numeric_limits<uInt>::max() / 2) return std::nullopt;
  std::string out(compressBound(static_cast<uLong>(text.size())) + gzip_header_bytes, '\0');
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  // zlib does not write through next_in; it is declared so for old compilers.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return ended == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

void compress(response& out, bool is_wanted) {
  static const std::pair<std::string, std::string> varies("Vary", "Accept-Encoding");
  if (out.body.size() <= gzip_bytes_min || std::ranges::find(out.headers, varies) != out.headers.end()) return;
  out.headers.push_back(varies);
  if (!is_wanted) return;
  auto small = gzip(out.body);
  if (!small) return;
  out.body = *std::move(small);
  out.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace weir::http
