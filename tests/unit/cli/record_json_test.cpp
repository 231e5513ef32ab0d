// Records as JSON: the form is that of Kafka's own converters (tests/conformance/golden/records), in both directions.
#include "cli/record_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/base64.hpp"
#include "tests/unit/protocol/encodings.hpp"

namespace weir::cli {
namespace {

namespace json = boost::json;
using protocol::testing::from_hex;
using ::testing::HasSubstr;

struct golden_record {
  std::string name;
  record_bytes raw;
  json::object line;  // what we must write
};

std::vector<golden_record> golden_records() {
  std::vector<golden_record> out;
  for (const auto& file : std::filesystem::directory_iterator(WEIR_SOURCE_DIR "/tests/conformance/golden/records")) {
    std::stringstream content;
    content << std::ifstream(file.path()).rdbuf();
    const auto from = json::parse(content.str()).as_object();
    golden_record one{.name = file.path().stem().string(), .raw = {}, .line = {}};
    one.raw.key = from_hex(std::string(from.at("keyHex").as_string()));
    one.line["key"] = {{"type", from.at("recordType")}, {"data", from.at("key")}};
    one.line["value"] = nullptr;
    if (!from.at("valueHex").is_null()) {
      one.raw.value = from_hex(std::string(from.at("valueHex").as_string()));
      one.line["value"] = {{"version", from.at("valueVersion")}, {"data", from.at("value")}};
    }
    out.push_back(std::move(one));
  }
  return out;
}

result<std::string> written(const record_bytes& record) {
  return record_to_json(record.key, record.value ? std::optional<byte_view>(*record.value) : std::nullopt);
}

std::string problem(const std::string& line) {
  const auto read = record_from_json(line);
  return read ? "none" : read.error().message;
}

TEST(record_json, kafkas_records_are_written_as_kafka_writes_them_and_read_back) {
  const auto all = golden_records();
  ASSERT_EQ(all.size(), 30U);
  for (const auto& record : all) {
    const auto line = written(record.raw);
    ASSERT_TRUE(line) << record.name << ": " << line.error().message;
    auto parsed = json::parse(*line).as_object();
    EXPECT_TRUE(parsed.contains("name"));
    parsed.erase("name");
    EXPECT_EQ(parsed, record.line) << record.name;
    const auto read = record_from_json(*line);
    ASSERT_TRUE(read) << record.name << ": " << read.error().message;
    EXPECT_EQ(*read, record.raw) << record.name;
    EXPECT_EQ(record_from_json(json::serialize(record.line)).value(), record.raw) << "without our name in front";
  }
}

constexpr std::string_view epoch_line =
    R"({"name":"StreamsGroupMetadata","key":{"type":17,"data":{"groupId":"g"}},"value":{"version":0,"data":)"
    R"({"epoch":1,"metadataHash":-9223372036854775808}}})";

std::string changed(std::string_view from, std::string_view to) {
  std::string line(epoch_line);
  line.replace(line.find(from), from.size(), to);
  return line;
}

TEST(record_json, the_line_of_a_record) {
  const auto read = record_from_json(epoch_line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(written(*read).value(), epoch_line);
}

TEST(record_json, mistakes_are_named_with_their_place) {
  EXPECT_THAT(problem("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(problem("[]"), HasSubstr("must be an object"));
  EXPECT_EQ(problem(changed(R"("epoch":1,)", "")), "value.data.epoch is missing");
  EXPECT_EQ(problem(changed(R"("epoch":1)", R"("epoch":"1")")), "value.data.epoch must be an integer, not a string");
  EXPECT_EQ(problem(changed(R"("epoch":1)", R"("epoch":2147483648)")), "value.data.epoch is out of range: 2147483648");
  EXPECT_EQ(problem(changed(R"("epoch":1)", R"("epoch":1,"epoch":2)")), "value.data.epoch is given twice");
  EXPECT_EQ(problem(changed(R"("epoch":1)", R"("epoch":1,"epok":2)")), "value.data.epok is not a field of it");
  EXPECT_EQ(problem(changed(R"("groupId":"g")", R"("groupId":null)")), "key.data.groupId must be a string, not null");
  EXPECT_EQ(problem(changed(R"({"groupId":"g"})", "7")), "key.data must be an object, not an integer");
  EXPECT_EQ(problem(changed(R"("type":17)", R"("type":99)")),
            "name is 'StreamsGroupMetadata', but record type 99 is ''");
  EXPECT_EQ(problem(changed("StreamsGroupMetadata", "OffsetCommit")),
            "name is 'OffsetCommit', but record type 17 is 'StreamsGroupMetadata'");
  EXPECT_EQ(problem(changed(R"("version":0)", R"("version":1)")), "value.version must be 0 to 0, not 1");
  EXPECT_THAT(problem(changed(R"("value")", R"("walue")")), HasSubstr("walue"));
  EXPECT_EQ(problem(changed(R"("groupId":"g")", fmt::format(R"("groupId":"{}")", std::string(32768, 'g')))),
            "key.data.groupId is longer than 32767 bytes");
}

TEST(record_json, a_problem_deep_inside_has_its_path) {
  const std::string line =
      R"({"key":{"type":21,"data":{"groupId":"g","memberId":"m"}},"value":{"version":0,"data":{"activeTasks":[)"
      R"({"subtopologyId":"0","partitions":[0,"1"]}],"standbyTasks":[],"warmupTasks":[]}}})";
  EXPECT_EQ(problem(line), "value.data.activeTasks[0].partitions[1] must be an integer, not a string");
}

TEST(record_json, a_text_that_is_no_utf8_is_base64_and_comes_back) {
  auto record = record_from_json(epoch_line).value();
  record.key.back() = 0xFF;  // the group id
  const auto line = written(record);
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(*line, changed(R"("g")", R"({"base64":"/w=="})"));
  EXPECT_EQ(record_from_json(*line).value(), record);
  EXPECT_EQ(problem(changed(R"("g")", R"({"base64":"/w="})")), "key.data.groupId.base64 is not base64");
  EXPECT_EQ(problem(changed(R"("g")", R"({"base64":7})")), "key.data.groupId.base64 must be a string, not an integer");
  EXPECT_EQ(problem(changed(R"("g")", R"({"base65":""})")), "key.data.groupId must be a string, not an object");
  EXPECT_EQ(problem(changed(R"("g")", R"({"base64":"","a":1})")), "key.data.groupId must be a string, not an object");
  EXPECT_EQ(problem(changed(R"("g")", fmt::format(R"({{"base64":"{}"}})", to_base64(std::string(32768, '\xff'))))),
            "key.data.groupId is longer than 32767 bytes");
}

TEST(record_json, control_characters_and_quotes_survive) {
  auto record = record_from_json(changed(R"("g")", R"("\u0000\u0007\"\\\u007fé")")).value();
  EXPECT_EQ(record_from_json(written(record).value()).value(), record);
}

TEST(base64, every_length_comes_back_and_nothing_else_is_taken) {
  std::string data;
  for (int size = 0; size < 20; ++size) {
    EXPECT_EQ(from_base64(to_base64(data)), data);
    data.push_back(static_cast<char>(size * 37));
  }
  EXPECT_EQ(to_base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
  for (const auto* const bad : {"YQ", "YQ=", "YR==", "Y!==", "YQ==YQ=="}) EXPECT_FALSE(from_base64(bad)) << bad;
}

}  // namespace
}  // namespace weir::cli
