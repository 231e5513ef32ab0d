// The same with real threads: many groups and members at once, over the log in memory.
#include <thread>

#include "world.hpp"

namespace weir::actors {
namespace {

constexpr int groups = 40;
constexpr int members = 5;

std::uint64_t slot_of(int g, int m, int round) {
  return static_cast<std::uint64_t>((round * groups + g) * members + m);
}

TEST(threads, every_request_of_many_groups_is_answered_once) {
  world w(quick_options(), scheduling::threads);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> senders;
    for (int m = 0; m < members; ++m) {
      senders.emplace_back([&, m] {
        for (int g = 0; g < groups; ++g) {
          auto request = heartbeat_request("m" + std::to_string(m), 0, "g" + std::to_string(g));
          w.coordinator->heartbeat(call_of(std::move(request), w.answers, slot_of(g, m, round)));
        }
      });
    }
    for (auto& sender : senders) sender.join();
  }
  for (int round = 0; round < 3; ++round) {
    for (int g = 0; g < groups; ++g) {
      for (int m = 0; m < members; ++m) EXPECT_EQ(error_of(w.answers->wait(slot_of(g, m, round))), 0);
    }
  }
  EXPECT_EQ(w.coordinator->groups().size(), static_cast<std::size_t>(groups));
}

TEST(threads, requests_for_groups_that_do_not_exist_race_with_retiring_actors) {
  world w(quick_options(), scheduling::threads);
  constexpr std::uint64_t requests = 2'000;
  std::vector<std::thread> senders;
  for (std::uint64_t t = 0; t < 4; ++t) {
    senders.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < requests; ++i) {
        w.coordinator->heartbeat(call_of(heartbeat_request("m", 5), w.answers, t * requests + i));
      }
    });
  }
  for (auto& sender : senders) sender.join();
  for (std::uint64_t i = 0; i < 4 * requests; ++i) EXPECT_EQ(error_of(w.answers->wait(i)), 69);
}

TEST(threads, p11_stopping_under_load_answers_everything_within_the_limit) {
  world w(quick_options(), scheduling::threads);
  std::atomic<bool> going{true};
  std::atomic<std::uint64_t> sent{0};
  std::thread sender([&] {
    while (going) {
      const auto slot = sent++;
      auto request = heartbeat_request("m", 0, "g" + std::to_string(slot % 50));
      w.coordinator->heartbeat(call_of(std::move(request), w.answers, slot));
    }
  });
  w.answers->wait(500);
  const auto before = std::chrono::steady_clock::now();
  w.coordinator->stop(5'000);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  going = false;
  sender.join();
  for (std::uint64_t i = 0; i < sent; ++i) EXPECT_TRUE(w.answers->find(i)) << i;
}

}  // namespace
}  // namespace weir::actors
