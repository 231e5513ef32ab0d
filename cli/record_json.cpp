#include "cli/record_json.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "cli/json_fields.hpp"
#include "http/json_reader.hpp"
#include "protocol/group_records.hpp"
#include "protocol/messages/record_fields.hpp"

namespace weir::cli {
namespace {

constexpr std::int16_t key_version = 0;

/// Calls found(message) with an empty message of that record type. Whether the list has one.
template <class... M, class Found>
bool for_type(protocol::message_list<M...> /*all*/, std::int16_t type, Found&& found) {
  return ((M::api_key == type ? (found(M{}), true) : false) || ...);
}

tl::unexpected<error> unknown_record(std::int16_t type) {
  return fail(fmt::format("there is no record type {}", type));
}

/// `"data":{...}` of a message of that type.
template <class List>
result<void> append_data(std::string& out, List all, std::int16_t type, byte_view body, std::int16_t version) {
  result<void> done;
  const bool known = for_type(all, type, [&](auto message) {
    auto decoded = protocol::decode<decltype(message)>(body, version);
    if (!decoded) {
      done = tl::unexpected(decoded.error());
      return;
    }
    out += "\"data\":";
    json_fields_writer fields(out, version);
    visit(fields, *decoded, version);
    fields.finish();
  });
  if (!known) return unknown_record(type);
  return done;
}

std::string record_name(std::int16_t type) {
  std::string name;
  for_type(protocol::all_values{}, type, [&](auto message) {
    constexpr std::string_view ending = "Value";
    name = decltype(message)::name.substr(0, decltype(message)::name.size() - ending.size());
  });
  return name;
}

/// The message in `data`, with its type or version in front.
template <class List>
result<bytes> read_data(List all, std::int16_t type, const http::json_value& part, std::int16_t version) {
  const auto* const data = part.find("data");
  constexpr bool is_key = std::is_same_v<List, protocol::all_keys>;
  const std::string path = is_key ? "key.data" : "value.data";
  if (data == nullptr) return fail(path + " is missing");
  result<bytes> out{bytes{}};
  const bool known = for_type(all, type, [&](auto message) {
    using M = decltype(message);
    if (version < M::min_version || version > M::max_version) {
      out = fail(fmt::format("value.version must be {} to {}, not {}", M::min_version, M::max_version, version));
      return;
    }
    json_fields_reader fields(*data, version);
    visit(fields, message, version);
    if (auto problem = fields.finish(path)) {
      out = fail(std::move(*problem));
      return;
    }
    protocol::wire::writer writer(*out);
    writer.int16(is_key ? type : version);
    message.write(writer, version);
  });
  if (!known) return unknown_record(type);
  return out;
}

/// An object of exactly these members.
result<void> check_members(const http::json_value& from, std::string_view what,
                           std::initializer_list<std::string_view> names) {
  http::object_reader members(from, std::string(what));
  for (const auto name : names) members.field(name);
  const auto problems = members.finish();
  if (!problems.empty()) return fail(http::joined(problems));
  return {};
}

result<std::int16_t> small_integer(const http::json_value& from, std::string_view what, std::string_view name) {
  const auto* const found = from.find(name);
  const auto* const number = found == nullptr ? nullptr : found->as<std::int64_t>();
  if (number == nullptr || !std::in_range<std::int16_t>(*number)) {
    return fail(fmt::format("{}.{} must be a small integer", what, name));
  }
  return static_cast<std::int16_t>(*number);
}

result<std::optional<bytes>> read_value(const http::json_value& line, std::int16_t type) {
  const auto* const value = line.find("value");
  if (value == nullptr) return fail("value is missing (null is a tombstone)");
  if (value->as<std::nullptr_t>() != nullptr) return std::optional<bytes>();
  const auto checked = check_members(*value, "value", {"version", "data"});
  if (!checked) return tl::unexpected(checked.error());
  const auto version = small_integer(*value, "value", "version");
  if (!version) return tl::unexpected(version.error());
  return read_data(protocol::all_values{}, type, *value, *version).map([](bytes made) { return std::optional(made); });
}

}  // namespace

result<std::string> record_to_json(byte_view key, const std::optional<byte_view>& value) {
  const auto type = protocol::record_type(key);
  if (!type) return fail("record key without a type");
  std::string out = fmt::format(R"({{"name":"{}","key":{{"type":{},)", record_name(*type), *type);
  auto put = append_data(out, protocol::all_keys{}, *type, key.subspan(sizeof *type), key_version);
  if (!put) return tl::unexpected(put.error());
  if (!value) return out + R"(},"value":null})";
  const auto version = protocol::value_version(*value);
  if (!version) return fail("record value without a version");
  out += fmt::format(R"(}},"value":{{"version":{},)", *version);
  put = append_data(out, protocol::all_values{}, *type, value->subspan(sizeof *version), *version);
  if (!put) return tl::unexpected(put.error());
  return out + "}}";
}

result<record_bytes> record_from_json(std::string_view line) {
  const auto parsed = http::parse_json(line);
  if (!parsed) return tl::unexpected(parsed.error());
  auto checked = check_members(*parsed, "", {"name", "key", "value"});
  if (!checked) return tl::unexpected(checked.error());
  const auto* const key = parsed->find("key");
  if (key == nullptr) return fail("key is missing");
  checked = check_members(*key, "key", {"type", "data"});
  if (!checked) return tl::unexpected(checked.error());
  const auto type = small_integer(*key, "key", "type");
  if (!type) return tl::unexpected(type.error());
  if (const auto* name = parsed->find("name"); name != nullptr && name->plain() != record_name(*type)) {
    return fail(fmt::format("name is '{}', but record type {} is '{}'", name->plain(), *type, record_name(*type)));
  }
  record_bytes out;
  auto made = read_data(protocol::all_keys{}, *type, *key, key_version);
  if (!made) return tl::unexpected(made.error());
  out.key = std::move(*made);
  auto value = read_value(*parsed, *type);
  if (!value) return tl::unexpected(value.error());
  out.value = std::move(*value);
  return out;
}

}  // namespace weir::cli
