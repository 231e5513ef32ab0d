// One whole node in this process, over real sockets: it serves, remembers, and says no in words.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "cli/groups.hpp"
#include "cli/simulate.hpp"
#include "cli/wiring.hpp"
#include "http/client.hpp"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

/// A folder of its own and ports that the system chooses.
class node_test : public ::testing::Test {
 protected:
  void TearDown() override {
    if (running_) running_->stop();
    running_.reset();
    std::filesystem::remove_all(folder_);
  }

  void start(std::vector<std::string> sets = {}) {
    auto started = try_start(std::move(sets));
    ASSERT_TRUE(started) << started.error().message;
    running_ = *std::move(started);
    const std::string where = running_->where();
    kafka_port_ = port_behind(where, "kafka 127.0.0.1:");
    url_ = "http://127.0.0.1:" + std::to_string(port_behind(where, "http 127.0.0.1:"));
  }

  result<std::unique_ptr<node>> try_start(std::vector<std::string> sets = {}) {
    sets.push_back("data.dir=" + folder_);
    sets.push_back("listeners=PLAINTEXT://127.0.0.1:0");
    sets.push_back("http.listeners=http://127.0.0.1:0");
    sets.push_back("group.streams.initial.rebalance.delay.ms=0");
    const auto loaded = config::load({{}, {}, std::move(sets)});
    EXPECT_TRUE(loaded) << loaded.error().message;
    const auto settled = settle(*loaded);
    EXPECT_TRUE(settled) << settled.error().message;
    return node::start(*settled, *loaded);
  }

  static std::uint16_t port_behind(const std::string& where, const std::string& words) {
    return static_cast<std::uint16_t>(std::stoi(where.substr(where.find(words) + words.size())));
  }

  [[nodiscard]] admin_options asked() const {
    admin_options options;
    options.url = url_;
    return options;
  }

  [[nodiscard]] std::string get(std::string_view target) const {
    const auto answer = http::get(url_, target);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->body : std::string();
  }

  std::string folder_ = ::testing::TempDir() + "weir_node_" + std::to_string(getpid());
  std::unique_ptr<node> running_;
  std::uint16_t kafka_port_ = 0;
  std::string url_;
};

TEST_F(node_test, is_ready_and_says_what_it_is) {
  start();
  EXPECT_THAT(get("/readyz?verbose"), HasSubstr("[+]log ok\n"));
  EXPECT_THAT(get("/version"), HasSubstr(R"("mode":"embedded")"));
  EXPECT_THAT(get("/metrics"), HasSubstr("weir_connections{listener=\"127.0.0.1:"));
}

TEST_F(node_test, a_simulated_application_joins_gets_tasks_and_leaves) {
  start();
  simulate_options options;
  options.port = kafka_port_;
  options.group = "app";
  options.seconds = 1;
  const auto simulated = simulate(options);
  EXPECT_TRUE(simulated) << simulated.error().message;
  const auto described = describe_group({asked(), "", "", "app"});
  ASSERT_TRUE(described) << described.error().message;
  EXPECT_THAT(*described, HasSubstr("State:        Empty"));
  EXPECT_THAT(*described, HasSubstr("member-joined"));
  EXPECT_THAT(*described, HasSubstr("member-left"));
}

TEST_F(node_test, a_restart_remembers_groups_and_topics) {
  start();
  simulate_options options;
  options.port = kafka_port_;
  options.group = "app";
  options.seconds = 1;
  ASSERT_TRUE(simulate(options));
  const auto before = list_groups({asked(), "", "", ""});
  const std::string topics = get("/v1/topics");
  running_->stop();
  running_.reset();
  start();
  EXPECT_EQ(*list_groups({asked(), "", "", ""}), *before);
  EXPECT_EQ(get("/v1/topics"), topics);
  EXPECT_THAT(topics, HasSubstr("text-lines"));
}

TEST_F(node_test, a_setting_shows_where_it_comes_from) {
  start({"group.streams.num.standby.replicas=1"});
  simulate_options options;
  options.port = kafka_port_;
  options.group = "app";
  options.seconds = 1;
  ASSERT_TRUE(simulate(options));
  const std::string group = get("/v1/groups/app");
  EXPECT_THAT(group, HasSubstr(R"({"name":"streams.num.standby.replicas","value":"1","origin":"flag"})"));
}

TEST_F(node_test, a_second_one_on_the_same_folder_is_refused) {
  start();
  const auto second = try_start();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(folder_));
}

TEST_F(node_test, an_unknown_group_and_an_absent_server_are_said_in_words) {
  start();
  EXPECT_EQ(describe_group({asked(), "", "", "nobody"}).error().message, "there is no group 'nobody'");
  running_->stop();
  EXPECT_THAT(list_groups({asked(), "", "", ""}).error().message, HasSubstr("cannot ask " + url_));
  simulate_options options;
  options.port = kafka_port_;
  EXPECT_THAT(simulate(options).error().message, HasSubstr("is Weir running?"));
}

}  // namespace
}  // namespace weir::cli
