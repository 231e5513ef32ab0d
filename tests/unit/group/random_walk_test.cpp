// Random histories: members that join, answer, lose answers, leave and come back while topics and settings change. The
// scenario checks the invariants and the replay after each record; when the noise stops the group becomes STABLE, every
// task runs at one member, and each client holds what the group believes it holds. A failure names its seed.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

/// Behaves like the shipped client as far as the group can see (spec 01, appendix C).
struct client {
  std::string id;
  with fields;  // sent with every request
  int epoch = 0;
  bool is_in = false;
  role_tasks owned;
  bool must_report = true;
};

class walk {
 public:
  walk(unsigned seed, bool strict) : random_(seed), scenario_(strict) {
    scenario_.topic("foo", 6).topic("cl", 6).app(reading({"foo"}, "cl")).set("streams.num.standby.replicas", "1");
    for (int i = 0; i < 6; ++i) {
      client c{.id = "M" + std::to_string(i), .fields = {}, .owned = {}};
      c.fields.process = "P" + std::to_string(i / 2);
      if (i == 0 || i == 3) c.fields.instance = "i" + std::to_string(i);
      // X1: while topics are missing Kafka fails every heartbeat over an endpoint.
      if (i == 2 && !strict) c.fields.endpoint = "host:1";
      clients_.push_back(c);
    }
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      disturb();
      if (::testing::Test::HasFailure()) return;
    }
  }

  void settle() {
    set_partitions(6);
    scenario_.delay(0).interval(0);
    for (int round = 0; round < 40; ++round) {
      for (auto& c : clients_) act(c, false);
      scenario_.pass(1000);
    }
    for (auto& c : clients_) act(c, false);
  }

  void check_settled() {
    EXPECT_EQ(state_of(scenario_.state()), group_state::stable) << scenario_.group();
    std::size_t active = 0;
    for (const auto& c : clients_) {
      const auto& assigned = scenario_.state().members.at(c.id).current.assigned;
      EXPECT_EQ(show(without_epochs(assigned)), show(c.owned)) << c.id;
      active += count(assigned.active);
    }
    EXPECT_EQ(active, 6U);
  }

 private:
  int roll(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }

  void disturb() {
    auto& c = clients_[static_cast<std::size_t>(roll(static_cast<int>(clients_.size())))];
    switch (roll(24)) {
      case 0: return leave(c);
      case 1: return crash(c);
      case 2: return set_partitions(roll(3) == 0 ? 0 : 6);
      case 3: scenario_.set("streams.num.standby.replicas", std::to_string(roll(2))); return;
      case 4: scenario_.interval(roll(2) * 1000); return;
      case 5: scenario_.delay(roll(2) * 3000); return;
      case 6: scenario_.pass(roll(20'000)); return;
      case 7: c.fields.rack = "r" + std::to_string(roll(2)); return;
      case 8: scenario_.reload(); return;
      case 9: c.fields.process = "P" + std::to_string(roll(3)); return;
      case 10:
      case 11: return act(c, true);
      default: return act(c, false);
    }
  }

  void act(client& c, bool is_answer_lost) {
    auto fields = c.fields;
    if (!c.is_in) {
      scenario_.join(c.id, fields);
    } else {
      if (c.must_report) report(c, fields);
      scenario_.hb(c.id, c.epoch, fields);
    }
    const auto& answer = scenario_.last().answer;
    if (answer.error_code == 110 || answer.error_code == 25 || answer.error_code == 82) {
      c.is_in = false;
      c.owned = {};
      return;
    }
    if (answer.error_code == 111) {  // the old session of this instance has to end first
      scenario_.pass(1000);
      return;
    }
    ASSERT_EQ(answer.error_code, 0) << c.id << ": " << answer.error_message.value_or("").str();
    c.must_report = is_answer_lost;
    if (is_answer_lost) return;
    c.is_in = true;
    c.epoch = answer.member_epoch;
    if (!answer.active_tasks) return;
    c.owned = {.active = listed(*answer.active_tasks), .standby = listed(*answer.standby_tasks), .warmup = {}};
    c.must_report = true;
  }

  static task_set listed(const std::vector<protocol::streams_group_heartbeat_response::task_ids_data>& list) {
    task_set set;
    for (const auto& entry : list) {
      set[entry.subtopology_id.str()].insert(entry.partitions.begin(), entry.partitions.end());
    }
    return set;
  }

  static void report(const client& c, with& fields) {
    const auto text = [](const task_set& set) {
      std::string written;
      for (const auto& [subtopology, partitions] : set) {
        for (auto partition : partitions) written += subtopology + ":" + std::to_string(partition) + ";";
      }
      return written;
    };
    fields.own = text(c.owned.active);
    fields.own_standby = text(c.owned.standby);
  }

  void leave(client& c) {
    if (!c.is_in) return;
    const bool for_a_while = c.fields.instance && roll(2) == 0;
    scenario_.hb(c.id, for_a_while ? -2 : -1, {.instance = c.fields.instance});
    c.is_in = false;
    c.owned = {};
  }

  void crash(client& c) {
    c.is_in = false;
    c.owned = {};
  }

  void set_partitions(int partitions) {
    if (partitions == 0) {
      scenario_.no_topic("foo");
    } else {
      scenario_.topic("foo", partitions);
    }
  }

  std::mt19937 random_;
  scenario scenario_;
  std::vector<client> clients_;
};

class random_walk : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(seeds, random_walk, ::testing::Range(1U, 41U));

TEST_P(random_walk, keeps_the_invariants_and_settles) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  walk w(GetParam(), false);
  w.run(300);
  if (HasFailure()) return;
  w.settle();
  w.check_settled();
}

TEST_P(random_walk, keeps_the_invariants_in_strict_mode) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  walk w(GetParam(), true);
  w.run(300);
}

}  // namespace
}  // namespace weir::group
