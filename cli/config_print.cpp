// How a configuration is written: as a template with every key, and as what is in force.
#include <fmt/format.h>

#include "cli/config.hpp"
#include "cli/named_entries.hpp"
#include "cli/webhook_settings.hpp"
#include "http/url.hpp"

namespace weir::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

/// Where each server is; the path of a web hook is often all that keeps strangers out.
std::string without_paths(std::string_view value) {
  std::string out;
  for (const auto& entry : named_entries(value)) {
    const auto url = http::parse_url(entry.value);
    const bool is_good = url && is_hook_name(entry.name);
    const bool has_path = url && url->target != "/";
    if (!out.empty()) out += ",";
    out += is_good ? fmt::format("{}={}{}", entry.name, url->origin(), has_path ? "/(hidden)" : "") : "(hidden)";
  }
  return out;
}

/// As TOML. Numbers and booleans stay bare.
std::string toml_value(const config_key& key, std::string_view value) {
  std::string hidden;
  if (key.type == key_type::integer || key.type == key_type::boolean) return std::string(value);
  if (key.type == key_type::secret && !value.empty()) return quoted("(hidden)");
  if (key.type == key_type::named_urls) value = hidden = without_paths(value);
  return quoted(value);
}

/// What the value may be, for the comment above it.
std::string bounds(const config_key& key) {
  switch (key.type) {
    case key_type::integer: return fmt::format(" ({} .. {})", key.least, key.most);
    case key_type::choice: return fmt::format(" ({})", key.choices);
    case key_type::list:
    case key_type::named_urls: return " (comma-separated)";
    default: return "";
  }
}

}  // namespace

std::string config_template() {
  std::string out =
      "# Configuration of Weir: every key with its default. Remove the '#' in front of a key to change it.\n"
      "# The environment (WEIR_ + key in capitals, '.' as '_', '_' as '__') comes before this file, `--set key=value`\n"
      "# before both. `weir config check --config FILE` checks a file, `weir config print --effective --origin`\n"
      "# shows what is in force.\n"
      "# This file is written by `weir config print --template`.\n";
  for (const config_section& section : config_sections()) {
    out += fmt::format("\n# ---- {} ----\n", section.title);
    for (const config_key& key : section.keys) {
      out += fmt::format("\n# {}{}.\n#{} = {}\n", key.help, bounds(key), key.name, toml_value(key, key.value));
    }
  }
  return out;
}

std::string print_config(const config& of, bool all, bool origins) {
  std::string out;
  for (const config_section& section : config_sections()) {
    for (const config_key& key : section.keys) {
      const setting& one = of.at(key.name);
      if (!all && one.from == origin::built_in) continue;
      out += fmt::format("{} = {}", key.name, toml_value(key, one.value));
      if (origins) out += fmt::format("  # {}{}{}", name(one.from), one.place.empty() ? "" : " ", one.place);
      out += "\n";
    }
  }
  return out;
}

}  // namespace weir::cli
