#include "http/resources/config_body.hpp"

#include <fmt/format.h>

namespace weir::http {
namespace {

bool is_plain(const json_value& value) {
  return value.as<std::string>() != nullptr || value.as<std::int64_t>() != nullptr || value.as<bool>() != nullptr;
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

}  // namespace weir::http
