#include "cli/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/assert.hpp"
#include "cli/read_file.hpp"
#include "cli/toml_reader.hpp"
#include "http/json_reader.hpp"

extern char** environ;  // NOLINT: POSIX

namespace weir::cli {
namespace {

constexpr std::string_view prefix = "WEIR_";

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = text.find(',');
    std::string item = trimmed(text.substr(0, end));
    if (!item.empty()) out.push_back(std::move(item));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

result<std::string> check_integer(const config_key& key, const std::string& value) {
  const auto number = to_integer(value);
  if (!number) return fail(fmt::format("'{}' must be an integer, not '{}'", key.name, value));
  if (*number < key.least || *number > key.most) {
    return fail(fmt::format("'{}' must lie between {} and {}, not {}", key.name, key.least, key.most, *number));
  }
  return value;
}

/// The canonical text of a value, or what is wrong with it.
result<std::string> check_value(const config_key& key, const std::string& raw) {
  const std::string value = trimmed(raw);
  switch (key.type) {
    case key_type::integer: return check_integer(key, value);
    case key_type::boolean:
      if (value == "true" || value == "false") return value;
      return fail(fmt::format("'{}' must be true or false, not '{}'", key.name, value));
    case key_type::choice: {
      const auto choices = split(key.choices);
      if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
      return fail(fmt::format("'{}' must be one of {}, not '{}'", key.name, http::joined(choices, ", "), value));
    }
    case key_type::list: return http::joined(split(value), ",");
    case key_type::text:
    case key_type::secret: return value;
  }
  return value;
}

/// A TOML value must have the type of its key: a quoted number is a mistake.
result<std::string> text_of(const config_key& key, const http::json_value& from) {
  const auto wrong = [&](std::string_view expected) {
    return fail(fmt::format("'{}' must be {}, not {}", key.name, expected, from.kind()));
  };
  switch (key.type) {
    case key_type::integer:
      if (from.as<std::int64_t>() == nullptr) return wrong("an integer");
      break;
    case key_type::boolean:
      if (from.as<bool>() == nullptr) return wrong("true or false");
      break;
    case key_type::list:
      if (const auto* items = from.as<http::json_items>()) {
        std::vector<std::string> texts;
        for (const auto& item : *items) texts.push_back(item.plain());
        return http::joined(texts, ",");
      }
      if (from.as<std::string>() == nullptr) return wrong("a list of strings or one string with commas");
      break;
    default:
      if (from.as<std::string>() == nullptr) return wrong("a string");
  }
  return from.plain();
}

/// `WEIR_HTTP_TOKEN__FILE` -> `http.token_file`.
std::string key_of_variable(std::string_view variable) {
  std::string out;
  std::string_view rest = variable.substr(prefix.size());
  while (!rest.empty()) {
    const auto underscores = std::min(rest.find_first_not_of('_'), rest.size());
    if (underscores == 0) {
      out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(rest.front()))));
      rest.remove_prefix(1);
    } else {
      static constexpr std::string_view meanings = "._-";
      const auto taken = std::min<std::size_t>(underscores, meanings.size());
      out.push_back(meanings[taken - 1]);
      rest.remove_prefix(taken);
    }
  }
  return out;
}

}  // namespace

/// Gathers settings, later ones over earlier ones, and every mistake on the way.
class config_loader {
 public:
  explicit config_loader(std::vector<std::string>& mistakes) : mistakes_(mistakes) {}

  config read(const config_sources& from) {
    for (const config_section& section : config_sections()) {
      for (const config_key& key : section.keys) made_.settings_[std::string(key.name)].value = key.value;
    }
    if (from.file) take_file(*from.file);
    for (const auto& [variable, value] : from.environment) take_variable(variable, value);
    for (const std::string& assignment : from.sets) take_flag(assignment);
    return std::move(made_);
  }

 private:
  void take_file(const std::string& path) {
    const auto text = read_file(path);
    if (!text) {
      mistakes_.push_back("configuration file: " + text.error().message);
      return;
    }
    const auto tree = read_toml(*text);
    if (tree) {
      take_table(*tree, path, {});
    } else {
      mistakes_.push_back(fmt::format("{}: {}", path, tree.error().message));
    }
  }

  void take_table(const http::json_value& table, const std::string& path, const std::string& above) {
    for (const auto& [name, value] : *table.as<http::json_members>()) {
      const std::string key = above.empty() ? name : above + "." + name;
      if (value.as<http::json_members>() != nullptr) {
        take_table(value, path, key);
      } else {
        take_file_value(key, value, fmt::format("{}:{}", path, value.line));
      }
    }
  }

  void take_file_value(const std::string& name, const http::json_value& value, const std::string& place) {
    const config_key* key = known(name, place);
    if (key == nullptr) return;
    const auto text = text_of(*key, value);
    if (!text) return refuse(*key, place, text.error().message);
    take(*key, *text, origin::file, place);
  }

  void take_variable(const std::string& variable, const std::string& value) {
    if (!variable.starts_with(prefix)) return;
    const std::string name = key_of_variable(variable);
    if (const config_key* key = find_key(name)) return take(*key, value, origin::environment, variable);
    made_.warnings_.push_back(
        fmt::format("environment variable {} is ignored: there is no key '{}'{}", variable, name, suggestion(name)));
  }

  void take_flag(const std::string& assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) {
      return complain("--set", fmt::format("'{}' must have the form key=value", assignment));
    }
    const config_key* key = known(trimmed(assignment.substr(0, equals)), "--set");
    if (key != nullptr) take(*key, assignment.substr(equals + 1), origin::flag, "--set");
  }

  void take(const config_key& key, const std::string& raw, origin from, const std::string& place) {
    const auto value = check_value(key, raw);
    if (!value) return refuse(key, place, value.error().message);
    setting& one = made_.settings_[std::string(key.name)];
    one = {*value, from, place, one.faulty};
  }

  const config_key* known(const std::string& name, const std::string& place) {
    const config_key* key = find_key(name);
    if (key == nullptr) complain(place, fmt::format("unknown key '{}'{}", name, suggestion(name)));
    return key;
  }

  static std::string suggestion(const std::string& name) {
    const auto near = nearest_key(name);
    if (near.empty()) return "; `weir config print --template` lists all keys";
    return fmt::format("; did you mean '{}'?", near);
  }

  void refuse(const config_key& key, const std::string& place, const std::string& what) {
    made_.settings_[std::string(key.name)].faulty = true;
    complain(place, what);
  }

  void complain(const std::string& place, const std::string& what) {
    mistakes_.push_back(fmt::format("{}: {}", place, what));
  }

  config made_;
  std::vector<std::string>& mistakes_;
};

std::string_view name(origin from) noexcept {
  switch (from) {
    case origin::built_in: return "default";
    case origin::file: return "file";
    case origin::environment: return "environment";
    case origin::flag: return "flag";
  }
  return "default";
}

result<config> config::load(const config_sources& from) {
  std::vector<std::string> mistakes;
  config made = read(from, mistakes);
  if (!mistakes.empty()) return fail(http::joined(mistakes, "\n"));
  return made;
}

config config::read(const config_sources& from, std::vector<std::string>& mistakes) {
  return config_loader(mistakes).read(from);
}

const setting& config::at(std::string_view key) const {
  static const setting none;
  const auto found = settings_.find(key);
  return found == settings_.end() ? none : found->second;
}

const std::string& config::text(std::string_view key) const {
  WEIR_ASSERT(find_key(key) != nullptr);
  return at(key).value;
}

std::int64_t config::integer(std::string_view key) const {
  const auto value = to_integer(text(key));
  WEIR_ASSERT(value.has_value());
  return *value;
}

bool config::flag(std::string_view key) const { return text(key) == "true"; }

std::vector<std::string> config::list(std::string_view key) const { return split(text(key)); }

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

std::string environment_name(std::string_view key) {
  std::string out(prefix);
  for (const char c : key) {
    switch (c) {
      case '.': out += "_"; break;
      case '_': out += "__"; break;
      case '-': out += "___"; break;
      default: out.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    }
  }
  return out;
}

}  // namespace weir::cli
