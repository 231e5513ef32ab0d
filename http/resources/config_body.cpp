#include "http/resources/config_body.hpp"

#include <fmt/format.h>

#include <utility>

#include "http/json_reader.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

bool is_plain(const json_value& value) {
  return value.as<std::string>() != nullptr || value.as<std::int64_t>() != nullptr || value.as<bool>() != nullptr;
}

/// The tag between its quotes, or `*`. A weak one fits nothing (RFC 9110, 13.1.1).
result<std::optional<std::string>> wanted_tag(const request& asked) {
  if (!asked.if_match || *asked.if_match == "*") return asked.if_match;
  std::string_view tag = *asked.if_match;
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"' || tag.find(',') != std::string_view::npos) {
    return fail("If-Match must be * or one ETag in quotes, as an answer has it");
  }
  return std::string(tag.substr(1, tag.size() - 2));
}

}  // namespace

std::optional<group::config_change> read_config(const json_value& from, const std::string& path,
                                                std::vector<std::string>& problems) {
  const std::size_t before = problems.size();
  const auto* members = from.as<json_members>();
  const std::string here = path.empty() ? "the body" : path;
  if (members == nullptr) {
    problems.push_back(fmt::format("{} must be an object, not {}", here, from.kind()));
    return std::nullopt;
  }
  group::config_change change;
  for (const auto& [name, value] : *members) {
    const std::string at = path.empty() ? name : path + "." + name;
    const bool drops = value.as<std::nullptr_t>() != nullptr;
    if (!drops && !is_plain(value)) {
      problems.push_back(fmt::format("{} must be a string, an integer, a boolean or null, not {}", at, value.kind()));
      continue;
    }
    auto said = drops ? std::nullopt : std::optional(value.plain());
    if (!change.values.emplace(name, std::move(said)).second) problems.push_back(at + " is there twice");
  }
  if (problems.size() > before) return std::nullopt;
  return change;
}

result<asked_config_change> read_config_change(const request& asked) {
  group::config_change change;
  if (asked.method == "DELETE") {
    if (!asked.body.empty()) return fail("a DELETE drops all settings and takes no body: PATCH with null drops one");
  } else {
    const auto parsed = parse_json(asked.body);
    if (!parsed) return tl::unexpected(parsed.error());
    std::vector<std::string> problems;
    auto read = read_config(*parsed, {}, problems);
    if (!read) return fail(joined(problems));
    change = *std::move(read);
  }
  change.replaces = asked.method != "PATCH";
  auto tag = wanted_tag(asked);
  if (!tag) return tl::unexpected(tag.error());
  change.only_if = *std::move(tag);
  const auto dry_run = is_dry_run(asked);
  if (!dry_run) return tl::unexpected(dry_run.error());
  return asked_config_change{std::move(change), *dry_run};
}

boost::json::object overrides_document(const group::overrides& own) {
  boost::json::object out;
  for (const auto& [name, value] : own) out[name] = value;
  return out;
}

std::string config_etag(const group::overrides& own) { return fmt::format("\"{}\"", group::config_tag(own)); }

}  // namespace weir::http
