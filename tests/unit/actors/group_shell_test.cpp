// The shell alone, without actors: what a manual schedule cannot bring about, since there messages never overlap.
#include "actors/group_shell.hpp"

#include "world.hpp"

namespace weir::actors {
namespace {

/// Something happens at the next look at the clock.
class surprising_clock final : public clock {
 public:
  std::function<void()> surprise;
  std::int64_t now = 1'000'000;
  [[nodiscard]] std::int64_t now_ms() const noexcept override {
    if (auto happens = std::exchange(const_cast<std::function<void()>&>(surprise), nullptr)) happens();
    return now;
  }
};

/// Keeps appends for the test, which answers them.
class open_appends final : public append_port {
 public:
  std::vector<group_append> made;
  void append(group_append append) override { made.push_back(std::move(append)); }
};

class quiet_host final : public group_host {
 public:
  void wake_in(std::int64_t /*milliseconds*/, std::uint64_t number) override { token = number; }
  void kind_changed(group::group_kind /*kind*/) override {}
  void show(std::shared_ptr<const group::group_summary> row) override { shown = std::move(row); }
  std::shared_ptr<const group::group_summary> shown;
  std::optional<std::uint64_t> token;
};

struct group_shell_test : ::testing::Test {
  storage::memory_log log;
  topic_wishes topics;
  surprising_clock time;
  open_appends appends;
  metadata::image_ptr first = image_with(nullptr, "foo", 4);
  current_image images{first};
  metadata::hash_cache hashes;
  config_store configs;
  defaults_store defaults{quick_options().broker};
  assignor::registry assignors = assignor::registry::make(quick_options().broker.assignors).value();
  coordinator_counters counters;
  event_feed feed;
  group_services services{quick_options(), log,     topics,    time,     appends, images,
                          hashes,          configs, defaults,  assignors, counters, feed};
  quiet_host host;
  group::streams_group state = [] {
    group::streams_group group;
    group.id = "g";
    return group;
  }();
  std::shared_ptr<answer_book> answers = std::make_shared<answer_book>();
  std::uint64_t slot = 0;

  /// What the metadata actor does. Whom it tells.
  std::vector<std::string> publish(const metadata::image_ptr& next) {
    const auto delta = metadata::difference(*images.get().first, *next);
    images.set(next);
    return hashes.invalidate(delta);
  }
  response beat(group_shell& shell, const std::string& member, int epoch) {
    return beat(shell, heartbeat_request(member, epoch));
  }
  response beat(group_shell& shell, protocol::streams_group_heartbeat_request asked) {
    const auto request = std::make_shared<pending_heartbeat>(call_of(std::move(asked), answers, ++slot));
    shell.heartbeat({request});
    if (!appends.made.empty()) {
      const auto& last = appends.made.back();
      shell.log_progress({last.incarnation, last.number, std::nullopt});
    }
    return answers->find(slot).value();
  }
};

TEST_F(group_shell_test, spec02_8_4_an_image_between_a_first_decision_and_its_subscription_is_not_missed) {
  group_shell shell(services, host, state);
  std::vector<std::string> told{"nobody asked"};
  time.surprise = [&] { told = publish(image_with(first, "foo", 6)); };
  const auto joined = beat(shell, "A", 0);
  ASSERT_TRUE(told.empty()) << "the group was told, so this test shows nothing";
  EXPECT_EQ(active_tasks(joined), 4U);
  const auto next = beat(shell, "A", joined.member_epoch);
  EXPECT_EQ(next.member_epoch, joined.member_epoch + 1);
  EXPECT_EQ(active_tasks(next), 6U);
}

TEST_F(group_shell_test, what_lists_show_is_taken_back_before_a_change_is_answered_and_shown_when_it_is_durable) {
  group_shell shell(services, host, state);
  std::vector<group::group_summary> rows;
  const auto list = [&] {
    shell.summarise({std::make_shared<row_collector>(
        std::vector<group::group_summary>(), [&](std::vector<group::group_summary> told) { rows = told; })});
  };
  const auto joined = beat(shell, "A", 0);
  list();
  ASSERT_TRUE(host.shown);
  EXPECT_EQ(host.shown->members, 1);
  EXPECT_EQ(host.shown->active_tasks, 4);
  const auto before = host.shown;
  EXPECT_EQ(error_of(beat(shell, "A", joined.member_epoch)), 0);
  EXPECT_EQ(host.shown, before) << "a steady heartbeat changes no list";

  shell.heartbeat({std::make_shared<pending_heartbeat>(call_of(heartbeat_request("B", 0), answers, ++slot))});
  EXPECT_FALSE(host.shown);
  rows.clear();
  list();
  EXPECT_FALSE(host.shown) << "not durable yet";
  EXPECT_TRUE(rows.empty());
  shell.log_progress({appends.made.back().incarnation, appends.made.back().number, std::nullopt});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().members, 2);
  list();
  ASSERT_TRUE(host.shown);
  EXPECT_EQ(host.shown->members, 2);
}

TEST_F(group_shell_test, a_wake_up_without_a_change_takes_nothing_back) {
  group_shell shell(services, host, state);
  beat(shell, "A", 0);
  shell.summarise({std::make_shared<row_collector>(std::vector<group::group_summary>(), [](const auto&) {})});
  const auto before = host.shown;
  ASSERT_TRUE(before);
  ASSERT_TRUE(host.token);
  shell.wake_up_fired({*host.token});
  EXPECT_EQ(host.shown, before);
}

TEST_F(group_shell_test, a_full_log_refuses_before_deciding_and_only_what_would_write) {
  group_shell shell(services, host, state);
  const auto joined = beat(shell, "A", 0);
  const auto before = appends.made.size();
  log.set_full(true);
  EXPECT_EQ(error_of(beat(shell, "B", 0)), 15);
  EXPECT_EQ(error_of(beat(shell, "A", -1)), 15);
  EXPECT_EQ(error_of(beat(shell, "A", joined.member_epoch)), 0);
  EXPECT_EQ(appends.made.size(), before);
  EXPECT_EQ(shell.state().members.size(), 1U);
  log.set_full(false);
  EXPECT_EQ(error_of(beat(shell, "B", 0)), 0);
}

TEST_F(group_shell_test,
       spec01_7_5_what_makes_an_assignor_fail_is_told_to_the_client_and_to_the_log_but_not_without_limit) {
  const auto many = image_with(first, "many", 20'000);
  images.set(many);
  auto join = heartbeat_request("A", 0);
  auto& parts = join.topology->subtopologies;
  for (int i = 0; i < 900; ++i) {
    parts.push_back(parts.front());
    parts.back().subtopology_id = text("part-" + std::to_string(i));
    parts.back().source_topics = {text("many")};
  }
  const auto beat_once = [&] {
    group_shell shell(services, host, state);  // a group without members does not last
    shell.heartbeat({std::make_shared<pending_heartbeat>(call_of(join, answers, ++slot))});
    EXPECT_TRUE(shell.state().members.empty());
    return answers->find(slot).value();
  };
  const std::string why = "the group has more than 2000000 tasks and standbys";
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 25; ++i) {
    const auto told = beat_once();
    EXPECT_EQ(error_of(told), -1);
    EXPECT_EQ(told.error_message.value_or(text()).str(), why);
  }
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(lines.find(" WARN a heartbeat failed group=g reason=\"" + why), std::string::npos) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 20) << lines;
  services.options.strict_kafka = true;
  const auto strictly = beat_once();
  EXPECT_EQ(error_of(strictly), -1);
  EXPECT_FALSE(strictly.error_message);
}

TEST_F(group_shell_test, spec03_8_5_a_warm_up_that_does_not_get_on_is_told_of_and_counted) {
  images.set(image_with(first, "app-store-changelog", 4, 8));
  const auto join = [](const std::string& member) {
    auto request = heartbeat_request(member, 0);
    request.topology->subtopologies.front().state_changelog_topics.emplace_back().name = text("app-store-changelog");
    request.task_offsets.emplace();
    return request;
  };
  group_shell shell(services, host, state);
  const auto alone = beat(shell, join("A"));
  ASSERT_EQ(active_tasks(alone), 4U);
  const auto warming = beat(shell, join("B"));
  ASSERT_TRUE(warming.warmup_tasks && !warming.warmup_tasks->empty());
  beat(shell, "A", alone.member_epoch);
  auto report = heartbeat_request("B", warming.member_epoch);
  report.task_offsets.emplace();
  for (std::int32_t partition = 0; partition < 4; ++partition) {
    auto& offset = report.task_offsets->emplace_back();
    offset.subtopology_id = text("0");
    offset.partition = partition;
  }
  beat(shell, report);
  time.now += 5 * std::int64_t{services.options.broker.task_offset_interval_ms};
  beat(shell, "B", warming.member_epoch);  // it has told an offset for the first time
  time.now += 5 * std::int64_t{services.options.broker.task_offset_interval_ms};
  ::testing::internal::CaptureStderr();
  beat(shell, "B", warming.member_epoch);
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(counters.warm_ups_stuck, 2U);
  EXPECT_NE(lines.find("WARN a warm-up task does not get on group=g task=0_"), std::string::npos) << lines;
  EXPECT_NE(lines.find("process=process-B offset=0 tried_again_in_s=300"), std::string::npos) << lines;
}

TEST_F(group_shell_test, after_a_failed_write_the_log_is_told_that_the_group_knows) {
  group_shell shell(services, host, state);
  const auto joined = beat(shell, "A", 0);
  ASSERT_EQ(error_of(joined), 0);
  const auto failed = appends.made.back();
  shell.log_progress({failed.incarnation, 0, "disk full"});
  EXPECT_GT(appends.made.back().incarnation, failed.incarnation);
  EXPECT_TRUE(appends.made.back().records.empty());
}

}  // namespace
}  // namespace weir::actors
