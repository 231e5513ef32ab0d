// What happens when an actor dies: of a group, it is replaced at a measured pace and loses nothing that was written; of
// those that nothing works without, the process ends.
#include <future>

#include "actors/restart_pace.hpp"
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

TEST(restart_pace, the_first_replacement_is_at_once_and_the_pauses_double_up_to_a_limit) {
  restart_pace pace;
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 9; ++i) pauses.push_back(pace.pause_ms("g", 1'000 * i));
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{0, 100, 200, 400, 800, 1'600, 3'200, 5'000, 5'000}));
  EXPECT_EQ(pace.pause_ms("other", 9'000), 0);
}

TEST(restart_pace, a_group_that_lived_long_starts_anew_and_nothing_is_kept_of_it) {
  restart_pace pace;
  for (int i = 0; i < 3; ++i) EXPECT_GE(pace.pause_ms("g", 0), 0);
  EXPECT_EQ(pace.pause_ms("g", restart_pace::calm_ms + 1), 0);
  EXPECT_EQ(pace.pause_ms("other", 3 * restart_pace::calm_ms), 0);
  EXPECT_EQ(pace.size(), 1U);
}

/// A log in memory whose next append can be made to throw: a fault inside whoever appends.
class faulty_log final : public storage::record_log {
 public:
  storage::memory_log behind;
  int faults = 0;

  void append(storage::append_request request) override {
    if (faults > 0 && !request.records.empty()) {
      --faults;
      throw std::runtime_error("a fault in a handler");
    }
    behind.append(std::move(request));
  }
  result<void> replay(const visitor& visit) override { return behind.replay(visit); }
  result<void> replay_group(std::string_view id, const visitor& visit) override {
    return behind.replay_group(id, visit);
  }
  result<void> read_table(storage::table from, const entry_visitor& visit) override {
    return behind.read_table(from, visit);
  }
  result<void> read_back(storage::table from, std::string_view prefix, std::string_view below,
                         const stopping_visitor& visit) override {
    return behind.read_back(from, prefix, below, visit);
  }
  result<std::optional<std::string>> read_value(storage::table from, std::string_view key) override {
    return behind.read_value(from, key);
  }
  [[nodiscard]] bool full() const noexcept override { return behind.full(); }
  [[nodiscard]] std::optional<std::string> not_writable() const override { return std::nullopt; }
  [[nodiscard]] std::size_t queued() const noexcept override { return behind.queued(); }
};

struct supervision : ::testing::Test {
  faulty_log log;
  manual_clock time;
  topic_wishes topics;
  std::shared_ptr<answer_book> answers = std::make_shared<answer_book>();
  std::unique_ptr<node> coordinator = [this] {
    auto started = node::start(quick_options(), {log, topics, time}, image_with(nullptr, "foo", 4), scheduling::manual);
    EXPECT_TRUE(started);
    return std::move(*started);
  }();
  std::uint64_t slot = 0;

  ~supervision() override { coordinator->stop(1'000); }

  void run() { coordinator->system().run(); }
  int beat(const std::string& member, int epoch) {
    coordinator->heartbeat(call_of(heartbeat_request(member, epoch), answers, ++slot));
    run();
    const auto answer = answers->find(slot);
    EXPECT_TRUE(answer);
    return answer ? error_of(*answer) : -1;
  }
  void pass(std::int64_t ms) {
    time.advance(ms);
    coordinator->system().advance(ms);
  }
};

TEST_F(supervision, a_group_whose_actor_dies_again_and_again_is_replaced_after_longer_and_longer_pauses) {
  EXPECT_EQ(beat("A", 0), 0);
  log.faults = 2;
  EXPECT_EQ(beat("B", 0), 16);
  EXPECT_EQ(beat("A", 2), 0);  // replaced at once
  EXPECT_EQ(beat("B", 0), 16);
  EXPECT_EQ(beat("A", 2), 16);  // now there is a pause
  pass(restart_pace::first_ms - 10);
  EXPECT_EQ(beat("A", 2), 16);
  pass(20);
  EXPECT_EQ(beat("A", 2), 0);
  EXPECT_EQ(coordinator->counters().respawns, 2U);
}

TEST_F(supervision, a_node_that_stops_during_the_pause_makes_no_actor) {
  EXPECT_EQ(beat("A", 0), 0);
  log.faults = 2;
  EXPECT_EQ(beat("B", 0), 16);
  EXPECT_EQ(beat("B", 0), 16);
  coordinator->stop(1'000);
  EXPECT_EQ(coordinator->groups().size(), 0U);
}

TEST_F(supervision, settings_written_when_the_actor_died_before_it_knew_count_after_the_replay) {
  EXPECT_EQ(beat("A", 0), 0);
  log.behind.hold();
  std::optional<protocol::kafka_result<void>> answer;
  coordinator->alter_config("g", replaced_by({{"streams.heartbeat.interval.ms", "7000"}}),
                            [&](protocol::kafka_result<void> written) { answer = std::move(written); });
  run();
  log.faults = 1;
  EXPECT_EQ(beat("B", 0), 16);  // the actor dies with the alteration on its way
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().message, "not known to be written, try again (NOT_COORDINATOR)");
  log.behind.resume();
  run();
  EXPECT_EQ(beat("A", 2), 0);
  EXPECT_EQ(answers->find(slot)->heartbeat_interval_ms, 7'000);
  group::overrides known;
  coordinator->config("g", [&](group::overrides set) { known = std::move(set); });
  EXPECT_EQ(known, (group::overrides{{"streams.heartbeat.interval.ms", "7000"}}));
}

/// Ends the actor as a fault in it would.
void kill(const actor_handle& who) {
  who->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
               caf::make_message(caf::exit_msg{who->address(), caf::exit_reason::kill}), nullptr);
}

class supervision_death : public ::testing::TestWithParam<std::pair<std::size_t, const char*>> {};

TEST_P(supervision_death, the_end_of_an_actor_that_nothing_works_without_ends_the_process_with_words) {
  const auto [which, name] = GetParam();
  EXPECT_EXIT(
      {
        world w;
        kill(w.coordinator->essential().at(which));
        w.run();
      },
      ::testing::ExitedWithCode(1), std::string("nothing works without has ended.*") + name);
}
INSTANTIATE_TEST_SUITE_P(each, supervision_death,
                         ::testing::Values(std::pair(0, "directory"), std::pair(1, "log"), std::pair(2, "metadata")),
                         [](const auto& test) { return test.param.second; });

TEST(supervision_of_the_whole, an_exception_in_the_metadata_actor_ends_the_process_also_with_threads) {
  EXPECT_EXIT(
      {
        world w(quick_options(), scheduling::threads);
        w.coordinator->publish_image(w.image(), [] { throw std::runtime_error("a fault in a handler"); });
        std::promise<void>().get_future().wait();  // hangs unless the process ends
      },
      ::testing::ExitedWithCode(1), "a fault in a handler(.|\n)*nothing works without has ended.*metadata");
}

TEST(supervision_of_the_whole, stopping_in_order_is_no_failure) {
  EXPECT_EXIT(
      {
        {
          world w(quick_options(), scheduling::threads);
          w.stop();
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir::actors
