// The configuration: values from flags, environment, a TOML file and the defaults, in that order, each with its origin.
// Unknown keys and bad values are errors; all of them are reported at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "cli/config_keys.hpp"

namespace weir::cli {

enum class origin { built_in, file, environment, flag };
/// `default`, `file`, `environment`, `flag`
[[nodiscard]] std::string_view name(origin from) noexcept;

/// One mistake, and where it was made.
struct config_mistake {
  origin from = origin::built_in;
  std::uint32_t line = 0;  ///< in the file; 0 = not known
  std::string text;        ///< the place included
};
/// One a line, in the order in which somebody looks for them: by line of the file, then environment, then flags.
[[nodiscard]] std::string in_order(std::vector<config_mistake> mistakes);

struct setting {
  std::string value;  ///< canonical text; a list is comma-separated
  origin from = origin::built_in;
  std::string place;       ///< `weir.toml:12`, the variable's name, `--set`; empty for a default
  std::uint32_t line = 0;  ///< in the file
  bool faulty = false;     ///< what was given is a mistake; `value` is what would be in force without it
};

/// What a configuration is made of.
struct config_sources {
  std::optional<std::string> file;  ///< path
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> sets;  ///< `key=value` of --set
};

class config {
 public:
  /// Error: every mistake on a line of its own, with its place. Unknown variables `WEIR_*` are no mistake (container
  /// platforms make up such names) but warnings().
  static result<config> load(const config_sources& from);
  /// The same, but goes on: what is wrong is added to `mistakes` and its keys are marked as faulty.
  static config read(const config_sources& from, std::vector<config_mistake>& mistakes);

  // The key must exist in the table and have that type.
  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> list(std::string_view key) const;

  /// The setting of a known key; an unknown one gives an empty default.
  [[nodiscard]] const setting& at(std::string_view key) const;
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  std::map<std::string, setting, std::less<>> settings_;
  std::vector<std::string> warnings_;
  friend class config_loader;
};

/// The environment of this process.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> process_environment();

/// `group.streams.max.size` -> `WEIR_GROUP_STREAMS_MAX_SIZE`: Kafka's rule for containers (`.` as `_`, `_` as `__`,
/// `-` as `___`).
[[nodiscard]] std::string environment_name(std::string_view key);

/// All keys with their defaults, commented out: config/weir.toml.
[[nodiscard]] std::string config_template();
/// What is in force, as TOML; secrets hidden. all: also what is a default. origins: a comment behind each value.
[[nodiscard]] std::string print_config(const config& of, bool all, bool origins);

}  // namespace weir::cli
