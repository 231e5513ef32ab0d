#include "cli/toml_reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>

namespace weir::cli {
namespace {

http::json_value convert(const toml::node& from);

http::json_items convert_items(const toml::array& from) {
  http::json_items items;
  for (const toml::node& item : from) items.push_back(convert(item));
  return items;
}

/// toml++ sorts by name; the order of the file does not matter to anybody.
http::json_members convert_members(const toml::table& from) {
  http::json_members members;
  for (const auto& [key, value] : from) members.emplace_back(std::string(key.str()), convert(value));
  return members;
}

http::json_value convert(const toml::node& from) {
  http::json_value out;
  out.line = from.source().begin.line;
  if (const auto* table = from.as_table()) out.value = convert_members(*table);
  if (const auto* array = from.as_array()) out.value = convert_items(*array);
  if (const auto* string = from.as_string()) out.value = string->get();
  if (const auto* integer = from.as_integer()) out.value = integer->get();
  if (const auto* number = from.as_floating_point()) out.value = number->get();
  if (const auto* flag = from.as_boolean()) out.value = flag->get();
  return out;
}

/// A key of very many parts would be a table of that depth, which is read and freed by recursion.
result<void> check_depth(std::string_view text) {
  constexpr std::ptrdiff_t dots_max = 1'000;
  int number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (std::ranges::count(line, '.') > dots_max) return fail(fmt::format("line {}: too many dots", number));
    at = end + 1;
  }
  return {};
}

}  // namespace

/// toml++ is built to throw; nothing of that leaves this file.
result<http::json_value> read_toml(std::string_view text) {
  if (auto shallow = check_depth(text); !shallow) return tl::unexpected(shallow.error());
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& wrong) {
    return fail(fmt::format("line {}: {}", wrong.source().begin.line, wrong.description()));
  }
}

}  // namespace weir::cli
