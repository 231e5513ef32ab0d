// Spec 05, section 10, test 1: every golden frame and record decodes to the stated fields and encodes back to the same
// bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "protocol/codec.hpp"
#include "protocol/group_records.hpp"
#include "protocol/headers.hpp"
#include "tests/unit/protocol/encodings.hpp"
#include "tests/unit/protocol/message_access.hpp"

namespace weir::protocol::testing {
namespace {

namespace json = boost::json;

constexpr std::size_t frames_in_repository = 228;
constexpr std::size_t records_in_repository = 30;

struct golden_file {
  std::string name;
  json::object content;
};

std::vector<golden_file> read_folder(const std::string& folder) {
  std::vector<golden_file> files;
  for (const auto& entry : std::filesystem::directory_iterator(WEIR_SOURCE_DIR "/tests/conformance/golden/" + folder)) {
    std::ifstream in(entry.path());
    std::stringstream content;
    content << in.rdbuf();
    files.push_back({entry.path().stem().string(), json::parse(content.str()).as_object()});
  }
  std::ranges::sort(files, {}, &golden_file::name);
  return files;
}

const message_access& message_named(const std::string& name) {
  static const auto all = all_messages();
  const auto found = std::ranges::find(all, name, &message_access::name);
  if (found == all.end()) throw std::runtime_error("no message " + name);
  return *found;
}

std::int16_t number(const json::object& from, const char* name) { return from.at(name).to_number<std::int16_t>(); }

/// The golden files state one field that its version lacks: 008, the fallback answer, "throttleTimeMs": 0 in version 0.
json::value stated_body(const golden_file& file) {
  auto body = file.content.at("body");
  if (file.name == "008-api18-v9-res-unsupported-version-fallback") body.as_object().erase("throttleTimeMs");
  return body;
}

bool holds_records(const json::value& value) {
  if (value.is_object()) {
    return std::ranges::any_of(value.as_object(), [](const auto& member) {
      return member.key() == "records" || member.key() == "recordsSizeInBytes" || holds_records(member.value());
    });
  }
  return value.is_array() && std::ranges::any_of(value.as_array(), holds_records);
}

/// Checks one message: its JSON, bytes from bytes, bytes from JSON.
void expect_message(const message_access& message, byte_view raw, std::int16_t version, const json::value& stated) {
  const auto decoded = message.to_json(raw, version);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, stated) << "decoded " << json::serialize(*decoded) << "\nstated  " << json::serialize(stated);
  EXPECT_EQ(to_hex(message.recode(raw, version).value()), to_hex(raw));
  if (holds_records(stated)) return;
  const auto encoded = message.from_json(stated, version);
  ASSERT_TRUE(encoded) << encoded.error().message;
  EXPECT_EQ(to_hex(*encoded), to_hex(raw));
}

struct opened {
  byte_view header;
  byte_view body;
};

result<opened> open(const golden_file& file, byte_view frame) {
  const auto split = [&](byte_view body) { return opened{frame.first(frame.size() - body.size()), body}; };
  if (file.content.at("dir").as_string() == "req") {
    return open_request(frame).map([&](const request_frame& f) { return split(f.body); });
  }
  const auto key = static_cast<api>(number(file.content, "api"));
  return open_response(frame, key, number(file.content, "version")).map([&](const response_frame& f) {
    return split(f.body);
  });
}

void expect_frame(const golden_file& file) {
  const auto& content = file.content;
  const auto raw = from_hex(content.at("hex").as_string());
  ASSERT_GE(raw.size(), 4U);
  const auto frame = byte_view(raw).subspan(4);
  ASSERT_EQ(frame.size(), static_cast<std::size_t>(wire::reader(raw).int32()));
  const auto parts = open(file, frame);
  ASSERT_TRUE(parts) << parts.error().message;
  const bool is_request = content.at("dir").as_string() == "req";
  const std::string side = is_request ? "Request" : "Response";
  expect_message(message_named(side + "Header"), parts->header, number(content, "headerVersion"), content.at("header"));
  const auto version = number(content, content.contains("bodyVersion") ? "bodyVersion" : "version");
  const auto name = std::string(content.at("apiName").as_string()) + side;
  expect_message(message_named(name), parts->body, version, stated_body(file));
}

TEST(golden_test, every_frame_decodes_to_the_stated_fields_and_encodes_to_the_same_bytes) {
  const auto files = read_folder("frames");
  EXPECT_EQ(files.size(), frames_in_repository);
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    expect_frame(file);
  }
}

const message_access& record_part(std::int16_t type, message_kind kind) {
  static const auto all = all_messages();
  const auto found =
      std::ranges::find_if(all, [&](const message_access& m) { return m.api_key == type && m.kind == kind; });
  if (found == all.end()) throw std::runtime_error("no record type " + std::to_string(type));
  return *found;
}

void expect_record(const golden_file& file) {
  const auto& content = file.content;
  const auto type = number(content, "recordType");
  const auto key = from_hex(content.at("keyHex").as_string());
  ASSERT_EQ(record_type(key), type);
  expect_message(record_part(type, message_kind::key), byte_view(key).subspan(2), 0, content.at("key"));
  if (content.at("valueHex").is_null()) return;  // a tombstone: a key and nothing else
  const auto value = from_hex(content.at("valueHex").as_string());
  ASSERT_EQ(value_version(value), number(content, "valueVersion"));
  expect_message(record_part(type, message_kind::value), byte_view(value).subspan(2), *value_version(value),
                 content.at("value"));
}

TEST(golden_test, every_record_decodes_to_the_stated_fields_and_encodes_to_the_same_bytes) {
  const auto files = read_folder("records");
  EXPECT_EQ(files.size(), records_in_repository);
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    expect_record(file);
  }
}

}  // namespace
}  // namespace weir::protocol::testing
