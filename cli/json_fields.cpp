#include "cli/json_fields.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace weir::cli {

namespace {

constexpr std::string_view base64_name = "base64";

/// What stands for a text that is no UTF-8; null if this is something else.
const http::json_value* encoded_text(const http::json_value& from) {
  const auto* const members = from.as<http::json_members>();
  return members != nullptr && members->size() == 1 ? from.find(base64_name) : nullptr;
}

}  // namespace

void json_fields_writer::put_string(std::string_view value) {
  if (valid_utf8(value) == value) return append_json_string(out_, value);
  out_ += fmt::format(R"({{"{}":"{}"}})", base64_name, to_base64(value));
}

std::optional<std::string> json_fields_reader::finish(const std::string& path) {
  const auto at = [&](const std::string& rest) {
    return rest.empty() || rest.front() == ' ' ? path + rest : fmt::format("{}.{}", path, rest);
  };
  const auto* const members = from_.as<http::json_members>();
  if (members == nullptr) return at(fmt::format(" must be an object, not {}", from_.kind()));
  if (problem_) return at(*problem_);
  for (auto one = members->begin(); one != members->end(); ++one) {
    if (!known_.contains(one->first)) return at(fmt::format("{} is not a field of it", one->first));
    const auto same = [&](const auto& other) { return other.first == one->first; };
    if (std::any_of(members->begin(), one, same)) return at(fmt::format("{} is given twice", one->first));
  }
  return std::nullopt;
}

void json_fields_reader::complain(const std::string& at, std::string what) {
  if (!problem_) problem_ = fmt::format("{} {}", at, what);
}

void json_fields_reader::read_string(const std::string& at, const http::json_value& from, text& value) {
  const auto* const found = from.as<std::string>();
  if (found != nullptr) {
    value = text::view(*found);
  } else if (const auto* const bytes = encoded_text(from); bytes != nullptr) {
    read_base64(fmt::format("{}.{}", at, base64_name), *bytes, value);
  } else {
    return complain(at, fmt::format("must be a string, not {}", from.kind()));
  }
  if (value.size() > protocol::wire::string_bytes_max) {
    complain(at, fmt::format("is longer than {} bytes", protocol::wire::string_bytes_max));
  }
}

void json_fields_reader::read_base64(const std::string& at, const http::json_value& from, text& value) {
  const auto* const found = from.as<std::string>();
  if (found == nullptr) return complain(at, fmt::format("must be a string, not {}", from.kind()));
  const auto decoded = from_base64(*found);
  if (!decoded) return complain(at, "is not base64");
  value = text(*decoded);
}

void json_fields_reader::read_uuid(const std::string& at, const http::json_value& from, weir::uuid& value) {
  const auto* const found = from.as<std::string>();
  const auto parsed = found == nullptr ? fail("") : weir::uuid::parse(*found);
  if (!parsed) return complain(at, "is not an id of 22 characters");
  value = *parsed;
}

}  // namespace weir::cli
