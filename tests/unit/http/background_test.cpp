// The thread for what takes long: what it runs, what it leaves, and how it stops.
#include "http/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace weir::http {
namespace {

constexpr std::int64_t patience_ms = 20'000;

TEST(background, a_stop_drops_what_waits_and_says_whether_something_runs) {
  std::promise<void> begun;
  std::promise<void> finish;
  std::atomic<bool> is_second_run = false;
  background thread(4);
  ASSERT_TRUE(thread.run([&] {
    begun.set_value();
    finish.get_future().wait();
  }));
  ASSERT_TRUE(thread.run([&] { is_second_run = true; }));
  begun.get_future().wait();
  thread.stop();
  EXPECT_FALSE(thread.is_quiet(0));
  EXPECT_FALSE(thread.run([] {}));
  finish.set_value();
  EXPECT_TRUE(thread.is_quiet(patience_ms));
  thread.end();
  EXPECT_FALSE(is_second_run);
}

TEST(background, what_nobody_waits_for_is_not_run_and_takes_no_place) {
  std::promise<void> begun;
  std::promise<void> finish;
  std::promise<void> third;
  std::atomic<bool> is_wanted = true;
  std::atomic<bool> is_second_run = false;
  background thread(1);
  ASSERT_TRUE(thread.run([&] {
    begun.set_value();
    finish.get_future().wait();
  }));
  begun.get_future().wait();
  ASSERT_TRUE(thread.run([&] { is_second_run = true; }, [&] { return is_wanted.load(); }));
  EXPECT_FALSE(thread.run([] {})) << "there is no place";
  is_wanted = false;
  ASSERT_TRUE(thread.run([&] { third.set_value(); }));
  finish.set_value();
  third.get_future().wait();
  EXPECT_FALSE(is_second_run);
}

}  // namespace
}  // namespace weir::http
