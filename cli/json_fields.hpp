// Visitors for the generated visit() functions of records: a message as JSON in Kafka's form, and back.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "cli/base64.hpp"
#include "http/json_value.hpp"
#include "protocol/field_kind.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/unknown_tag.hpp"

namespace weir::cli {

using protocol::field_kind;

/// Appends an object with all fields of a version. Tagged ones at their default are left out, as Kafka does. A text
/// that is no UTF-8, which JSON cannot hold, is an object: {"base64":"/w=="}.
class json_fields_writer {
 public:
  json_fields_writer(std::string& out, std::int16_t version) : out_(out), version_(version) { out_ += '{'; }

  template <field_kind Kind, class T>
  void field(const char* name, T& value, bool /*nullable*/) {
    if (out_.back() != '{') out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
    put<Kind>(value);
  }
  template <field_kind Kind, class T>
  void tagged(const char* name, T& value, bool nullable, const T& default_value) {
    if (value != default_value) field<Kind>(name, value, nullable);
  }
  void unknown_tags(const std::vector<protocol::unknown_tag>&, std::uint32_t) {}
  /// Closes the object.
  void finish() { out_ += '}'; }

 private:
  template <field_kind Kind, class T>
  void put(std::optional<T>& value) {
    if (!value) {
      out_ += "null";
    } else {
      put<Kind>(*value);
    }
  }
  template <field_kind Kind, class T>
  void put(std::vector<T>& values) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      put<Kind>(values[i]);
    }
    out_ += ']';
  }
  template <field_kind Kind, class T>
  void put(T& value) {
    if constexpr (Kind == field_kind::structure) {
      json_fields_writer inner(out_, version_);
      visit(inner, value, version_);
      inner.finish();
    } else if constexpr (Kind == field_kind::string) {
      put_string(value);
    } else if constexpr (Kind != field_kind::scalar) {
      append_json_string(out_, to_base64(value));
    } else if constexpr (std::is_same_v<T, weir::uuid>) {
      append_json_string(out_, value.to_string());
    } else {
      out_ += fmt::format("{}", value);
    }
  }

  void put_string(std::string_view value);

  std::string& out_;
  std::int16_t version_;
};

/// Fills a message from such an object. Texts become views of it. The first problem is kept, with its path.
class json_fields_reader {
 public:
  json_fields_reader(const http::json_value& from, std::int16_t version) : from_(from), version_(version) {}

  template <field_kind Kind, class T>
  void field(const char* name, T& value, bool nullable) {
    known_.emplace(name);
    const auto* const found = from_.find(name);
    if (found == nullptr) return complain(name, "is missing");
    read<Kind>(name, *found, value, nullable);
  }
  template <field_kind Kind, class T>
  void tagged(const char* name, T& value, bool nullable, const T& /*default_value*/) {
    known_.emplace(name);
    if (from_.find(name) != nullptr) field<Kind>(name, value, nullable);
  }
  void unknown_tags(const std::vector<protocol::unknown_tag>&, std::uint32_t) {}
  /// Call last. `a.b[0].c is missing`; nothing if all is well.
  [[nodiscard]] std::optional<std::string> finish(const std::string& path);

 private:
  void complain(const std::string& at, std::string what);

  template <field_kind Kind, class T>
  void read(const std::string& at, const http::json_value& from, std::optional<T>& value, bool nullable) {
    if (from.as<std::nullptr_t>() == nullptr) return read<Kind>(at, from, value.emplace(), false);
    if (!nullable) return complain(at, "must not be null");
    value.reset();
  }
  template <field_kind Kind, class T>
  void read(const std::string& at, const http::json_value& from, std::vector<T>& values, bool /*nullable*/) {
    const auto* const items = from.as<http::json_items>();
    if (items == nullptr) return complain(at, fmt::format("must be a list, not {}", from.kind()));
    values.resize(items->size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      read<Kind>(fmt::format("{}[{}]", at, i), (*items)[i], values[i], false);
    }
  }
  template <field_kind Kind, class T>
  void read(const std::string& at, const http::json_value& from, T& value, bool /*nullable*/) {
    if constexpr (Kind == field_kind::structure) {
      json_fields_reader inner(from, version_);
      visit(inner, value, version_);
      if (auto problem = inner.finish(at); problem && !problem_) problem_ = std::move(problem);
    } else if constexpr (Kind == field_kind::string) {
      read_string(at, from, value);
    } else if constexpr (Kind != field_kind::scalar) {
      read_base64(at, from, value);
    } else if constexpr (std::is_same_v<T, weir::uuid>) {
      read_uuid(at, from, value);
    } else {
      static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>, "records have no other scalars");
      const auto* const number = from.as<std::int64_t>();
      if (number == nullptr) return complain(at, fmt::format("must be an integer, not {}", from.kind()));
      if (!std::in_range<T>(*number)) return complain(at, fmt::format("is out of range: {}", *number));
      value = static_cast<T>(*number);
    }
  }
  void read_string(const std::string& at, const http::json_value& from, text& value);
  void read_base64(const std::string& at, const http::json_value& from, text& value);
  void read_uuid(const std::string& at, const http::json_value& from, weir::uuid& value);

  const http::json_value& from_;
  std::int16_t version_;
  std::set<std::string, std::less<>> known_;
  std::optional<std::string> problem_;
};

}  // namespace weir::cli
