// The log over real LMDB files: what is answered is there after a restart, other owners and newer formats are turned
// away, shortage leaves nothing behind.
#include "storage/lmdb_log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>

#include "record_samples.hpp"
#include "storage/memory_log.hpp"
#include "temporary_folder.hpp"

namespace weir::storage {
namespace {

std::unique_ptr<lmdb_log> open_log(const std::string& folder, std::size_t map_bytes = std::size_t{1} << 24) {
  lmdb_log_options options;
  options.environment.folder = folder;
  options.environment.map_bytes = map_bytes;
  options.writer.probe_interval_ms = 1;
  auto log = lmdb_log::open(std::move(options));
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return log ? std::move(*log) : nullptr;
}

std::string open_error(const std::string& folder) {
  lmdb_log_options options;
  options.environment.folder = folder;
  const auto log = lmdb_log::open(std::move(options));
  return log ? "" : log.error().message;
}

result<void> append(record_log& log, append_request request) {
  std::promise<result<void>> settled;
  request.done = [&](result<void> r) { settled.set_value(std::move(r)); };
  log.append(std::move(request));
  return settled.get_future().get();
}

append_request of_group(std::string id, group::records records, std::uint64_t incarnation = 0) {
  append_request request;
  request.group_id = std::move(id);
  request.incarnation = incarnation;
  request.records = std::move(records);
  return request;
}

TEST(lmdb_log, replay_after_reopening_equals_what_was_written_group_by_group) {
  const temporary_folder folder;
  {
    auto log = open_log(folder.path());
    ASSERT_TRUE(append(*log, of_group("orders-app", {member("m1"), group_epoch(2), offset("orders", 0, 5)})));
    ASSERT_TRUE(append(*log, of_group("orders", {group_epoch(7)})));
    ASSERT_TRUE(append(*log, of_group("orders-app", {member("m2", 3), group_epoch(3), offset("orders", 0, 6)})));
    ASSERT_TRUE(append(*log, of_group("zz", {offset("t", 1, 1)})));
  }
  auto log = open_log(folder.path());
  const stored_groups expected = {
      {"zz", {offset("t", 1, 1)}},
      {"orders", {group_epoch(7)}},
      {"orders-app", {offset("orders", 0, 6), group_epoch(3), member("m1"), member("m2", 3)}}};
  EXPECT_EQ(everything(*log), expected);
  EXPECT_EQ(one_group(*log, "orders"), group::records{group_epoch(7)});
  EXPECT_TRUE(one_group(*log, "order").empty());
}

TEST(lmdb_log, spec04_8_7_tombstones_delete) {
  const temporary_folder folder;
  auto log = open_log(folder.path());
  ASSERT_TRUE(append(*log, of_group("g", {member("m1"), member("m2"), offset("t", 0, 1)})));
  ASSERT_TRUE(append(*log, of_group("g", {group::member_metadata_record{"m1", {}}, group::offset_record{"t", 0, {}},
                                          group::member_metadata_record{"unknown", {}}})));
  EXPECT_EQ(one_group(*log, "g"), group::records{member("m2")});
}

TEST(lmdb_log, tables_are_written_with_the_records_and_read_in_key_order) {
  const temporary_folder folder;
  auto log = open_log(folder.path());
  auto request = of_group("g", {group_epoch(2)});
  request.writes = {{table::topics, "b", "2"}, {table::topics, "a", "1"}, {table::group_configs, "g", "x"}};
  ASSERT_TRUE(append(*log, std::move(request)));
  append_request removal;
  removal.writes = {{table::topics, "b", std::nullopt}};
  ASSERT_TRUE(append(*log, std::move(removal)));
  EXPECT_EQ(whole_table(*log, table::topics), (std::map<std::string, std::string>{{"a", "1"}}));
  EXPECT_EQ(whole_table(*log, table::group_configs), (std::map<std::string, std::string>{{"g", "x"}}));
  EXPECT_EQ(log->read_value(table::group_configs, "g").value(), "x");
  EXPECT_EQ(log->read_value(table::group_configs, "h").value(), std::nullopt);
}

std::vector<std::string> back(record_log& log, std::string_view prefix, std::string_view below, std::size_t most) {
  std::vector<std::string> keys;
  EXPECT_TRUE(log.read_back(table::timeline, prefix, below, [&](std::string_view key, std::string_view value) {
    EXPECT_EQ(value, "v");
    keys.emplace_back(key);
    return keys.size() < most;
  }));
  return keys;
}

void reads_back(record_log& log) {
  using keys = std::vector<std::string>;
  EXPECT_TRUE(back(log, "b", {}, 9).empty());
  append_request request;
  for (const auto* key : {"a1", "b1", "b2", "b3", "c1", "\xff\xff", "\xff\xff\x01"}) {
    request.writes.push_back({table::timeline, key, "v"});
  }
  ASSERT_TRUE(append(log, std::move(request)));
  EXPECT_EQ(back(log, "b", {}, 9), (keys{"b3", "b2", "b1"}));
  EXPECT_EQ(back(log, "b", {}, 2), (keys{"b3", "b2"}));
  EXPECT_EQ(back(log, "b", "b3", 9), (keys{"b2", "b1"}));
  EXPECT_EQ(back(log, "b", "b1", 9), keys());
  EXPECT_EQ(back(log, "a", {}, 9), keys{"a1"});
  EXPECT_EQ(back(log, "d", {}, 9), keys());
  EXPECT_EQ(back(log, "\xff\xff", {}, 9), (keys{"\xff\xff\x01", "\xff\xff"}));
}

TEST(lmdb_log, a_table_is_read_back_from_the_greatest_key) {
  const temporary_folder folder;
  const auto log = open_log(folder.path());
  reads_back(*log);
}

TEST(memory_log, a_table_is_read_back_from_the_greatest_key) {
  memory_log log;
  reads_back(log);
}

TEST(lmdb_log, a_map_that_is_too_small_grows_and_loses_nothing) {
  const temporary_folder folder;
  auto log = open_log(folder.path(), std::size_t{1} << 17);
  const std::string value(5'000, 'x');
  for (int i = 0; i < 200; ++i) {
    append_request request;
    request.writes = {{table::topics, fmt::format("{:04}", i), value}};
    ASSERT_TRUE(append(*log, std::move(request)));
  }
  EXPECT_EQ(whole_table(*log, table::topics).size(), 200U);
}

TEST(lmdb_log, a_second_owner_is_turned_away_and_told_who_has_it) {
  const temporary_folder folder;
  auto log = open_log(folder.path());
  EXPECT_EQ(open_error(folder.path()),
            fmt::format("data folder {}: is in use by process {}", folder.path(), ::getpid()));
  log.reset();
  EXPECT_EQ(open_error(folder.path()), "");
}

TEST(lmdb_log, a_newer_format_is_turned_away) {
  const temporary_folder folder;
  {
    auto log = open_log(folder.path());
    append_request request;
    request.writes = {{table::meta, "format", "2"}};
    ASSERT_TRUE(append(*log, std::move(request)));
  }
  EXPECT_EQ(open_error(folder.path()),
            "data folder " + folder.path() +
                ": it has format 2, written by a newer version; this version reads formats up to 1");
}

::mode_t mode_of(const std::string& path) {
  struct ::stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

TEST(lmdb_log, a_folder_that_is_made_is_for_its_owner_only_whatever_the_umask) {
  const temporary_folder parent;
  const auto before = ::umask(0);
  for (const auto* name : {"/data", "/a/b/", "/c/d"}) {
    ::testing::internal::CaptureStderr();
    const auto log = open_log(parent.path() + name);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(mode_of(parent.path() + name), 0700U);
    for (const auto* file : {"owner", "data.mdb", "lock.mdb"}) {
      EXPECT_EQ(mode_of(parent.path() + name + "/" + file), 0600U) << file;
    }
  }
  ::umask(before);
}

TEST(lmdb_log, a_folder_that_is_open_to_others_is_warned_about_and_stays_as_it_is) {
  const temporary_folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0750));
  ::testing::internal::CaptureStderr();
  const auto log = open_log(folder.path());
  const auto lines = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(lines.find("WARN the data folder is open to others"), std::string::npos) << lines;
  EXPECT_NE(lines.find("mode=0750"), std::string::npos) << lines;
  EXPECT_EQ(mode_of(folder.path()), 0750U);
}

TEST(lmdb_log, a_folder_that_cannot_be_made_is_named) {
  EXPECT_NE(open_error("/proc/weir-data").find("data folder /proc/weir-data: cannot be made"), std::string::npos);
}

TEST(lmdb_log, ids_that_fit_no_key_are_refused_alone) {
  const temporary_folder folder;
  auto log = open_log(folder.path());
  const std::string longest(id_bytes_max, 'x');
  EXPECT_TRUE(append(*log, of_group(longest, {member(longest), offset(longest, 1, 1)})));
  EXPECT_FALSE(append(*log, of_group(longest + "x", {group_epoch(1)})));
  EXPECT_FALSE(append(*log, of_group("g", {member(longest + "x")})));
  EXPECT_FALSE(log->not_writable());
  EXPECT_EQ(one_group(*log, longest).size(), 2U);
}

/// Lets no file of this process grow beyond its size, like a full disk.
class full_disk {
 public:
  explicit full_disk(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

TEST(lmdb_log, p12_a_full_disk_refuses_keeps_reading_and_recovers) {
  const temporary_folder folder;
  auto log = open_log(folder.path());
  ASSERT_TRUE(append(*log, of_group("g", {group_epoch(2), member("m")})));
  const auto before = everything(*log);
  auto too_much = of_group("g", {group_epoch(3)});
  too_much.writes = {{table::topics, "big", std::string(2'000'000, 'x')}};
  {
    const full_disk disk(200'000);
    const auto refused = append(*log, std::move(too_much));
    ASSERT_FALSE(refused);
    EXPECT_EQ(everything(*log), before);
    ASSERT_TRUE(append(*log, of_group("small", {group_epoch(1)})));
    EXPECT_TRUE(log->not_writable()) << "what fits is small";
  }
  ASSERT_TRUE(append(*log, of_group("g", {group_epoch(4)}, 1)));
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (log->not_writable() && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  EXPECT_FALSE(log->not_writable()) << "a probe finds room for what failed";
  EXPECT_EQ(one_group(*log, "g"), (group::records{group_epoch(4), member("m")}));
}

}  // namespace
}  // namespace weir::storage
