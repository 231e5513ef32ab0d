// `weir groups export` and `weir groups import` over real data folders: what goes out comes back, bad files change
// nothing.
#include "cli/group_transfer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>

#include "base/random.hpp"
#include "protocol/record_batch.hpp"
#include "storage/group_folder.hpp"
#include "storage/record_codec.hpp"
#include "tests/unit/storage/record_samples.hpp"
#include "tests/unit/storage/temporary_folder.hpp"

namespace weir::cli {
namespace {

using storage::folded_group;
using ::testing::HasSubstr;

constexpr std::int64_t now_ms = 1'700'000'000'000;

/// Random groups with records of every type, such as a coordinator could have written.
class random_groups {
 public:
  explicit random_groups(std::uint64_t seed) : random_(seed) {}

  std::vector<folded_group> some() {
    std::vector<folded_group> out(1 + below(6));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].id = fmt::format("{}-{}", name(), i);
      out[i].records = below(3) == 0 ? classic() : streams();
      for (std::uint64_t p = below(4); p > 0; --p) out[i].records.push_back(offset(static_cast<std::int32_t>(p)));
    }
    return out;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_.next() % limit; }
  std::int32_t small() { return static_cast<std::int32_t>(below(1000)); }
  std::string name() {
    static const std::vector<std::string> names = {"orders", "weiß \"x\"", "tab\tand zero" + std::string(1, '\0'), "日本",
                                                   "a", "no UTF-8: \xff\xed\xa0\x80"};
    return names[below(names.size())];
  }
  group::records classic() {
    return {group::classic_group_record{
        group::classic_metadata{name(), small(), static_cast<std::int64_t>(random_.next())}}};
  }
  group::record offset(std::int32_t partition) {
    group::committed_offset value;
    value.offset = static_cast<std::int64_t>(below(1'000'000));
    value.metadata = name();
    value.commit_timestamp_ms = now_ms;
    if (below(2) == 0) {
      value.expire_timestamp_ms = now_ms + 1;
    } else {
      value.leader_epoch = small();
      value.topic_id = {random_.next(), random_.next()};
    }
    return group::offset_record{name(), partition, value};
  }
  group::records streams() {
    group::group_metadata metadata;
    metadata.epoch = 1000 + small();
    metadata.metadata_hash = static_cast<std::int64_t>(random_.next());
    if (below(2) == 0) metadata.assignment_configs = {{"num.standby.replicas", "1"}};
    metadata.stored_description_epoch = small() - 2;
    group::topology topology;
    topology.epoch = small();
    topology.subtopologies.resize(2 + below(3));
    for (auto& part : topology.subtopologies) {
      part.id = std::to_string(&part - topology.subtopologies.data());
      part.source_topics = {name(), name()};
      part.state_changelog_topics.push_back({.name = name(), .partitions = small(), .replication_factor = 1,
                                             .configs = {{"cleanup.policy", "compact"}}});
      part.copartition_groups.push_back(
          {.source_topics = {0, 1}, .source_topic_regex = {}, .repartition_source_topics = {}});
    }
    group::records out = {group::group_metadata_record{metadata}, group::topology_record{topology},
                          group::target_metadata_record{group::target_metadata{small(), now_ms}},
                          group::topology_description_record{group::topology_description{small(), "\x01\xff"}}};
    for (auto m = static_cast<std::int32_t>(below(4)); m > 0; --m) add_member(out, fmt::format("{}-{}", name(), m), m);
    return out;
  }
  void add_member(group::records& out, const std::string& id, std::int32_t number) {
    group::member_metadata metadata;
    if (below(2) == 0) metadata.instance_id = name();
    if (below(2) == 0) metadata.user_endpoint = group::endpoint{name(), static_cast<std::uint16_t>(below(65536))};
    metadata.client_id = name();
    metadata.client_tags = {{"zone", name()}};
    group::current_assignment current;
    current.member_epoch = small();
    current.assigned.active = {{"0", {{number, 1}, {number + 10, small()}}}};
    current.pending_revocation.standby = {{"1", {2}}};
    out.push_back(group::member_metadata_record{id, metadata});
    out.push_back(group::target_member_record{id, group::role_tasks{{{"0", {0, 1}}}, {}, {}}});
    out.push_back(group::current_assignment_record{id, current});
  }

  seeded_random random_;
};

storage::stored_groups stored_in(const std::string& folder) {
  storage::stored_groups out;
  auto opened = storage::group_folder::open(folder);
  if (!opened) return {{"error: " + opened.error().message, {}}};
  const auto read = opened->read([&](std::string_view group_id, group::record r) {
    if (out.empty() || out.back().first != group_id) out.emplace_back(group_id, group::records{});
    out.back().second.push_back(std::move(r));
  });
  EXPECT_TRUE(read);
  return out;
}


class group_transfer : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return place_.path() + "/" + name; }
  void fill(const std::string& name, const std::vector<folded_group>& groups) {
    auto folder = storage::group_folder::open(at(name));
    ASSERT_TRUE(folder) << folder.error().message;
    ASSERT_TRUE(folder->replace(groups));
  }
  result<std::string> exported(const std::string& name, export_options options = {}) {
    options.data_dir = at(name);
    std::ostringstream out;
    const auto told = export_groups(options, out, now_ms);
    if (!told) return told;
    return out.str();
  }
  std::string write(const std::string& name, std::string_view content) {
    std::ofstream(at(name), std::ios::binary) << content;
    return at(name);
  }
  result<std::string> import_into(const std::string& name, const std::string& file, import_options options = {}) {
    options.data_dir = at(name);
    options.files = {file};
    return import_groups(options);
  }
  /// Why the file is refused; the folder must not come to be.
  std::string refused(const std::string& file) {
    const auto told = import_into("never", file);
    EXPECT_FALSE(storage::group_folder::exists(at("never")));
    return told ? "none: " + *told : told.error().message;
  }

  const storage::temporary_folder place_;
};

/// A streams group without members.
folded_group simple_group(const std::string& id) {
  return {.id = id, .kind = "streams group", .records = {storage::offset("t", 0, 5), storage::group_epoch(3)}};
}

TEST_F(group_transfer, what_is_exported_and_imported_exports_the_same) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    for (const auto format : {dump_format::jsonl, dump_format::kafka}) {
      const auto from = fmt::format("from-{}-{}", seed, static_cast<int>(format));
      fill(from, random_groups(seed).some());
      const auto first = exported(from, {.format = format});
      ASSERT_TRUE(first) << first.error().message;
      const auto told = import_into(from + "-copy", write("dump", *first));
      ASSERT_TRUE(told) << told.error().message;
      EXPECT_EQ(stored_in(at(from + "-copy")), stored_in(at(from))) << "seed " << seed;
      EXPECT_EQ(exported(from + "-copy", {.format = format}), first) << "seed " << seed;
    }
  }
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(group_transfer, a_link_and_a_pipe_stay_what_they_are) {
  fill("from", {simple_group("a")});
  const auto whole = exported("from").value();
  std::filesystem::create_symlink(write("file", "old"), at("link"));
  ASSERT_TRUE(exported("from", {.output = at("link")}));
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_EQ(content_of(at("file")), whole);
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, content_of, at("pipe"));
  ASSERT_TRUE(exported("from", {.output = at("pipe")}));
  EXPECT_EQ(reader.get(), whole);
  EXPECT_TRUE(std::filesystem::is_fifo(at("pipe")));
}

TEST_F(group_transfer, a_large_export_is_several_batches) {
  folded_group large{.id = "g", .kind = "offsets", .records = {}};
  for (int p = 0; p < 20'000; ++p) large.records.push_back(storage::offset("topic", p, p));
  fill("from", {large});
  const auto log = exported("from", {.format = dump_format::kafka}).value();
  const auto first = protocol::batch_size(storage::as_bytes(log).first(protocol::batch_prefix_bytes));
  ASSERT_TRUE(first);
  EXPECT_LT(*first, log.size());
  ASSERT_TRUE(import_into("to", write("dump", log)));
  EXPECT_EQ(stored_in(at("to")), stored_in(at("from")));
}

TEST_F(group_transfer, only_the_groups_that_were_asked_for) {
  fill("from", {simple_group("a"), simple_group("b"), simple_group("c")});
  ASSERT_TRUE(import_into("one", write("dump", exported("from", {.groups = {"b"}}).value())));
  EXPECT_EQ(stored_in(at("one")).size(), 1U);
  ASSERT_TRUE(import_into("two", write("dump", exported("from").value()), {.groups = {"a", "c"}}));
  EXPECT_EQ(stored_in(at("two")).size(), 2U);
  EXPECT_EQ(exported("from", {.groups = {"a", "x"}}).error().message, "there is no group 'x' in the data folder");
  const auto missing = import_into("three", at("dump"), {.groups = {"x"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "there is no group 'x' in what was read");
}

TEST_F(group_transfer, spec04_1_the_partition_of_a_group) {
  EXPECT_EQ(partition_of("polygenelubricants", 50), 0) << "the hash that has no absolute value";
  EXPECT_EQ(partition_of("word-count", 1), 0);
  EXPECT_TRUE(parse_partition("0/1"));
  for (const auto* const bad : {"", "1", "/", "1/1", "-1/2", "2/x", "1/2/3", "a/2"}) {
    EXPECT_FALSE(parse_partition(bad)) << bad;
  }
  fill("from", {simple_group("a"), simple_group("b"), simple_group("c"), simple_group("d")});
  std::size_t records = 0;
  for (std::int32_t p = 0; p < 3; ++p) {
    const auto out = exported("from", {.partition = offsets_partition{p, 3}}).value();
    records += static_cast<std::size_t>(std::ranges::count(out, '\n')) - 1;
  }
  EXPECT_EQ(records, 8U) << "each group is in one partition";
}

TEST_F(group_transfer, topic_ids_can_be_left_behind) {
  auto group = simple_group("g");
  std::get<group::offset_record>(group.records[0]).value->topic_id = {1, 2};
  fill("from", {group});
  const auto with = exported("from").value();
  EXPECT_THAT(with, HasSubstr("topicId"));
  EXPECT_THAT(exported("from", {.forget_topic_ids = true}).value(), Not(HasSubstr("topicId")));
  ASSERT_TRUE(import_into("to", write("dump", with), {.forget_topic_ids = true}));
  EXPECT_THAT(exported("to").value(), Not(HasSubstr("topicId")));
}

TEST_F(group_transfer, groups_that_are_there_are_replaced_only_if_told_so) {
  fill("from", {simple_group("a"), simple_group("b")});
  fill("to", {{.id = "b", .kind = "streams group", .records = {storage::group_epoch(9), storage::member("m")}}});
  const auto before = stored_in(at("to"));
  const auto file = write("dump", exported("from").value());
  const auto told = import_into("to", file);
  ASSERT_FALSE(told);
  EXPECT_THAT(told.error().message, HasSubstr("already has b"));
  EXPECT_EQ(stored_in(at("to")), before);
  const auto dry = import_into("to", file, {.replace = true, .dry_run = true});
  ASSERT_TRUE(dry);
  EXPECT_THAT(*dry, HasSubstr("would import b: streams group, 2 records, 1 offsets"));
  EXPECT_EQ(stored_in(at("to")), before);
  ASSERT_TRUE(import_into("to", file, {.replace = true}));
  EXPECT_EQ(stored_in(at("to")), stored_in(at("from")));
}

TEST_F(group_transfer, a_dry_run_makes_no_folder) {
  fill("from", {simple_group("a")});
  const auto told = import_into("never", write("dump", exported("from").value()), {.dry_run = true});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(*told, HasSubstr("read 2 records: 1 groups to import, 0 skipped\ndry run: nothing was changed"));
  EXPECT_FALSE(std::filesystem::exists(at("never")));
}

TEST_F(group_transfer, a_damaged_segment_is_refused_with_its_place) {
  fill("from", {simple_group("a")});
  const auto log = exported("from", {.format = dump_format::kafka}).value();
  const auto twice = log + log;
  EXPECT_THAT(refused(write("dump", twice)), HasSubstr(fmt::format("dump, byte {}: offset 0 behind 1", log.size())));
  EXPECT_THAT(refused(write("dump", log.substr(0, log.size() - 1))), HasSubstr("dump, byte 0: the file ends inside"));
  EXPECT_THAT(refused(write("dump", log.substr(0, 5))), HasSubstr("dump, byte 0: the file ends inside"));
  auto damaged = log;
  damaged.back() ^= 1;
  EXPECT_THAT(refused(write("dump", damaged)), HasSubstr("dump, byte 0: the checksum is wrong"));
  EXPECT_THAT(refused(write("dump", "what is this, a log or what?")), HasSubstr("dump, byte 0: not a record batch"));
  EXPECT_THAT(refused(at("absent")), HasSubstr("No such file"));
  std::filesystem::create_directory(at("empty"));
  EXPECT_THAT(refused(at("empty")), HasSubstr("there is no segment"));
}

TEST_F(group_transfer, a_damaged_list_of_lines_is_refused_with_its_place) {
  fill("from", {simple_group("a"), simple_group("b")});
  const auto lines = exported("from").value();
  const auto last = lines.rfind('\n', lines.size() - 2) + 1;
  EXPECT_THAT(refused(write("dump", lines.substr(0, last))), HasSubstr("dump:4: the file ends with 3 records of 4"));
  EXPECT_THAT(refused(write("dump", lines.substr(0, last + 20))), HasSubstr("dump:5: not valid JSON"));
  EXPECT_THAT(refused(write("dump", lines.substr(lines.find('\n') + 1))), HasSubstr("dump:1: "));
  EXPECT_THAT(refused(write("dump", R"({"format":"weir-groups","version":2,"records":0})")),
              HasSubstr("dump:1: version 2 is not 1"));
}

TEST_F(group_transfer, an_export_to_a_file_leaves_nothing_half_done) {
  fill("from", {simple_group("a"), {.id = "b\xff", .kind = "streams group", .records = {storage::group_epoch(1)}}});
  std::ostringstream ignored;
  export_options options{.data_dir = at("from"), .groups = {}, .partition = {}, .output = at("out")};
  for (const auto format : {dump_format::kafka, dump_format::jsonl}) {
    options.format = format;
    ASSERT_TRUE(export_groups(options, ignored, now_ms));
    EXPECT_FALSE(std::filesystem::exists(at("out.part")));
    ASSERT_TRUE(import_into("to", at("out"), {.replace = true}));
    EXPECT_EQ(stored_in(at("to")), stored_in(at("from"))) << "both forms keep every byte";
  }
  std::filesystem::create_directory(at("place"));
  options.output = at("place");
  EXPECT_THAT(export_groups(options, ignored, now_ms).error().message, HasSubstr("Is a directory"));
  EXPECT_FALSE(std::filesystem::exists(at("place.part")));
  options.output = at("nowhere/out");
  EXPECT_THAT(export_groups(options, ignored, now_ms).error().message, HasSubstr("No such file"));
  options.data_dir = at("nowhere");
  EXPECT_THAT(export_groups(options, ignored, now_ms).error().message, HasSubstr("there is no data folder"));
}

TEST_F(group_transfer, ids_reach_no_terminal_with_control_characters) {
  const std::string id = "a\n\x1b[2J\xc2\x9b é";
  const std::string shown = R"(a\x0a\x1b[2J\xc2\x9b é)";
  fill("from", {simple_group(id), simple_group("\xff\xc3\xa9")});
  const auto file = write("dump", exported("from").value());
  const auto told = import_into("to", file);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(*told, HasSubstr("imported " + shown + ": streams group"));
  EXPECT_THAT(*told, HasSubstr(R"(imported \xff\xc3\xa9: streams group)")) << "no UTF-8, so no byte of it is trusted";
  const auto again = import_into("to", file, {.groups = {id}});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("already has " + shown));
  EXPECT_THAT(exported("from", {.groups = {"\x1b"}}).error().message, HasSubstr(R"(no group '\x1b')"));
}

TEST_F(group_transfer, what_no_coordinator_could_have_written_changes_nothing) {
  auto wrong = simple_group("b");
  wrong.records.push_back(group::target_metadata_record{group::target_metadata{-4, now_ms}});
  fill("from", {simple_group("a"), wrong});
  const auto dump = exported("from").value();
  EXPECT_EQ(refused(write("dump", dump)), "group 'b', record of type 20: assignment epoch -4 is negative");
  EXPECT_TRUE(import_into("to", at("dump"), {.groups = {"a"}})) << "the others can be had by name";
}

TEST_F(group_transfer, what_a_start_will_repair_is_told) {
  auto half = simple_group("g");
  half.records.push_back(storage::member("m"));
  fill("from", {half});
  const auto told = import_into("to", write("dump", exported("from").value()));
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(*told, HasSubstr("warning: g: member m has no current assignment: dropped at the start\n"));
}

TEST_F(group_transfer, empty_segments_are_told_and_nothing_else_is_an_error) {
  std::filesystem::create_directories(at("p0"));
  write("p0/00000000000000000000.log", "");
  EXPECT_EQ(refused(at("p0")), "there is not one record in what was read: nothing was imported");
  EXPECT_EQ(refused(write("empty", "")), "there is not one record in what was read: nothing was imported");
  fill("from", {simple_group("a")});
  const auto log = write("a.log", exported("from", {.format = dump_format::kafka}).value());
  const auto told = import_groups({.data_dir = at("to"), .files = {at("p0"), log}});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(*told, HasSubstr("00000000000000000000.log has no records\n"));
  fill("bare", {});
  const auto none = import_into("to", write("none", exported("bare").value()));
  ASSERT_TRUE(none) << "an export of no groups is whole: " << none.error().message;
  EXPECT_THAT(*none, HasSubstr("none has no records\nread 0 records: 0 groups imported"));
}

TEST_F(group_transfer, the_memory_of_all_files_of_an_import_is_bounded) {
  std::vector<std::string> files;
  for (const auto* const name : {"a", "b", "c"}) {
    fill(std::string("from-") + name, {simple_group(name)});
    files.push_back(write(name, exported(std::string("from-") + name).value()));
  }
  const auto one = import_groups({.data_dir = at("one"), .files = {files[0]}, .bytes_max = 100});
  EXPECT_TRUE(one) << one.error().message;
  const auto all = import_groups({.data_dir = at("all"), .files = files, .bytes_max = 100});
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("bytes of records; name the groups to import"));
  EXPECT_FALSE(storage::group_folder::exists(at("all")));
  EXPECT_TRUE(import_groups({.data_dir = at("all"), .files = files, .bytes_max = 300}));
}

TEST_F(group_transfer, segments_of_a_folder_are_one_log_and_a_group_is_in_one) {
  fill("from", {simple_group("a"), simple_group("b")});
  const auto log = exported("from", {.groups = {"a"}, .partition = {}, .format = dump_format::kafka}).value();
  const std::string golden = WEIR_SOURCE_DIR "/tests/conformance/golden/batches/transactions.log";
  std::filesystem::create_directories(at("p0"));
  std::filesystem::create_directories(at("p1"));
  for (const auto* const folder : {"p0", "p1"}) write(std::string(folder) + "/00.log", log);
  import_options options{.data_dir = at("to"), .files = {at("p0"), at("p1")}, .groups = {}, .format = {}};
  const auto told = import_groups(options);
  ASSERT_FALSE(told);
  EXPECT_THAT(told.error().message, HasSubstr("group 'a' is in "));
  options.files = {at("p0"), at("p0/00.log")};
  EXPECT_TRUE(import_groups(options)) << "named twice it is still one file";
  EXPECT_THAT(refused(golden), HasSubstr("byte 0: offset 0: record key without a type"));
}

TEST_F(group_transfer, offsets_missing_between_two_segments_are_told) {
  fill("from", {simple_group("a")});
  const auto batch = exported("from", {.format = dump_format::kafka}).value();  // offsets 0 and 1
  auto later = batch;
  later[6] = 1;  // base offset 256
  std::filesystem::create_directories(at("p0"));
  write("p0/00000000000000000000.log", batch);
  write("p0/00000000000000000256.log", later);
  const auto cut = import_into("cut", at("p0"));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_THAT(*cut, HasSubstr("warning: no segment has offsets 2 to 255 in front of "));
  EXPECT_THAT(*cut, HasSubstr("00000000000000000256.log: compacted, or the segment before was cut\n"));
  std::filesystem::rename(at("p0/00000000000000000256.log"), at("p0/00000000000000000002.log"));
  const auto whole = import_into("whole", at("p0"));
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_THAT(*whole, Not(HasSubstr("warning")));
}

}  // namespace
}  // namespace weir::cli
