// Group commit, order, refusal and recovery of the writer thread, over a store that the test controls.
#include "storage/log_writer.hpp"

#include <gtest/gtest.h>

#include <future>

namespace weir::storage {
namespace {

/// Every write waits until the test allows it, and ends as the test says.
class gated_store final : public batch_store {
 public:
  write_result write(std::span<const pending_append* const> batch) override {
    std::unique_lock lock(mutex_);
    ++entered_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return allowed_ > 0; });
    --allowed_;
    std::vector<std::string> names;
    for (const auto* append : batch) names.push_back(append->changes.at(0).key);
    batches_.push_back(std::move(names));
    return std::exchange(next_, {});
  }
  write_result probe(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    ++probes_;
    probed_bytes_ = bytes;
    changed_.notify_all();
    return {};
  }
  void allow(int count, write_result next = {}) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
    next_ = std::move(next);
    changed_.notify_all();
  }
  void wait_entered(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_ >= count; });
  }
  /// Returns how many bytes were tried.
  std::size_t wait_probed() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return probes_ > 0; });
    return probed_bytes_;
  }
  std::vector<std::vector<std::string>> batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int entered_ = 0;
  int allowed_ = 0;
  int probes_ = 0;
  std::size_t probed_bytes_ = 0;
  write_result next_;
  std::vector<std::vector<std::string>> batches_;
};

/// Collects outcomes in the order they come.
class outcomes {
 public:
  pending_append append(std::string name, std::string group = {}, std::uint64_t incarnation = 0) {
    pending_append a;
    a.group_id = std::move(group);
    a.incarnation = incarnation;
    a.changes.push_back({database::records, name, "value"});
    a.bytes = 10;
    a.done = [this, name](result<void> r) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(name + (r ? " durable" : " refused: " + r.error().message));
      changed_.notify_all();
    };
    return a;
  }
  std::vector<std::string> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.size() >= count; });
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

using names = std::vector<std::string>;

TEST(log_writer, a_batch_forms_while_the_previous_one_is_written) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {});
  writer.push(seen.append("a"));
  store.wait_entered(1);
  for (const auto* name : {"b", "c", "d"}) writer.push(seen.append(name));
  EXPECT_EQ(writer.queued(), 4U);
  store.allow(2);
  EXPECT_EQ(seen.wait(4), (names{"a durable", "b durable", "c durable", "d durable"}));
  EXPECT_EQ(store.batches(), (std::vector<names>{{"a"}, {"b", "c", "d"}}));
  EXPECT_EQ(writer.queued(), 0U);
}

TEST(log_writer, a_batch_is_capped_by_count_and_by_bytes) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.batch_appends_max = 3, .batch_bytes_max = 25});
  writer.push(seen.append("a"));
  store.wait_entered(1);
  for (const auto* name : {"b", "c", "d"}) writer.push(seen.append(name));
  store.allow(3);
  seen.wait(4);
  EXPECT_EQ(store.batches(), (std::vector<names>{{"a"}, {"b", "c"}, {"d"}}));
}

TEST(log_writer, a_full_queue_refuses_in_order_and_what_depends_on_it) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.queue_appends_max = 2});
  writer.push(seen.append("a", "g"));
  store.wait_entered(1);
  for (const auto* name : {"b", "c"}) writer.push(seen.append(name, "g"));
  writer.push(seen.append("d", "g"));
  store.allow(9);
  const auto lines = seen.wait(4);
  EXPECT_EQ(lines.at(2), "c durable");
  EXPECT_EQ(lines.at(3), "d refused: the queue of the log is full");
  writer.push(seen.append("e", "g"));
  EXPECT_EQ(seen.wait(5).back(), "e refused: an earlier write of the group failed");
  writer.push(seen.append("f", "g", 1));
  EXPECT_EQ(seen.wait(6).back(), "f durable");
}

TEST(log_writer, p10_a_full_queue_keeps_one_refusal_of_each_group) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.queue_appends_max = 1});
  writer.push(seen.append("a", "g"));
  store.wait_entered(1);
  EXPECT_FALSE(writer.full());
  writer.push(seen.append("b", "g"));
  EXPECT_TRUE(writer.full());
  for (int i = 0; i < 1'000; ++i) writer.push(seen.append("c" + std::to_string(i), i % 2 == 0 ? "g" : "h"));
  EXPECT_EQ(writer.queued(), 4U);
  writer.push(seen.append("next life", "g", 1));
  EXPECT_EQ(writer.queued(), 5U);
  writer.push(seen.append("of nobody"));
  EXPECT_EQ(seen.wait(1), names{"of nobody refused: the queue of the log is full"});
  store.allow(9);
  EXPECT_EQ(seen.wait(6).size(), 6U);
  EXPECT_FALSE(writer.full());
}

TEST(log_writer, p10_a_failed_group_is_forgotten_with_the_first_append_of_its_next_life) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.probe_interval_ms = 3'600'000});
  store.allow(1, {write_verdict::refused, "disk full"});
  writer.push(seen.append("a", "g"));
  seen.wait(1);
  store.allow(1, {write_verdict::refused, "disk full"});
  writer.push(seen.append("b", "h"));
  seen.wait(2);
  EXPECT_EQ(writer.failed_groups(), 2U);
  for (const auto* group : {"g", "h"}) {
    auto empty = seen.append("nothing", group, 1);
    empty.changes.clear();
    writer.push(std::move(empty));
  }
  EXPECT_EQ(seen.wait(4).back(), "nothing durable");
  EXPECT_EQ(writer.failed_groups(), 0U);
  EXPECT_TRUE(writer.not_writable()) << "an append without changes proves nothing about the disk";
}

TEST(log_writer, a_refused_batch_fails_alone_but_takes_later_appends_of_its_groups_along) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {});
  writer.push(seen.append("a", "g"));
  store.wait_entered(1);
  writer.push(seen.append("b", "g"));
  writer.push(seen.append("c", "other"));
  store.allow(9, {write_verdict::refused, "disk full"});
  EXPECT_EQ(seen.wait(3),
            (names{"a refused: disk full", "b refused: an earlier write of the group failed", "c durable"}));
}

TEST(log_writer, a_failed_write_shows_until_a_probe_succeeds) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.probe_interval_ms = 1});
  store.allow(1, {write_verdict::refused, "disk full"});
  writer.push(seen.append("a", "g"));
  seen.wait(1);
  store.wait_probed();
  store.allow(1);
  writer.push(seen.append("b"));
  seen.wait(2);
  EXPECT_FALSE(writer.not_writable());
}

TEST(log_writer, p12_small_writes_do_not_make_it_writable_again_one_of_the_size_that_failed_does) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.batch_bytes_max = 10, .probe_interval_ms = 3'600'000});
  const auto push = [&](std::string name, std::size_t bytes) {
    auto append = seen.append(std::move(name));
    append.bytes = bytes;
    writer.push(std::move(append));
  };
  store.allow(1, {write_verdict::refused, "disk full"});
  push("large", 100);
  seen.wait(1);
  store.allow(1);
  push("small", 9);
  EXPECT_EQ(seen.wait(2).back(), "small durable");
  EXPECT_TRUE(writer.not_writable());
  store.allow(1);
  push("as large", 100);
  seen.wait(3);
  EXPECT_FALSE(writer.not_writable());
}

TEST(log_writer, p12_a_probe_tries_the_size_that_failed_and_at_least_that_of_a_full_batch) {
  for (const auto& [failed, tried] : {std::pair<std::size_t, std::size_t>{100, 100}, {3, 10}}) {
    gated_store store;
    outcomes seen;
    log_writer writer(store, {.batch_bytes_max = 10, .probe_interval_ms = 1});
    store.allow(1, {write_verdict::refused, "disk full"});
    auto append = seen.append("a");
    append.bytes = failed;
    writer.push(std::move(append));
    EXPECT_EQ(store.wait_probed(), tried);
  }
}

TEST(log_writer, while_it_cannot_write_it_says_why) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {.probe_interval_ms = 3'600'000});
  store.allow(1, {write_verdict::refused, "disk full"});
  writer.push(seen.append("a"));
  seen.wait(1);
  EXPECT_EQ(writer.not_writable(), "disk full");
}

TEST(log_writer, p12_a_failed_flush_ends_the_process) {
  EXPECT_EXIT(
      {
        gated_store store;
        outcomes seen;
        log_writer writer(store, {});
        store.allow(1, {write_verdict::unknown, "Input/output error"});
        writer.push(seen.append("a"));
        seen.wait(1);
      },
      ::testing::ExitedWithCode(1), "could not be flushed.*Input/output error");
}

TEST(log_writer, stopping_writes_what_is_queued_and_refuses_the_rest) {
  gated_store store;
  outcomes seen;
  log_writer writer(store, {});
  store.allow(9);
  for (const auto* name : {"a", "b"}) writer.push(seen.append(name));
  writer.stop();
  writer.push(seen.append("c"));
  EXPECT_EQ(seen.wait(3), (names{"a durable", "b durable", "c refused: the log has been stopped"}));
}

}  // namespace
}  // namespace weir::storage
