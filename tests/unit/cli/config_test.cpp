// The configuration: order of sources, clear mistakes, the template in config/, and the mapping to what the rooms take.
#include "cli/config.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/file_limit.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "cli/read_file.hpp"
#include "cli/settings.hpp"
#include "cli/toml_reader.hpp"

namespace weir::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A file of this test only, gone afterwards.
class config_file : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string write(std::string_view text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string mistakes(std::string_view text) {
    const auto loaded = config::load({write(text), {}, {}});
    return loaded ? "" : loaded.error().message;
  }

 private:
  std::string path_ = ::testing::TempDir() + "weir_config_test_" + std::to_string(getpid()) + ".toml";
};

config with(std::vector<std::string> sets) {
  auto loaded = config::load({{}, {}, std::move(sets)});
  EXPECT_TRUE(loaded) << loaded.error().message;
  return *std::move(loaded);
}

TEST_F(config_file, kafkas_names_stand_verbatim_and_tables_are_the_same_as_dots) {
  const auto loaded = config::load({write("group.streams.num.standby.replicas = 1\nlisteners = \"PLAINTEXT://:9092\"\n"
                                          "[http]\nlisteners = [\"http://:1\", \"http://:2\"]\n"),
                                    {},
                                    {}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->integer("group.streams.num.standby.replicas"), 1);
  EXPECT_THAT(loaded->list("http.listeners"), ElementsAre("http://:1", "http://:2"));
  EXPECT_EQ(loaded->at("listeners").from, origin::file);
  EXPECT_THAT(loaded->at("listeners").place, HasSubstr(".toml:2"));
}

TEST_F(config_file, a_flag_wins_over_environment_over_file_over_default) {
  const std::string file = write("node.id = 2\nio.threads = 2\nactor.threads = 2\n");
  const auto loaded =
      config::load({file, {{"WEIR_IO_THREADS", "3"}, {"WEIR_ACTOR_THREADS", "3"}, {"HOME", "/"}}, {"actor.threads=4"}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->integer("node.id"), 2);
  EXPECT_EQ(loaded->integer("io.threads"), 3);
  EXPECT_EQ(loaded->integer("actor.threads"), 4);
  EXPECT_EQ(loaded->at("io.threads").from, origin::environment);
  EXPECT_EQ(loaded->at("actor.threads").from, origin::flag);
  EXPECT_EQ(loaded->at("max.connections").from, origin::built_in);
}

TEST_F(config_file, an_unknown_key_names_the_nearest_one_and_the_line) {
  EXPECT_THAT(mistakes("\ngroup.streams.num.standby.replica = 1\n"),
              HasSubstr(":2: unknown key 'group.streams.num.standby.replica'; did you mean "
                        "'group.streams.num.standby.replicas'?"));
}

TEST_F(config_file, a_value_out_of_range_names_the_range) {
  EXPECT_THAT(mistakes("io.threads = 0\n"), HasSubstr(":1: 'io.threads' must lie between 1 and 256, not 0"));
}

TEST_F(config_file, all_mistakes_are_reported_at_once) {
  const std::string all = mistakes("io.threads = \"2\"\nmode = \"cluster\"\nstrict.kafka = 1\nlisteners = 5\n");
  EXPECT_THAT(all, HasSubstr(":1: 'io.threads' must be an integer, not a string"));
  EXPECT_THAT(all, HasSubstr(":2: 'mode' must be one of embedded, gateway, not 'cluster'"));
  EXPECT_THAT(all, HasSubstr(":3: 'strict.kafka' must be true or false, not an integer"));
  EXPECT_THAT(all, HasSubstr(":4: 'listeners' must be a list"));
}

TEST_F(config_file, broken_toml_names_the_line) {
  EXPECT_THAT(mistakes("mode = \"gateway\"\nio.threads = \n"), HasSubstr("line 2"));
}

TEST(config, a_file_that_is_missing_is_named) {
  const auto loaded = config::load({"/nowhere/weir.toml", {}, {}});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("'/nowhere/weir.toml'"));
}

TEST(config, variables_follow_kafkas_container_rule) {
  EXPECT_EQ(environment_name("http.token_file"), "WEIR_HTTP_TOKEN__FILE");
  for (const config_section& section : config_sections()) {
    for (const config_key& key : section.keys) {
      if (key.type != key_type::text) continue;
      const auto loaded = config::load({{}, {{environment_name(key.name), "x"}}, {}});
      ASSERT_TRUE(loaded);
      EXPECT_EQ(loaded->text(key.name), "x") << key.name;
    }
  }
}

TEST(config, an_unknown_variable_is_a_warning) {
  const auto loaded = config::load({{}, {{"WEIR_PORT", "tcp://10.0.0.1:9092"}}, {}});
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->warnings(), ElementsAre(HasSubstr("WEIR_PORT is ignored")));
}

TEST(config, a_set_without_equals_sign_is_a_mistake) { EXPECT_FALSE(config::load({{}, {}, {"node.id"}})); }

TEST(config, config_weir_toml_is_the_template) {
  std::ifstream file(std::string(WEIR_SOURCE_DIR) + "/config/weir.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, config_template()) << "write it with: weir config print --template > config/weir.toml";
}

TEST_F(config_file, the_template_with_every_key_switched_on_gives_the_defaults) {
  std::string text = config_template();
  for (std::size_t at = 0; (at = text.find("\n#", at)) != std::string::npos; ++at) {
    if (text[at + 2] != ' ') text.erase(at + 1, 1);
  }
  const auto loaded = config::load({write(text), {}, {}});
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (const config_section& section : config_sections()) {
    for (const config_key& key : section.keys) {
      EXPECT_EQ(loaded->at(key.name).value, key.value) << key.name;
      EXPECT_EQ(loaded->at(key.name).from, origin::file) << key.name;
    }
  }
}

TEST(config, printing_hides_secrets_and_shows_origins) {
  const auto of = with({"http.token=secret", "node.id=7"});
  const std::string text = print_config(of, false, true);
  EXPECT_THAT(text, HasSubstr("node.id = 7  # flag --set\n"));
  EXPECT_THAT(text, HasSubstr("http.token = \"(hidden)\""));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(print_config(of, true, true), HasSubstr("io.threads = 2  # default\n"));
}

TEST(config, the_path_of_a_web_hook_is_shown_nowhere) {
  const std::string secret_url = "https://hooks.example.com/T0/secret?k=secret";
  const auto of = with({"webhook.urls=a=" + secret_url + ",b=http://h:9000,c=nothing/secret"});
  const auto text = print_config(of, false, false);
  EXPECT_THAT(text, HasSubstr("\"a=https://hooks.example.com:443/(hidden),b=http://h:9000,(hidden)\"\n"));
  const auto slips = print_config(with({"webhook.urls=https://h/secret?k=v,a=https://h/x,secret=v"}), false, false);
  EXPECT_THAT(slips, HasSubstr("\"(hidden),a=https://h:443/(hidden),(hidden)\"\n"));
  for (const std::string url : {"https://h/secret", "a=ftp://h/secret", "a=https://h/se cret", "a=https://h/secret#x",
                                "a=https://user@h/secret", "a=https://h:no/secret", "a=hooks.example.com/secret",
                                "a=secret", "a=http:secret", "a=http://user:secret/PW@host/", "a=http://:80/secret"}) {
    const auto made = configure({{}, {}, {"webhook.urls=" + url}});
    ASSERT_FALSE(made) << url;
    EXPECT_THAT(made.error().message, HasSubstr("'webhook.urls'"));
    EXPECT_THAT(made.error().message, Not(HasSubstr("secret"))) << url;
    EXPECT_THAT(made.error().message, Not(HasSubstr("se cret"))) << url;
  }
}

std::string all_mistakes(config_sources from) {
  const auto made = configure(from);
  return made ? "" : made.error().message;
}

TEST_F(config_file, mistakes_of_values_and_of_what_does_not_fit_together_are_reported_at_once) {
  const std::string all = all_mistakes({write("io.threads = 0\n"
                                              "listeners = \"localhost:9092\"\n"
                                              "upstream.bootstrap.servers = \"broker\"\n"
                                              "group.streams.assignors = \"stickty\"\n"
                                              "group.streams.max.session.timeout.ms = 50000\n"
                                              "group.streams.session.timeout.ms = 55000\n"
                                              "group.streams.num.standby.replicas = 9\n"
                                              "max.in.flight = 5\n"
                                              "nonsense = 1\n"
                                              "queued.max.request.bytes = 2000000\n"),
                                        {},
                                        {}});
  EXPECT_THAT(all, HasSubstr(":1: 'io.threads' must lie between"));
  EXPECT_THAT(all, HasSubstr(":2: 'listeners' must have the form PLAINTEXT://host:port, not 'localhost:9092'"));
  EXPECT_THAT(all, HasSubstr(":3: 'upstream.bootstrap.servers' must have the form host:port, not 'broker'"));
  EXPECT_THAT(all, HasSubstr(":4: 'group.streams.assignors' names what does not exist: "));
  EXPECT_THAT(all, HasSubstr("stickty"));
  EXPECT_THAT(all, HasSubstr(":6: 'group.streams.session.timeout.ms' "));
  EXPECT_THAT(all, HasSubstr(":7: 'group.streams.num.standby.replicas' "));
  EXPECT_THAT(all, HasSubstr(":8: 'connection.max.in.flight' must not be above 'max.in.flight'"));
  EXPECT_THAT(all, HasSubstr(":9: unknown key 'nonsense'; `weir config print --template` lists all keys"));
  EXPECT_THAT(all, HasSubstr(":10: 'queued.max.request.bytes' must not be below 'socket.request.max.bytes'"));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 8) << "each of them once:\n" << all;
}

TEST_F(config_file, mistakes_come_in_the_order_of_the_file_and_then_of_what_overrides_it) {
  const std::string all = all_mistakes({write("nonsense = 1\n"
                                              "listeners = \"localhost:9092\"\n"
                                              "[http]\n"
                                              "listeners = \"8080\"\n"
                                              "body.max.bytes = 1\n"
                                              "[group.streams]\n"
                                              "assignors = \"stickty\"\n"),
                                        {{"WEIR_IO_THREADS", "0"}},
                                        {"mode=gateway", "actor.threads=0"}});
  std::vector<std::string> places;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) places.push_back(line.substr(0, line.find(": ")));
  const std::string file = write("");
  EXPECT_THAT(places, ElementsAre(file + ":1", file + ":2", file + ":4", file + ":5", file + ":7", "WEIR_IO_THREADS",
                                  "--set", "--set"))
      << all;
}

TEST_F(config_file, control_characters_are_refused_with_the_key) {
  EXPECT_THAT(mistakes("data.dir = \"data\\u0000/etc\"\n"),
              HasSubstr(":1: 'data.dir' must not have control characters, but byte 5 is \\x00"));
  EXPECT_THAT(mistakes("broker.rack = \"a\\u001bb\"\n"), HasSubstr("'broker.rack' must not have control characters"));
  EXPECT_THAT(mistakes("listeners = [\"PLAINTEXT://a\\nb:1\"]\n"), HasSubstr("'listeners' must not have control"));
  EXPECT_THAT(mistakes("http.token = \"a\\u007fb\"\n"), HasSubstr("'http.token' must not have control characters"));
  EXPECT_THAT(mistakes("mode = \"gate\\u0007way\"\n"), HasSubstr("'mode' must not have control characters"));
}

TEST_F(config_file, what_follows_from_a_mistake_is_none_of_its_own) {
  EXPECT_EQ(all_mistakes({{}, {}, {"listeners=PLAINTEXT//x"}}),
            "--set: 'listeners' must have the form PLAINTEXT://host:port, not 'PLAINTEXT//x'");
  EXPECT_EQ(all_mistakes({{}, {}, {"listeners="}}), "--set: 'listeners' must name at least one listener");
  EXPECT_EQ(all_mistakes({{}, {}, {"max.in.flight=none", "connection.max.in.flight=100000"}}),
            "--set: 'max.in.flight' must be an integer, not 'none'");
}

TEST(settings, an_address_is_listened_on_once) {
  EXPECT_THAT(all_mistakes({{}, {}, {"listeners=PLAINTEXT://a:1,PLAINTEXT://a:1"}}), HasSubstr("names a:1 twice"));
  EXPECT_THAT(all_mistakes({{}, {}, {"listeners=PLAINTEXT://a:1", "http.listeners=http://a:1"}}),
              HasSubstr("'http.listeners' names a:1, which is taken"));
  EXPECT_EQ(all_mistakes({{}, {}, {"listeners=PLAINTEXT://a:0,PLAINTEXT://a:0"}}), "");
}

TEST(config, only_a_near_name_is_suggested) {
  EXPECT_EQ(nearest_key("listener"), "listeners");
  EXPECT_EQ(nearest_key("session.timeout.ms"), "group.streams.session.timeout.ms");
  EXPECT_EQ(nearest_key("kafka.broker.port"), "");
  EXPECT_EQ(nearest("srve", {"serve", "simulate"}), "serve");
  EXPECT_EQ(nearest("x", {"serve", "simulate"}), "");
}

TEST(file_limit, connections_leave_descriptors_for_the_log_and_for_probes) {
  settings made;
  made.kafka.limits.connections_max = 10'000;
  made.http.connections_max = 256;
  EXPECT_FALSE(fit_to_files(made, 20'000).value());
  made.mode = run_mode::gateway;
  const auto told = fit_to_files(made, 1'088).value();
  ASSERT_TRUE(told);
  EXPECT_EQ(made.http.connections_max, 256U);
  EXPECT_EQ(made.kafka.limits.connections_max, 384U) << "each has a connection to the upstream";
  EXPECT_EQ(made.kafka.limits.connections_per_listener_max, 384U);
  EXPECT_THAT(*told, HasSubstr("1088 file descriptors"));
}

TEST(file_limit, too_few_descriptors_to_be_of_use_are_refused_with_what_to_do) {
  for (const auto& [mode, least] : {std::pair(run_mode::embedded, 84), std::pair(run_mode::gateway, 100)}) {
    settings made;
    made.mode = mode;
    const auto refused = fit_to_files(made, static_cast<std::size_t>(least) - 1);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("needs " + std::to_string(least)));
    EXPECT_THAT(refused.error().message, HasSubstr("ulimit -n"));
    EXPECT_THAT(refused.error().message, HasSubstr("LimitNOFILE"));
    EXPECT_EQ(made.kafka.limits.connections_max, settings().kafka.limits.connections_max)
        << "a refusal changes nothing";
    ASSERT_TRUE(fit_to_files(made, static_cast<std::size_t>(least)).value());
    EXPECT_GE(made.kafka.limits.connections_max, 12U);
    EXPECT_GE(made.http.connections_max, 4U);
  }
  settings small;
  small.kafka.limits.connections_max = 2;
  small.http.connections_max = 1;
  EXPECT_FALSE(fit_to_files(small, 67).value()) << "who wants few connections needs few";
}

TEST(settings, the_defaults_fit_together) {
  const auto settled = settle(with({}));
  ASSERT_TRUE(settled) << settled.error().message;
  EXPECT_EQ(settled->kafka.listeners.front().port, 9092);
  EXPECT_EQ(settled->advertised.front().host, "127.0.0.1");
  EXPECT_TRUE(settled->http_access.loopback_only);
  EXPECT_EQ(settled->coordinator.broker.session_timeout_ms, 45'000);
}

TEST(settings, the_defaults_are_those_of_the_groups) {
  const auto settled = settle(with({}));
  const group::broker_config defaults;
  const group::broker_config& made = settled->coordinator.broker;
  EXPECT_EQ(made.max_session_timeout_ms, defaults.max_session_timeout_ms);
  EXPECT_EQ(made.heartbeat_interval_ms, defaults.heartbeat_interval_ms);
  EXPECT_EQ(made.max_size, defaults.max_size);
  EXPECT_EQ(made.num_warmup_replicas, defaults.num_warmup_replicas);
  EXPECT_EQ(made.initial_rebalance_delay_ms, defaults.initial_rebalance_delay_ms);
  EXPECT_EQ(made.assignment_interval_ms, defaults.assignment_interval_ms);
  EXPECT_EQ(made.task_offset_interval_ms, defaults.task_offset_interval_ms);
  EXPECT_EQ(made.acceptable_recovery_lag, defaults.acceptable_recovery_lag);
  EXPECT_EQ(made.assignor_failover_slack, defaults.assignor_failover_slack);
  EXPECT_EQ(made.assignor_keep_old_standbys, defaults.assignor_keep_old_standbys);
}

TEST(settings, the_default_assignor_is_highly_available_and_kafkas_in_strict_mode) {
  using names = std::vector<std::string>;
  EXPECT_EQ(settle(with({}))->coordinator.broker.assignors, (names{"highly_available", "sticky"}));
  EXPECT_EQ(settle(with({"strict.kafka=true"}))->coordinator.broker.assignors, names{"sticky"});
  EXPECT_EQ(settle(with({"group.streams.assignors=sticky"}))->coordinator.broker.assignors, names{"sticky"});
}

TEST(settings, group_bounds_of_kafka_are_checked) {
  const auto settled = settle(with({"group.streams.heartbeat.interval.ms=1000"}));
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().message, HasSubstr("heartbeat.interval.ms"));
}

TEST(settings, gateway_mode_needs_an_upstream) {
  const auto settled = settle(with({"mode=gateway"}));
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().message, HasSubstr("'upstream.bootstrap.servers' must be set"));
}

TEST(settings, a_gateway_has_one_listener) {
  const auto settled = settle(with(
      {"mode=gateway", "upstream.bootstrap.servers=a:1", "listeners=PLAINTEXT://127.0.0.1:1,PLAINTEXT://127.0.0.1:2"}));
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().message, HasSubstr("must be a single one in gateway mode"));
}

TEST(settings, listeners_have_kafkas_form) {
  EXPECT_EQ(parse_listener("PLAINTEXT://[::1]:9092", "PLAINTEXT")->host, "::1");
  EXPECT_EQ(parse_listener("PLAINTEXT://:9092", "PLAINTEXT")->host, "");
  for (const auto* bad : {"localhost:9092", "SSL://x:1", "PLAINTEXT://x", "PLAINTEXT://x:70000", "PLAINTEXT://x:"}) {
    EXPECT_FALSE(parse_listener(bad, "PLAINTEXT")) << bad;
  }
  EXPECT_FALSE(settle(with({"listeners="})));
  EXPECT_FALSE(settle(with({"advertised.listeners=PLAINTEXT://a:1,PLAINTEXT://b:2"})));
}

TEST(settings, clients_are_never_told_to_connect_to_every_interface) {
  for (const auto* everywhere : {"", "0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]"}) {
    const std::string listeners = "listeners=PLAINTEXT://" + std::string(everywhere) + ":9092";
    const auto settled = settle(with({listeners}));
    EXPECT_EQ(settled->advertised.front().host, "localhost");
    EXPECT_THAT(settled->warnings, ElementsAre(AllOf(HasSubstr("--set: 'listeners' has every interface"),
                                                     HasSubstr("'advertised.listeners'"))))
        << everywhere;
    EXPECT_THAT(settle(with({listeners, "advertised.listeners=PLAINTEXT://weir:9092"}))->warnings, IsEmpty());
  }
  EXPECT_THAT(settle(with({}))->warnings, IsEmpty());
}

TEST(settings, what_clients_are_told_to_connect_to_must_be_possible) {
  const auto refused = [](const std::string& address) {
    return all_mistakes({{}, {}, {"advertised.listeners=PLAINTEXT://" + address}});
  };
  for (const auto* everywhere : {":9092", "0.0.0.0:9092", "[::]:9092"}) {
    EXPECT_THAT(refused(everywhere), HasSubstr("'advertised.listeners' must name a host that clients can connect to"));
  }
  EXPECT_THAT(refused("weir:0"), HasSubstr("'advertised.listeners' must name the port that clients connect to, not 0"));
  EXPECT_EQ(refused("weir:9092"), "");
}

TEST(settings, without_a_token_a_listener_for_other_machines_is_warned_about) {
  const std::string open = "http.listeners=http://0.0.0.0:8080,http://127.0.0.1:8081";
  EXPECT_THAT(settle(with({open}))->warnings,
              ElementsAre(AllOf(HasSubstr("--set: 'http.listeners'"),
                                HasSubstr("'http.token_file', 'http.token' or 'http.tokens'"),
                                HasSubstr("127.0.0.1"))));
  EXPECT_THAT(settle(with({open, "http.token=x"}))->warnings, IsEmpty());
  EXPECT_THAT(settle(with({"http.listeners="}))->warnings, IsEmpty());
}

TEST(settings, loopback_is_an_address_and_not_how_a_name_begins) {
  for (const auto* host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"}) EXPECT_TRUE(is_loopback(host)) << host;
  for (const auto* host : {"127.example.com", "0.0.0.0", "", "::"}) EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(settings, a_token_comes_from_one_place) {
  const std::string path = ::testing::TempDir() + "weir_token_" + std::to_string(getpid());
  std::ofstream(path) << "s3cret\n";
  EXPECT_EQ(settle(with({"http.token_file=" + path}))->http_access.tokens.at(0).token, "s3cret");
  EXPECT_FALSE(settle(with({"http.token_file=" + path, "http.token=x"})));
  EXPECT_FALSE(settle(with({"http.token_file=/nowhere/token"})));
  std::ofstream(path) << "one\ntwo\n";
  EXPECT_THAT(settle(with({"http.token_file=" + path})).error().message, HasSubstr("control characters"));
  std::filesystem::remove(path);
}

TEST(settings, several_tokens_have_names) {
  const std::string path = ::testing::TempDir() + "weir_tokens_" + std::to_string(getpid());
  std::ofstream(path) << "ci = c\n\nbob=b\n";
  const auto good = settle(with({"http.token=x", "http.tokens=ann=a=1, eve=e", "http.tokens_file=" + path}));
  std::vector<std::string> all;
  for (const auto& known : good->http_access.tokens) all.push_back(known.name + ":" + known.token);
  EXPECT_THAT(all, ElementsAre("token:x", "ann:a=1", "eve:e", "ci:c", "bob:b"));
  std::filesystem::remove(path);
  for (const auto* wrong : {"http.tokens=abc", "http.tokens==abc", "http.tokens=a=", "http.tokens=a=1,a=2",
                            "http.tokens=a=1,b=1", "http.tokens_file=/nowhere/tokens"}) {
    const auto refused = settle(with({wrong}));
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, HasSubstr("http.tokens")) << wrong;
    EXPECT_THAT(refused.error().message, Not(HasSubstr("abc"))) << "a token is told: " << wrong;
  }
}

TEST(settings, web_hooks_have_names_causes_and_tokens) {
  const auto good = settle(with({"webhook.urls=a=https://a.example/x=y, b=http://127.0.0.1:9000",
                                 "webhook.causes=a=member-left, a=session-expired", "webhook.tokens=b=t=1",
                                 "webhook.queue.events.max=7"}));
  ASSERT_TRUE(good) << good.error().message;
  const auto& hooks = good->webhooks.hooks;
  ASSERT_EQ(hooks.size(), 2U);
  EXPECT_EQ(hooks[0].url.target, "/x=y");
  EXPECT_EQ(hooks[0].causes, (std::set<group::cause>{group::cause::member_left, group::cause::session_expired}));
  EXPECT_TRUE(hooks[1].causes.empty()) << "that is all";
  EXPECT_EQ(hooks[1].token, "t=1");
  EXPECT_EQ(good->webhooks.limits.queue_events_max, 7U);
  EXPECT_TRUE(good->warnings.empty()) << "a token in clear on this machine";
  const auto open = settle(with({"webhook.urls=a=http://a.example", "webhook.tokens=a=secret"}));
  ASSERT_TRUE(open);
  ASSERT_EQ(open->warnings.size(), 1U);
  EXPECT_THAT(open->warnings.front(), HasSubstr("without TLS"));
}

TEST(settings, mistakes_in_web_hooks_name_the_key) {
  const std::string urls = "webhook.urls=a=http://h";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"webhook.urls=http://h"}, "'webhook.urls'"},
      {{"webhook.urls=a b=http://h"}, "letters, digits"},
      {{urls, "webhook.causes=a=boredom"}, "'webhook.causes'"},
      {{urls, "webhook.causes=member-left"}, "'webhook.causes'"},
      {{urls, "webhook.causes=b=member-left"}, "a name of 'webhook.urls'"},
      {{urls, "webhook.tokens=a=abc,a=def"}, "'webhook.tokens'"},
      {{urls, "webhook.tokens=a="}, "entry 1"},
      {{urls, "webhook.tokens_file=/nowhere/tokens"}, "'webhook.tokens_file'"},
      {{urls, "webhook.ca.file=/nowhere/ca.pem"}, "'webhook.ca.file'"},
      {{"webhook.backoff.ms=1000", "webhook.backoff.max.ms=10"}, "'webhook.backoff.max.ms'"},
  };
  for (const auto& [settings, words] : cases) {
    const auto refused = settle(with(settings));
    ASSERT_FALSE(refused) << settings.back();
    EXPECT_THAT(refused.error().message, HasSubstr(words)) << settings.back();
    EXPECT_THAT(refused.error().message, Not(HasSubstr("abc"))) << "a token is told: " << settings.back();
  }
}

TEST(toml, a_key_of_very_many_parts_is_refused) {
  std::string deep = "[a";
  for (int i = 0; i < 30'000; ++i) deep += ".a";
  const auto read = read_toml("x = 1\n" + deep + "]");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "line 2: too many dots");
}

TEST(read_file, something_endless_is_refused) {
  const auto read = read_file("/dev/zero");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, testing::HasSubstr("more than 16777216 bytes"));
}

TEST(table, control_characters_are_shown_as_numbers) {
  table out({"GROUP", "STATE"});
  out.add({std::string("a\0b", 3), "\x1b[2J"});
  out.add({"", "Stable"});
  EXPECT_EQ(out.text(), "GROUP   STATE\na\\x00b  \\x1b[2J\n-       Stable\n");
}

}  // namespace
}  // namespace weir::cli
