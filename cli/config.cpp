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

/// Nobody means one, and a zero byte would cut off a path.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The canonical text of a value, or what is wrong with it.
result<std::string> check_value(const config_key& key, const std::string& raw) {
  const std::string value = trimmed(raw);
  if (const auto at = std::ranges::find_if(value, is_control); at != value.end()) {
    return fail(fmt::format("'{}' must not have control characters, but byte {} is \\x{:02x}", key.name,
                            at - value.begin() + 1, static_cast<unsigned char>(*at)));
  }
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
    case key_type::list:
    case key_type::named_urls: return http::joined(split(value), ",");
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
    case key_type::named_urls:
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
  /// Where something was said.
  struct place {
    origin from;
    std::uint32_t line;
    std::string name;  ///< `weir.toml:12`, the variable's name, `--set`
  };

 public:
  explicit config_loader(std::vector<config_mistake>& mistakes) : mistakes_(mistakes) {}

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
      return complain({origin::file, 0, "configuration file"}, text.error().message);
    }
    const auto tree = read_toml(*text);
    if (tree) {
      take_table(*tree, path, {});
    } else {
      complain({origin::file, 0, path}, tree.error().message);
    }
  }

  void take_table(const http::json_value& table, const std::string& path, const std::string& above) {
    for (const auto& [name, value] : *table.as<http::json_members>()) {
      const std::string key = above.empty() ? name : above + "." + name;
      if (value.as<http::json_members>() != nullptr) {
        take_table(value, path, key);
      } else {
        take_file_value(key, value, {origin::file, value.line, fmt::format("{}:{}", path, value.line)});
      }
    }
  }

  void take_file_value(const std::string& name, const http::json_value& value, const place& at) {
    const config_key* key = known(name, at);
    if (key == nullptr) return;
    const auto text = text_of(*key, value);
    if (!text) return refuse(*key, at, text.error().message);
    take(*key, *text, at);
  }

  void take_variable(const std::string& variable, const std::string& value) {
    if (!variable.starts_with(prefix)) return;
    const std::string name = key_of_variable(variable);
    if (const config_key* key = find_key(name)) return take(*key, value, {origin::environment, 0, variable});
    made_.warnings_.push_back(
        fmt::format("environment variable {} is ignored: there is no key '{}'{}", variable, name, suggestion(name)));
  }

  void take_flag(const std::string& assignment) {
    const place at{origin::flag, 0, "--set"};
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) {
      return complain(at, fmt::format("'{}' must have the form key=value", assignment));
    }
    const config_key* key = known(trimmed(assignment.substr(0, equals)), at);
    if (key != nullptr) take(*key, assignment.substr(equals + 1), at);
  }

  void take(const config_key& key, const std::string& raw, const place& at) {
    const auto value = check_value(key, raw);
    if (!value) return refuse(key, at, value.error().message);
    setting& one = made_.settings_[std::string(key.name)];
    one = {*value, at.from, at.name, at.line, one.faulty};
  }

  const config_key* known(const std::string& name, const place& at) {
    const config_key* key = find_key(name);
    if (key == nullptr) complain(at, fmt::format("unknown key '{}'{}", name, suggestion(name)));
    return key;
  }

  static std::string suggestion(const std::string& name) {
    const auto near = nearest_key(name);
    if (near.empty()) return "; `weir config print --template` lists all keys";
    return fmt::format("; did you mean '{}'?", near);
  }

  void refuse(const config_key& key, const place& at, const std::string& what) {
    made_.settings_[std::string(key.name)].faulty = true;
    complain(at, what);
  }

  void complain(const place& at, const std::string& what) {
    mistakes_.push_back({at.from, at.line, fmt::format("{}: {}", at.name, what)});
  }

  config made_;
  std::vector<config_mistake>& mistakes_;
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

std::string in_order(std::vector<config_mistake> mistakes) {
  const auto rank = [](const config_mistake& one) {
    const bool nowhere = one.from == origin::built_in;  // of defaults alone: last
    return std::pair(nowhere ? static_cast<int>(origin::flag) + 1 : static_cast<int>(one.from), one.line);
  };
  std::ranges::stable_sort(mistakes, {}, rank);
  std::vector<std::string> lines;
  for (config_mistake& one : mistakes) lines.push_back(std::move(one.text));
  return http::joined(lines, "\n");
}

result<config> config::load(const config_sources& from) {
  std::vector<config_mistake> mistakes;
  config made = read(from, mistakes);
  if (!mistakes.empty()) return fail(in_order(std::move(mistakes)));
  return made;
}

config config::read(const config_sources& from, std::vector<config_mistake>& mistakes) {
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
