#include "cli/toml_reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

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

}  // namespace

/// toml++ is built to throw; nothing of that leaves this file.
result<http::json_value> read_toml(std::string_view text) {
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& wrong) {
    return fail(fmt::format("line {}: {}", wrong.source().begin.line, wrong.description()));
  }
}

}  // namespace weir::cli
