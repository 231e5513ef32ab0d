// The log of the tests keeps the contract of record_log, also while it delays, fails and loses.
#include "storage/memory_log.hpp"

#include <gtest/gtest.h>

#include "record_samples.hpp"

namespace weir::storage {
namespace {

struct memory_log_test : ::testing::Test {
  memory_log log;
  std::vector<std::string> outcomes;

  void append(const std::string& name, std::uint64_t incarnation = 0) {
    append_request request;
    request.group_id = "g";
    request.incarnation = incarnation;
    request.records = {member(name)};
    request.done = [this, name](result<void> r) { outcomes.push_back(name + (r ? "" : ": " + r.error().message)); };
    log.append(std::move(request));
  }
};

TEST_F(memory_log_test, replay_shows_what_was_appended_without_tombstones) {
  append("a");
  append("b");
  append_request removal;
  removal.group_id = "g";
  removal.records = {group::member_metadata_record{"a", std::nullopt}, offset("t", 1, 7)};
  removal.writes = {{table::topics, "t", "x"}};
  removal.done = [](const result<void>&) {};
  log.append(std::move(removal));
  EXPECT_EQ(everything(log), (stored_groups{{"g", {offset("t", 1, 7), member("b")}}}));
  EXPECT_EQ(one_group(log, "g").size(), 2U);
  EXPECT_EQ(whole_table(log, table::topics), (std::map<std::string, std::string>{{"t", "x"}}));
}

TEST_F(memory_log_test, held_appends_are_durable_only_when_released) {
  log.hold();
  append("a");
  append("b");
  EXPECT_TRUE(everything(log).empty());
  log.release(1);
  EXPECT_EQ(outcomes, std::vector<std::string>{"a"});
  log.resume();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "b"}));
}

TEST_F(memory_log_test, a_failure_takes_the_rest_of_the_incarnation_with_it) {
  log.fail_next(1, "full");
  append("a");
  append("b");
  append("c", 1);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a: full", "b: an earlier write of the group failed", "c"}));
  EXPECT_EQ(one_group(log, "g"), group::records{member("c")});
}

TEST_F(memory_log_test, a_crash_loses_what_is_not_durable) {
  append("a");
  log.hold();
  append("b");
  log.lose_undurable();
  log.resume();
  EXPECT_EQ(outcomes, std::vector<std::string>{"a"});
  EXPECT_EQ(one_group(log, "g"), group::records{member("a")});
}

}  // namespace
}  // namespace weir::storage
