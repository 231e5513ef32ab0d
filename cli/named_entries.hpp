// Lists of name=value as settings and files have them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::cli {

/// Without what stands for nothing at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// Both sides of the first `=`, trimmed; nothing if there is none. Views into the entry.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> split_named(std::string_view entry);

struct named_entry {
  std::size_t number = 0;  ///< its place, from 1; empty ones count
  std::string_view name;   ///< this and the value are empty where there is no `=`
  std::string_view value;
};

/// The entries of a text, separated by commas or line ends, without the empty ones. Views into the text.
[[nodiscard]] std::vector<named_entry> named_entries(std::string_view text);

}  // namespace weir::cli
