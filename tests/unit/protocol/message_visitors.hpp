// What the generated visit() functions are called with: to JSON, from JSON, and filling with random values.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.hpp"
#include "base/uuid.hpp"
#include "protocol/codec.hpp"
#include "protocol/field_kind.hpp"
#include "protocol/wire/unknown_tag.hpp"
#include "tests/unit/protocol/encodings.hpp"
#include "tests/unit/protocol/message_access.hpp"

namespace weir::protocol::testing {

/// Kafka's JSON form of a message: a tagged field at its default is left out, records are "".
class json_writer {
 public:
  explicit json_writer(std::int16_t version) : version_(version) {}

  template <field_kind Kind, class T>
  void field(const char* name, T& value, bool /*nullable*/) {
    object_[name] = json<Kind>(value);
  }
  template <field_kind Kind, class T>
  void tagged(const char* name, T& value, bool nullable, const T& default_value) {
    if (value != default_value) field<Kind>(name, value, nullable);
  }
  void unknown_tags(std::vector<unknown_tag>&, std::uint32_t) {}
  boost::json::value take() { return std::move(object_); }

 private:
  template <field_kind Kind, class T>
  boost::json::value json(std::optional<T>& value) {
    return value ? json<Kind>(*value) : boost::json::value();
  }
  template <field_kind Kind, class T>
  boost::json::value json(std::vector<T>& values) {
    boost::json::array array;
    for (auto& value : values) array.push_back(json<Kind>(value));
    return array;
  }
  template <field_kind Kind, class T>
  boost::json::value json(T& value) {
    if constexpr (Kind == field_kind::structure) {
      json_writer inner(version_);
      visit(inner, value, version_);
      return inner.take();
    } else if constexpr (Kind == field_kind::string) {
      return boost::json::string(value.view());
    } else if constexpr (Kind == field_kind::bytes) {
      return boost::json::string(to_base64(value.view()));
    } else if constexpr (Kind == field_kind::records) {
      return boost::json::string();
    } else if constexpr (std::is_same_v<T, weir::uuid>) {
      return boost::json::string(value.to_string());
    } else if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else {
      return static_cast<std::int64_t>(value);
    }
  }

  std::int16_t version_;
  boost::json::object object_;
};

/// Reads the same form; throws std::runtime_error on what is missing and boost::system::system_error on a wrong type.
class json_reader {
 public:
  json_reader(const boost::json::value& value, std::int16_t version) : version_(version), object_(value.as_object()) {}

  template <field_kind Kind, class T>
  void field(const char* name, T& value, bool /*nullable*/) {
    const auto* const found = object_.if_contains(name);
    if (found == nullptr) throw std::runtime_error(std::string("no field ") + name);
    read<Kind>(*found, value);
  }
  template <field_kind Kind, class T>
  void tagged(const char* name, T& value, bool nullable, const T& /*default_value*/) {
    if (object_.contains(name)) field<Kind>(name, value, nullable);
  }
  void unknown_tags(std::vector<unknown_tag>&, std::uint32_t) {}

 private:
  template <field_kind Kind, class T>
  void read(const boost::json::value& from, std::optional<T>& value) {
    if (from.is_null()) return value.reset();
    read<Kind>(from, value.emplace());
  }
  template <field_kind Kind, class T>
  void read(const boost::json::value& from, std::vector<T>& values) {
    values.clear();
    for (const auto& element : from.as_array()) read<Kind>(element, values.emplace_back());
  }
  template <field_kind Kind, class T>
  void read(const boost::json::value& from, T& value) {
    if constexpr (Kind == field_kind::structure) {
      json_reader inner(from, version_);
      visit(inner, value, version_);
    } else if constexpr (Kind == field_kind::string) {
      value = text(std::string_view(from.as_string()));
    } else if constexpr (Kind == field_kind::bytes) {
      value = text(from_base64(from.as_string()));
    } else if constexpr (Kind == field_kind::records) {
      throw std::runtime_error("records are not in the JSON form");
    } else if constexpr (std::is_same_v<T, weir::uuid>) {
      value = weir::uuid::parse(from.as_string()).value();
    } else if constexpr (std::is_same_v<T, bool>) {
      value = from.as_bool();
    } else {
      value = from.to_number<T>();
    }
  }

  std::int16_t version_;
  const boost::json::object& object_;
};

/// Puts something random into every field.
class filler {
 public:
  filler(seeded_random& random, std::int16_t version) : random_(random), version_(version) {}

  template <field_kind Kind, class T>
  void field(const char* /*name*/, T& value, bool nullable) {
    fill<Kind>(value, nullable);
  }
  template <field_kind Kind, class T>
  void tagged(const char* name, T& value, bool nullable, const T& default_value) {
    value = default_value;
    if (below(2) == 0) field<Kind>(name, value, nullable);
  }
  void unknown_tags(std::vector<unknown_tag>& tags, std::uint32_t first_free) {
    auto tag = first_free;
    for (auto left = below(8); left > 5; --left) {
      tags.push_back({tag, characters()});
      tag += static_cast<std::uint32_t>(1 + below(300));
    }
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_.next() % limit; }
  text characters() {
    std::string made(below(6) == 0 ? below(300) : below(9), '\0');
    for (auto& c : made) c = static_cast<char>(below(256));
    return text(made);
  }
  template <field_kind Kind, class T>
  void fill(std::optional<T>& value, bool nullable) {
    if (nullable && below(3) == 0) return value.reset();
    fill<Kind>(value.emplace(), false);
  }
  template <field_kind Kind, class T>
  void fill(std::vector<T>& values, bool /*nullable*/) {
    values.clear();
    for (auto left = below(3); left > 0; --left) fill<Kind>(values.emplace_back(), false);
  }
  template <field_kind Kind, class T>
  void fill(T& value, bool /*nullable*/) {
    if constexpr (Kind == field_kind::structure) {
      visit(*this, value, version_);
    } else if constexpr (Kind != field_kind::scalar) {
      value = characters();
    } else if constexpr (std::is_same_v<T, weir::uuid>) {
      value = {random_.next(), random_.next()};
    } else if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 0;
    } else {
      value = static_cast<T>(below(2) == 0 ? below(20) : random_.next());
    }
  }

  seeded_random& random_;
  std::int16_t version_;
};

template <class M>
result<boost::json::value> message_to_json(byte_view body, std::int16_t version) {
  auto message = decode<M>(body, version);
  if (!message) return tl::unexpected(message.error());
  json_writer writer(version);
  visit(writer, *message, version);
  return writer.take();
}

template <class M>
result<bytes> message_from_json(const boost::json::value& body, std::int16_t version) {
  try {
    M message;
    json_reader reader(body, version);
    visit(reader, message, version);
    return encode(message, version);
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}

template <class M>
result<bytes> recode_message(byte_view body, std::int16_t version) {
  const auto message = decode<M>(body, version);
  if (!message) return tl::unexpected(message.error());
  return encode(*message, version);
}

template <class M>
M random_message(seeded_random& random, std::int16_t version) {
  M message;
  filler fill(random, version);
  visit(fill, message, version);
  return message;
}

template <class M>
bytes random_message_body(seeded_random& random, std::int16_t version) {
  return encode(random_message<M>(random, version), version);
}

template <class M>
std::string check_message_stable(byte_view body, std::int16_t version) {
  const auto first = decode<M>(body, version);
  if (!first) return {};
  const auto encoded = encode(*first, version);
  const auto second = decode<M>(encoded, version);
  if (!second) return second.error().message;
  return *first == *second ? "" : "decoded again it differs";
}

template <class M>
std::string check_message_round_trip(seeded_random& random, std::int16_t version) {
  const auto first = random_message<M>(random, version);
  const auto encoded = encode(first, version);
  const auto second = decode<M>(encoded, version);
  if (!second) return second.error().message;
  if (*second != first) return "decoded it differs";
  return encode(*second, version) == encoded ? "" : "encoded again it differs";
}

template <class M>
message_access access(message_kind kind) {
  return {M::name,          kind,
          M::api_key,       M::min_version,
          M::max_version,   message_to_json<M>,
          message_from_json<M>, recode_message<M>,
          random_message_body<M>, check_message_stable<M>,
          check_message_round_trip<M>};
}

}  // namespace weir::protocol::testing
