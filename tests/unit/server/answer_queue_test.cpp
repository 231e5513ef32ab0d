// The slots of a connection: only a prefix without a gap is handed out.
#include "server/answer_queue.hpp"

#include <gtest/gtest.h>

namespace weir::server {
namespace {

std::vector<std::uint8_t> firsts(answer_queue& queue) {
  std::vector<bytes> taken;
  queue.take_ready(taken);
  std::vector<std::uint8_t> out;
  for (const auto& frame : taken) out.push_back(frame.at(0));
  return out;
}

TEST(answer_queue, an_answer_behind_a_gap_waits) {
  answer_queue queue;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.reserve(), static_cast<std::uint64_t>(i));
  EXPECT_FALSE(queue.put(2, {2}));
  EXPECT_TRUE(queue.put(0, {0}));
  EXPECT_EQ(firsts(queue), (std::vector<std::uint8_t>{0}));
  EXPECT_TRUE(firsts(queue).empty());
  EXPECT_TRUE(queue.put(1, {1}));
  EXPECT_EQ(firsts(queue), (std::vector<std::uint8_t>{1, 2}));
}

TEST(answer_queue, the_owner_is_woken_once_until_it_finds_nothing) {
  answer_queue queue;
  for (int i = 0; i < 3; ++i) queue.reserve();
  EXPECT_TRUE(queue.put(0, {0}));
  EXPECT_FALSE(queue.put(1, {1})) << "the owner has been told";
  EXPECT_EQ(firsts(queue).size(), 2U);
  EXPECT_FALSE(queue.put(2, {2})) << "the owner is about to look again";
  EXPECT_EQ(firsts(queue).size(), 1U);
  EXPECT_TRUE(firsts(queue).empty());
  queue.reserve();
  EXPECT_TRUE(queue.put(3, {3}));
}

TEST(answer_queue, a_slot_takes_one_answer_and_only_if_it_was_reserved) {
  answer_queue queue;
  queue.reserve();
  EXPECT_TRUE(queue.put(0, {0}));
  EXPECT_FALSE(queue.put(0, {9}));
  EXPECT_FALSE(queue.put(5, {9}));
  EXPECT_EQ(firsts(queue), (std::vector<std::uint8_t>{0}));
  EXPECT_FALSE(queue.put(0, {9}));
  EXPECT_TRUE(firsts(queue).empty());
}

TEST(answer_queue, order_holds_while_the_ring_grows_and_wraps) {
  answer_queue queue;
  std::uint64_t next = 0;
  std::vector<std::uint8_t> seen;
  for (std::size_t round = 1; round <= 20; ++round) {
    for (std::size_t i = 0; i < round; ++i) queue.reserve();
    for (std::size_t i = round; i-- > 0;) queue.put(next + i, {static_cast<std::uint8_t>(next + i)});
    next += round;
    const auto taken = firsts(queue);
    seen.insert(seen.end(), taken.begin(), taken.end());
  }
  ASSERT_EQ(seen.size(), next);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<std::uint8_t>(i));
}

TEST(answer_queue, bytes_are_counted_from_put_to_taken) {
  answer_queue queue;
  queue.reserve();
  queue.reserve();
  queue.put(1, {1, 1, 1});
  queue.put(1, {1, 1, 1, 1});
  EXPECT_EQ(queue.held_bytes(), 3U);
  queue.put(0, {0, 0});
  EXPECT_EQ(queue.held_bytes(), 5U);
  EXPECT_EQ(firsts(queue).size(), 2U);
  EXPECT_EQ(queue.held_bytes(), 0U);
}

TEST(answer_queue, nothing_is_kept_after_close) {
  answer_queue queue;
  queue.reserve();
  queue.close();
  EXPECT_FALSE(queue.put(0, {0}));
  EXPECT_TRUE(firsts(queue).empty());
  EXPECT_TRUE(firsts(queue).empty());
}

}  // namespace
}  // namespace weir::server
