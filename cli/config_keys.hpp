// Every key of the configuration, in one table: what a file may say, what is checked, what the documentation lists.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weir::cli {

enum class key_type { text, choice, integer, boolean, list, named_urls, secret };

struct config_key {
  std::string_view name;  ///< dotted; Kafka's name where Kafka has one
  key_type type;
  std::string_view value;  ///< default, as text; a list is comma-separated
  std::string_view help;   ///< one line
  std::int64_t least = 0;  ///< of an integer
  std::int64_t most = 0;
  std::string_view choices{};  ///< of a choice, comma-separated
};

/// A block of keys under one heading.
struct config_section {
  std::string_view title;
  std::span<const config_key> keys;
};

[[nodiscard]] std::span<const config_section> config_sections() noexcept;
/// nullptr if there is no such key.
[[nodiscard]] const config_key* find_key(std::string_view name) noexcept;
/// The key that was probably meant; empty if none is near.
[[nodiscard]] std::string_view nearest_key(std::string_view name);

}  // namespace weir::cli
