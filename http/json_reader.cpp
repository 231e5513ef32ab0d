#include "http/json_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <map>

#include "base/limits.hpp"

namespace weir::http {
namespace {

/// simdjson bounds the nesting itself (see parse_json), so the recursion is bounded too.
json_value convert(simdjson::dom::element from) {
  using simdjson::dom::element_type;
  json_value out;
  switch (from.type()) {
    case element_type::BOOL: out.value = from.get_bool().value_unsafe(); break;
    case element_type::INT64: out.value = from.get_int64().value_unsafe(); break;
    case element_type::UINT64: out.value = static_cast<double>(from.get_uint64().value_unsafe()); break;
    case element_type::DOUBLE: out.value = from.get_double().value_unsafe(); break;
    case element_type::STRING: out.value = std::string(from.get_string().value_unsafe()); break;
    case element_type::NULL_VALUE: break;
    case element_type::ARRAY: {
      json_items items;
      const simdjson::dom::array list(from);
      for (const auto item : list) items.push_back(convert(item));
      out.value = std::move(items);
      break;
    }
    case element_type::OBJECT: {
      json_members members;
      const simdjson::dom::object object(from);
      for (const auto& [key, value] : object) members.emplace_back(key, convert(value));
      out.value = std::move(members);
      break;
    }
  }
  return out;
}

}  // namespace

result<json_value> parse_json(std::string_view text) {
  simdjson::dom::parser parser;
  if (parser.allocate(text.size() + 1, limits::nesting_max) != simdjson::SUCCESS) return fail("out of memory");
  const auto parsed = parser.parse(text.data(), text.size());
  if (parsed.error() != simdjson::SUCCESS) {
    return fail(fmt::format("not valid JSON: {}", simdjson::error_message(parsed.error())));
  }
  return convert(parsed.value_unsafe());
}

const json_value* json_value::find(std::string_view name) const noexcept {
  const auto* members = as<json_members>();
  if (members == nullptr) return nullptr;
  for (const auto& [key, member] : *members) {
    if (key == name) return &member;
  }
  return nullptr;
}

std::string json_value::plain() const {
  if (const auto* flag = as<bool>()) return *flag ? "true" : "false";
  if (const auto* integer = as<std::int64_t>()) return fmt::format("{}", *integer);
  if (const auto* number = as<double>()) return fmt::format("{}", *number);
  if (const auto* string = as<std::string>()) return *string;
  return {};
}

std::string_view json_value::kind() const noexcept {
  static constexpr std::string_view names[] = {"null",     "a boolean", "an integer", "a number",
                                               "a string", "a list",    "an object"};
  return names[value.index()];
}

object_reader::object_reader(const json_value& from, std::string path) : from_(from), path_(std::move(path)) {
  if (const auto* members = from_.as<json_members>()) {
    complain_of_repeats(*members, {});
  } else {
    problems_.push_back(fmt::format("{} must be an object, not {}", path_.empty() ? "the body" : path_, from_.kind()));
  }
}

const json_value* object_reader::field(std::string_view name) {
  known_.emplace(name);
  const json_value* found = from_.find(name);
  return found == nullptr || found->as<std::nullptr_t>() != nullptr ? nullptr : found;
}

template <class T>
const T* object_reader::typed(std::string_view name, std::string_view expected) {
  const json_value* found = field(name);
  if (found == nullptr) return nullptr;
  const T* value = found->as<T>();
  if (value == nullptr) complain(name, fmt::format("must be {}, not {}", expected, found->kind()));
  return value;
}

std::string object_reader::required_string(std::string_view name) {
  if (field(name) == nullptr) {
    complain(name, "is missing");
    return {};
  }
  const auto* value = typed<std::string>(name, "a string");
  return value == nullptr ? std::string() : *value;
}

std::int64_t object_reader::integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                    std::int64_t most) {
  const auto* value = typed<std::int64_t>(name, "an integer");
  if (value == nullptr) return otherwise;
  if (*value >= least && *value <= most) return *value;
  complain(name, fmt::format("must lie between {} and {}, not {}", least, most, *value));
  return otherwise;
}

std::vector<std::string> object_reader::strings(std::string_view name) {
  const json_items* list = items(name);
  return list == nullptr ? std::vector<std::string>() : strings(name, *list);
}

std::vector<std::string> object_reader::strings(std::string_view name, const json_items& items) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* text = items[i].as<std::string>();
    if (text == nullptr) {
      complain(fmt::format("{}[{}]", name, i), fmt::format("must be a string, not {}", items[i].kind()));
    } else {
      out.push_back(*text);
    }
  }
  return out;
}

const json_items* object_reader::items(std::string_view name) { return typed<json_items>(name, "a list"); }

const json_members* object_reader::members(std::string_view name) {
  const auto* found = typed<json_members>(name, "an object");
  if (found != nullptr) complain_of_repeats(*found, fmt::format("{}.", name));
  return found;
}

void object_reader::complain_of_repeats(const json_members& members, std::string_view under) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [key, value] : members) {
    if (++counts[key] == 2) complain(fmt::format("{}{}", under, key), "is given more than once");
  }
}

void object_reader::complain(std::string_view name, std::string_view what) {
  problems_.push_back(fmt::format("'{}' {}", path_of(name), what));
}

std::vector<std::string> object_reader::finish() {
  if (const auto* members = from_.as<json_members>()) {
    for (const auto& [key, value] : *members) {
      if (known_.contains(key)) continue;
      const std::vector<std::string> names(known_.begin(), known_.end());
      complain(key, fmt::format("is not known here; known fields: {}", joined(names, ", ")));
    }
  }
  return problems_;
}

std::string object_reader::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

std::string joined(const std::vector<std::string>& lines, std::string_view separator) {
  return fmt::format("{}", fmt::join(lines, separator));
}

}  // namespace weir::http
