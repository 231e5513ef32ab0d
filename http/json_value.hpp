// A small read-only tree: what a JSON body or a TOML file says, whatever parsed it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weir::http {

struct json_value;

using json_items = std::vector<json_value>;
using json_members = std::vector<std::pair<std::string, json_value>>;  ///< in the order of the text

struct json_value {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, json_items, json_members> value = nullptr;
  std::uint32_t line = 0;  ///< where it stands in its file; 0 = not known

  /// The member of that name; null if there is none or this is no object.
  [[nodiscard]] const json_value* find(std::string_view name) const noexcept;
  template <class T>
  [[nodiscard]] const T* as() const noexcept {
    return std::get_if<T>(&value);
  }
  /// Text, number or boolean as text, for people; empty for anything else.
  [[nodiscard]] std::string plain() const;
  /// `a string`, `an integer`, `an object`, ...
  [[nodiscard]] std::string_view kind() const noexcept;
};

}  // namespace weir::http
