// Reading JSON that comes from outside: parsing (simdjson), and taking an object apart so that unknown fields and wrong
// types are named, all of them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "http/json_value.hpp"

namespace weir::http {

/// The whole text must be one JSON value. Error: what is wrong with it.
[[nodiscard]] result<json_value> parse_json(std::string_view text);

/// Takes an object apart field by field. Each problem becomes one line of problems(), naming the field by its path. A
/// name that stands twice in an object is one: readers differ in which of the two counts.
class object_reader {
 public:
  /// `path` is the object's own place (`subtopologies[0]`), empty at the root. `from` must outlive the reader.
  object_reader(const json_value& from, std::string path = {});

  /// nullptr if the field is absent or null.
  const json_value* field(std::string_view name);
  /// The field, which must be there; a missing or wrong one is a problem and gives the default.
  std::string required_string(std::string_view name);
  /// Absent gives `otherwise`; a number outside least..most is a problem.
  std::int64_t integer(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  std::vector<std::string> strings(std::string_view name);
  const json_items* items(std::string_view name);
  /// The items as strings; others are problems.
  std::vector<std::string> strings(std::string_view name, const json_items& items);
  const json_members* members(std::string_view name);

  /// Adds a problem of the caller's own.
  void complain(std::string_view name, std::string_view what);
  /// Call last: names every field that nobody asked for. All problems, empty = the object is fine.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  template <class T>
  const T* typed(std::string_view name, std::string_view expected);
  void complain_of_repeats(const json_members& members, std::string_view under);
  [[nodiscard]] std::string path_of(std::string_view name) const;

  const json_value& from_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
  std::vector<std::string> problems_;
};

/// One line out of many.
[[nodiscard]] std::string joined(const std::vector<std::string>& lines, std::string_view separator = "; ");

}  // namespace weir::http
