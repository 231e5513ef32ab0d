// Kills a writing process again and again: every append that was reported durable is there, no append is there by half.
// The child is this test program, started anew, so that no environment lives across a fork.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "record_samples.hpp"
#include "storage/lmdb_log.hpp"
#include "temporary_folder.hpp"

extern char** environ;

namespace weir::storage {
namespace {

constexpr const char* folder_variable = "WEIR_KILL_TEST_FOLDER";
constexpr int report_descriptor = 63;

result<std::unique_ptr<lmdb_log>> open_log(const std::string& folder) {
  lmdb_log_options options;
  options.environment.folder = folder;
  return lmdb_log::open(std::move(options));
}

/// The number the two records of the last append agree on, or -1 if they do not.
std::int64_t stored_number(record_log& log) {
  std::int64_t epoch = 0;
  std::int64_t at = 0;
  for (const auto& r : one_group(log, "g")) {
    if (const auto* metadata = std::get_if<group::group_metadata_record>(&r)) epoch = metadata->value->epoch;
    if (const auto* committed = std::get_if<group::offset_record>(&r)) at = committed->value->offset;
  }
  return epoch == at ? epoch : -1;
}

// The child: writes numbers one after the other and reports each when it is durable, until it is killed.
TEST(kill, DISABLED_child_writes_until_it_is_killed) {
  const char* folder = std::getenv(folder_variable);
  ASSERT_NE(folder, nullptr);
  auto log = open_log(folder);
  ASSERT_TRUE(log) << log.error().message;
  for (auto number = static_cast<std::int32_t>(stored_number(**log)) + 1;; ++number) {
    while ((*log)->queued() > 64) std::this_thread::yield();
    append_request request;
    request.group_id = "g";
    request.records = {group_epoch(number), offset("t", 0, number)};
    request.done = [number](const result<void>& r) {
      if (r && ::write(report_descriptor, &number, sizeof number) < 0) ::_exit(1);
    };
    (*log)->append(std::move(request));
  }
}

struct child {
  pid_t pid = -1;
  int reports = -1;
};

child start_child(const std::string& folder) {
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  ::setenv(folder_variable, folder.c_str(), 1);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=kill.DISABLED_child_writes_until_it_is_killed";
  std::string disabled = "--gtest_also_run_disabled_tests";
  std::string quiet = "--gtest_brief=1";
  char* arguments[] = {program.data(), filter.data(), disabled.data(), quiet.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], report_descriptor);
  child started;
  started.reports = ends[0];
  ::posix_spawn(&started.pid, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  return started;
}

/// Reads reports, kills the child after so many, reads the rest: the last number reported durable.
std::int32_t last_report_of_killed(const child& victim, int kill_after) {
  std::int32_t number = 0;
  std::int32_t last = 0;
  for (int reports = 0; ::read(victim.reports, &number, sizeof number) == sizeof number; ++reports) {
    last = number;
    if (reports == kill_after) ::kill(victim.pid, SIGKILL);
  }
  ::close(victim.reports);
  ::waitpid(victim.pid, nullptr, 0);
  return last;
}

TEST(kill, p1_p2_what_was_reported_durable_survives_whole) {
  const temporary_folder folder;
  for (int round = 0; round < 15; ++round) {
    const auto reported = last_report_of_killed(start_child(folder.path()), round * 7);
    auto log = open_log(folder.path());
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_GT(reported, 0);
    EXPECT_GE(stored_number(**log), reported) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::storage
