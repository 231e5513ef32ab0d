#include "cli/named_entries.hpp"

namespace weir::cli {

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::pair<std::string_view, std::string_view>> split_named(std::string_view entry) {
  const auto equals = entry.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return std::pair(trimmed(entry.substr(0, equals)), trimmed(entry.substr(equals + 1)));
}

std::vector<named_entry> named_entries(std::string_view text) {
  std::vector<named_entry> entries;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find_first_of(",\n\r");
    const auto entry = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (entry.empty()) continue;
    const auto [name, value] = split_named(entry).value_or(std::pair<std::string_view, std::string_view>());
    entries.push_back({number, name, value});
  }
  return entries;
}

}  // namespace weir::cli
