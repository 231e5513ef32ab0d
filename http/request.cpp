#include "http/request.hpp"

#include <cctype>

namespace weir::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

result<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return fail("'%' must be followed by two hexadecimal digits");
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

/// The text up to `separator`, taken off the front of rest together with it.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return taken;
}

result<void> parse_query(std::string_view text, request& into) {
  while (!text.empty()) {
    std::string_view value = take(text, '&');
    const std::string_view name = take(value, '=');
    if (name.empty()) continue;
    auto decoded_name = percent_decode(name, true);
    auto decoded_value = percent_decode(value, true);
    if (!decoded_name) return tl::unexpected(decoded_name.error());
    if (!decoded_value) return tl::unexpected(decoded_value.error());
    into.query.emplace_back(*std::move(decoded_name), *std::move(decoded_value));
  }
  return {};
}

}  // namespace

std::optional<std::string> request::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> request::parameters(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : query) {
    if (key == name) found.push_back(value);
  }
  return found;
}

result<void> parse_target(std::string_view target, request& into) {
  static constexpr std::string_view absolute = "http://";  // RFC 9112, 3.2.2
  if (target.starts_with(absolute)) {
    target.remove_prefix(absolute.size());
    target = target.find('/') == std::string_view::npos ? "/" : target.substr(target.find('/'));
  }
  if (!target.starts_with('/')) return fail("the request target must begin with '/'");
  target.remove_prefix(1);
  std::string_view path = take(target, '?');
  while (!path.empty()) {
    auto segment = percent_decode(take(path, '/'), false);
    if (!segment) return tl::unexpected(segment.error());
    if (!segment->empty()) {
      into.segments.push_back(*std::move(segment));
    } else if (!into.segments.empty() && into.segments.front() == "v1") {
      return fail("a name in the path is empty: a member or process with an empty id cannot be named in a path");
    }
  }
  return parse_query(target, into);
}

std::string percent_encode(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back(digits[byte >> 4U]);
      out.push_back(digits[byte & 15U]);
    }
  }
  return out;
}

}  // namespace weir::http
