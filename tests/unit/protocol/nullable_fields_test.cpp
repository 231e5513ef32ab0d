// Null in every field that may be null, in every version that lets it be: what was null is null again, and nothing else
// is. The schemas are read here once more, so a field that the generator forgets is found.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/uuid.hpp"
#include "tests/unit/protocol/message_access.hpp"

namespace weir::protocol::testing {
namespace {

namespace json = boost::json;

std::map<std::string, json::object, std::less<>> all_schemas() {
  std::map<std::string, json::object, std::less<>> out;
  for (const auto* const folder : {"protocol/schemas", "protocol/schemas/records"}) {
    for (const auto& file : std::filesystem::directory_iterator(std::string(WEIR_SOURCE_DIR "/") + folder)) {
      if (file.path().extension() != ".json") continue;
      std::stringstream content;
      content << std::ifstream(file.path()).rdbuf();
      const auto parsed = json::parse(content.str());
      if (parsed.is_object() && parsed.as_object().contains("validVersions")) {
        out.emplace(std::string(parsed.at("name").as_string()), parsed.as_object());
      }
    }
  }
  return out;
}

/// Whether `3`, `1-4` or `2+` has the version; what is absent or `none` has no versions.
bool has_version(const json::object& field, const char* versions, int version) {
  const auto* const value = field.if_contains(versions);
  if (value == nullptr || value->as_string() == "none") return false;
  const std::string_view text = value->as_string();
  int first = 0;
  const auto* const after = std::from_chars(text.data(), text.data() + text.size(), first).ptr;
  const auto rest = text.substr(static_cast<std::size_t>(after - text.data()));
  int last = first;
  if (rest == "+") last = std::numeric_limits<int>::max();
  if (rest.starts_with('-')) std::from_chars(rest.data() + 1, rest.data() + rest.size(), last);
  return version >= first && version <= last;
}

/// A document with something in every field, but null in one of the places that may be null.
class document {
 public:
  document(const json::object& schema, int version, int null_place)
      : schema_(schema), version_(version), null_place_(null_place), content_(fields(schema)) {}

  [[nodiscard]] const json::object& content() const { return content_; }
  /// In the whole document, as far as they are not below the null.
  [[nodiscard]] int places() const { return places_; }
  [[nodiscard]] const std::string& null_field() const { return null_field_; }

 private:
  json::object fields(const json::object& of) {
    json::object out;
    for (const auto& each : of.at("fields").as_array()) {
      const auto& field = each.as_object();
      if (!has_version(field, "versions", version_)) continue;
      if (field.contains("tag") && !has_version(field, "taggedVersions", version_)) continue;
      auto name = std::string(field.at("name").as_string());
      if (name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
      if (!has_version(field, "nullableVersions", version_) || places_++ != null_place_) {
        out[name] = something(field);
        continue;
      }
      null_field_ = name;
      // A tagged field at its default is left out.
      const auto* const by_default = field.if_contains("default");
      if (field.contains("tag") && by_default != nullptr && *by_default == "null") continue;
      out[name] = nullptr;
    }
    return out;
  }
  json::value something(const json::object& field) {
    const std::string_view type = field.at("type").as_string();
    if (type.starts_with("[]")) return json::array{something(field, type.substr(2))};
    return something(field, type);
  }
  json::value something(const json::object& field, std::string_view type) {
    if (type == "string") return "text";
    if (type == "bytes") return "Ynl0ZXM=";
    if (type == "records") return nullptr;  // the JSON form does not hold them
    if (type == "bool") return true;
    if (type == "uuid") return json::string(weir::uuid{7, 7}.to_string());
    if (type.starts_with("int") || type.starts_with("uint") || type == "float64") return std::int64_t{7};
    return fields(structure(field, type));
  }
  const json::object& structure(const json::object& field, std::string_view name) {
    if (field.contains("fields")) return field;
    for (const auto& common : schema_.at("commonStructs").as_array()) {
      if (common.at("name").as_string() == name) return common.as_object();
    }
    throw std::runtime_error("no structure " + std::string(name));
  }

  const json::object& schema_;
  int version_;
  int null_place_;
  int places_ = 0;
  std::string null_field_;
  json::object content_;
};

/// Encoded and decoded again; what went wrong, if anything did.
json::value there_and_back(const message_access& message, const document& sent, std::int16_t version) {
  const auto body = message.from_json(sent.content(), version);
  if (!body) return json::string(body.error().message);
  auto seen = message.to_json(*body, version);
  return seen ? std::move(*seen) : json::value(seen.error().message);
}

TEST(nullable_fields_test, null_is_null_again_in_every_field_and_version_that_may_be_null) {
  const auto schemas = all_schemas();
  int nulls = 0;
  for (const auto& message : all_messages()) {
    const auto schema = schemas.find(message.name);
    ASSERT_NE(schema, schemas.end()) << message.name;
    for (auto version = message.min_version; version <= message.max_version; ++version) {
      const document whole(schema->second, version, -1);
      EXPECT_EQ(there_and_back(message, whole, version), whole.content()) << message.name << " version " << version;
      for (int place = 0;; ++place, ++nulls) {
        const document sent(schema->second, version, place);
        if (sent.places() <= place) break;
        EXPECT_EQ(there_and_back(message, sent, version), sent.content())
            << message.name << " version " << version << ", null in " << sent.null_field();
      }
    }
  }
  EXPECT_GT(nulls, 400);
}

}  // namespace
}  // namespace weir::protocol::testing
