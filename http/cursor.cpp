#include "http/cursor.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>

namespace weir::http {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string to_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) out.push_back(alphabet[(bits >> (held - 6)) & 63U]);
  }
  if (held > 0) out.push_back(alphabet[(bits << (6 - held)) & 63U]);
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const auto digit = alphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 255U));
    }
  }
  return out;
}

/// Stands between the parts of a cursor; in no query, since parameters are joined with it too.
constexpr char part_separator = '\x1f';

}  // namespace

std::string page::next(std::string_view last) const {
  return to_base64url(fmt::format("{}{}{}", query, part_separator, last));
}

result<page> read_page(const request& asked, std::string query) {
  page out;
  out.query = std::move(query);
  if (const auto limit = asked.parameter("limit")) {
    const auto* end = limit->data() + limit->size();
    const auto [stopped, error] = std::from_chars(limit->data(), end, out.limit);
    if (error != std::errc() || stopped != end || out.limit < 1 || out.limit > page::limit_max) {
      return fail(fmt::format("'limit' must lie between 1 and {}, not '{}'", page::limit_max, *limit));
    }
  }
  if (const auto after = asked.parameter("after")) {
    const auto decoded = from_base64url(*after);
    const std::string expected = out.query + part_separator;
    if (!decoded || !decoded->starts_with(expected)) {
      return fail("'after' is not a cursor of this query: use 'next' of the page before, with the same parameters");
    }
    out.after = decoded->substr(expected.size());
  }
  return out;
}

}  // namespace weir::http
