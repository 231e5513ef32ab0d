// Each resource over a fake coordinator: what it shows, how it pages, what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "fakes.hpp"
#include "http/json_reader.hpp"
#include "http/resources/metrics.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

json_value body_of(const response& answer) {
  auto parsed = parse_json(answer.body);
  EXPECT_TRUE(parsed) << answer.body;
  return parsed ? *std::move(parsed) : json_value();
}

std::vector<std::string> names(const json_value& page, std::string_view key) {
  std::vector<std::string> out;
  for (const json_value& item : *page.find("items")->as<json_items>()) out.push_back(item.find(key)->plain());
  return out;
}

group::group_summary row(std::string id, group::group_state state) {
  group::group_summary out;
  out.id = std::move(id);
  out.kind = group::group_kind::streams;
  out.state = state;
  out.state_name = group::name(state);
  out.members = 2;
  return out;
}

TEST(groups, are_listed_with_state_epochs_and_counts) {
  api_under_test api;
  api.groups.rows = {row("orders", group::group_state::stable)};
  api.groups.rows[0].group_epoch = 7;
  const auto page = body_of(api.ask("GET", "/v1/groups"));
  const json_value& first = page.find("items")->as<json_items>()->front();
  EXPECT_EQ(first.find("group_id")->plain(), "orders");
  EXPECT_EQ(first.find("type")->plain(), "streams");
  EXPECT_EQ(first.find("group_epoch")->plain(), "7");
  EXPECT_EQ(first.find("members")->plain(), "2");
  EXPECT_EQ(page.find("next")->kind(), "null");
}

TEST(groups, are_filtered_by_state_and_prefix) {
  api_under_test api;
  api.groups.rows = {row("a1", group::group_state::stable), row("a2", group::group_state::empty),
                     row("b1", group::group_state::stable)};
  EXPECT_THAT(names(body_of(api.ask("GET", "/v1/groups?state=STABLE&prefix=a")), "group_id"), ElementsAre("a1"));
  EXPECT_EQ(api.ask("GET", "/v1/groups?state=sleepy").status, 400);
}

TEST(groups, pages_follow_each_other_without_gap_or_repetition) {
  api_under_test api;
  for (const auto* id : {"a", "b", "c"}) api.groups.rows.push_back(row(id, group::group_state::stable));
  const auto first = body_of(api.ask("GET", "/v1/groups?limit=2"));
  EXPECT_THAT(names(first, "group_id"), ElementsAre("a", "b"));
  const std::string next = first.find("next")->plain();
  const auto second = body_of(api.ask("GET", "/v1/groups?limit=2&after=" + next));
  EXPECT_THAT(names(second, "group_id"), ElementsAre("c"));
  EXPECT_EQ(second.find("next")->kind(), "null");
}

TEST(groups, a_page_asks_one_group_more_than_it_shows_however_many_there_are) {
  api_under_test api;
  for (int i = 100; i < 400; ++i) api.groups.rows.push_back(row(std::to_string(i), group::group_state::stable));
  std::vector<std::string> all;
  std::string after;
  do {
    api.groups.rows_told = 0;
    const auto page = body_of(api.ask("GET", "/v1/groups?limit=10&prefix=2" + after));
    EXPECT_LE(api.groups.rows_told, 11U);
    for (auto& id : names(page, "group_id")) all.push_back(std::move(id));
    const auto* next = page.find("next");
    after = next->kind() == "null" ? "" : "&after=" + next->plain();
  } while (!after.empty());
  EXPECT_EQ(all.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(all));
}

TEST(groups, a_page_of_a_rare_state_is_found_behind_many_groups_of_others) {
  api_under_test api;
  for (int i = 10'000; i < 13'000; ++i) api.groups.rows.push_back(row(std::to_string(i), group::group_state::empty));
  for (const auto* id : {"20000", "20001"}) api.groups.rows.push_back(row(id, group::group_state::stable));
  const auto first = body_of(api.ask("GET", "/v1/groups?limit=1&state=Stable"));
  EXPECT_THAT(names(first, "group_id"), ElementsAre("20000"));
  const auto second =
      body_of(api.ask("GET", "/v1/groups?limit=1&state=Stable&after=" + first.find("next")->plain()));
  EXPECT_THAT(names(second, "group_id"), ElementsAre("20001"));
  EXPECT_EQ(second.find("next")->kind(), "null");
}

TEST(groups, a_cursor_of_another_query_and_a_bad_limit_are_refused) {
  api_under_test api;
  for (const auto* id : {"a", "b"}) api.groups.rows.push_back(row(id, group::group_state::stable));
  const std::string next = body_of(api.ask("GET", "/v1/groups?limit=1")).find("next")->plain();
  EXPECT_EQ(api.ask("GET", "/v1/groups?prefix=b&after=" + next).status, 400);
  EXPECT_EQ(api.ask("GET", "/v1/groups?after=!").status, 400);
  EXPECT_EQ(api.ask("GET", "/v1/groups?limit=0").status, 400);
  EXPECT_EQ(api.ask("GET", "/v1/groups?limit=1001").status, 400);
  EXPECT_EQ(api.ask("GET", "/v1/groups?limit=ten").status, 400);
}

TEST(topology, shows_subtopologies_topics_and_the_stored_description) {
  api_under_test api;
  auto& group = api.groups.described["orders"];
  group.group_id = "orders";
  auto& part = group.topology.emplace().subtopologies.emplace().emplace_back();
  part.subtopology_id = "0";
  part.source_topics = {"in"};
  auto& changelog = part.state_changelog_topics.emplace_back();
  changelog.name = "orders-store-changelog";
  changelog.partitions = 3;
  auto& node = group.topology_description.emplace().subtopologies.emplace_back().nodes.emplace_back();
  node.name = "KSTREAM-SOURCE-0";
  node.node_type = 1;
  const auto shown = body_of(api.ask("GET", "/v1/groups/orders/topology"));
  const json_value& first = shown.find("subtopologies")->as<json_items>()->front();
  EXPECT_EQ(first.find("source_topics")->as<json_items>()->front().plain(), "in");
  EXPECT_EQ(first.find("state_changelog_topics")->as<json_items>()->front().find("partitions")->plain(), "3");
  const json_value& described = shown.find("description")->find("subtopologies")->as<json_items>()->front();
  const json_value& source = described.find("nodes")->as<json_items>()->front();
  EXPECT_EQ(source.find("type")->plain(), "source");
  EXPECT_EQ(source.find("sink_topic")->kind(), "null");
}

TEST(topology, without_a_description_has_null_and_of_nobody_is_404) {
  api_under_test api;
  api.groups.described["orders"].group_id = "orders";
  const auto shown = body_of(api.ask("GET", "/v1/groups/orders/topology"));
  EXPECT_EQ(shown.find("description")->kind(), "null");
  EXPECT_EQ(shown.find("topology_epoch")->kind(), "null");
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/topology").status, 404);
}

TEST(group, that_does_not_exist_is_kafkas_group_id_not_found) {
  const auto answer = api_under_test().ask("GET", "/v1/groups/nobody");
  EXPECT_EQ(answer.status, 404);
  const auto body = body_of(answer);
  EXPECT_EQ(body.find("kafka_error")->plain(), "GROUP_ID_NOT_FOUND");
  EXPECT_EQ(body.find("kafka_code")->plain(), "69");
  EXPECT_EQ(body.find("error_code")->plain(), "69");
}

TEST(group, that_is_being_loaded_is_a_503_that_says_when_to_ask_again) {
  api_under_test api;
  api.groups.without_view = protocol::error_code::coordinator_load_in_progress;
  const auto answer = api.ask("GET", "/v1/groups/orders");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_THAT(answer.headers, Contains(std::pair<std::string, std::string>("Retry-After", "1")));
  EXPECT_EQ(body_of(answer).find("kafka_error")->plain(), "COORDINATOR_LOAD_IN_PROGRESS");
  EXPECT_THAT(answer.body, HasSubstr("'orders' is being read"));
}

TEST(groups, that_are_being_loaded_are_listed_with_what_is_known_of_them) {
  api_under_test api;
  api.groups.rows = {group::loading_summary("late", group::group_kind::streams),
                     row("orders", group::group_state::empty)};
  EXPECT_THAT(names(body_of(api.ask("GET", "/v1/groups")), "group_id"), ElementsAre("late", "orders"));
  const auto page = body_of(api.ask("GET", "/v1/groups?state=unknown"));
  ASSERT_THAT(names(page, "group_id"), ElementsAre("late"));
  const json_value& late = page.find("items")->as<json_items>()->front();
  EXPECT_EQ(late.find("state")->plain(), "Unknown");
  EXPECT_EQ(late.find("members")->kind(), "null");
  EXPECT_THAT(names(body_of(api.ask("GET", "/v1/groups?state=empty")), "group_id"), ElementsAre("orders"));
  EXPECT_THAT(api.ask("GET", "/metrics").body, HasSubstr("weir_groups{state=\"Unknown\"} 1\n"));
}

std::shared_ptr<const group::group_view> small_group() {
  auto view = std::make_shared<group::group_view>();
  view->now_ms = 5'000;
  view->state = group::group_state::stable;
  view->group.id = "orders";
  view->group.kind = group::group_kind::streams;
  view->group.metadata.epoch = 3;
  view->group.target_info.assignment_epoch = 3;
  group::member one;
  one.metadata.process_id = "p1";
  one.metadata.client_tags = {{"zone", "z1"}};
  one.current.member_epoch = 3;
  one.current.assigned.active["0"] = {{0, 3}, {1, 3}};
  view->group.members["m1"] = one;
  view->group.targets["m1"].active["0"] = {0, 1};
  view->group.soft.members["m1"].session_deadline_ms = 50'000;
  view->own_config["streams.num.standby.replicas"] = "1";
  group::event joined;
  joined.time_ms = 1'000;
  joined.member_id = "m1";
  joined.detail = "joined with topology epoch 0";
  view->timeline = {joined};
  return view;
}

TEST(group, shows_members_tasks_config_with_origin_and_timeline) {
  api_under_test api;
  api.groups.views["orders"] = small_group();
  api.parts.origin_of = [](std::string_view key) {
    return std::string(key == "group.streams.session.timeout.ms" ? "file" : "default");
  };
  const auto body = body_of(api.ask("GET", "/v1/groups/orders"));
  const json_value& member = body.find("members")->as<json_items>()->front();
  EXPECT_EQ(member.find("process_id")->plain(), "p1");
  EXPECT_EQ(member.find("session_ends_in_ms")->plain(), "45000");
  EXPECT_EQ(member.find("assigned")->find("active")->find("0")->as<json_items>()->size(), 2U);
  EXPECT_EQ(member.find("client_tags")->find("zone")->plain(), "z1");
  std::map<std::string, std::string> origins;
  for (const json_value& one : *body.find("config")->as<json_items>()) {
    origins[one.find("name")->plain()] = one.find("origin")->plain();
  }
  EXPECT_EQ(origins["streams.num.standby.replicas"], "group");
  EXPECT_EQ(origins["streams.session.timeout.ms"], "file");
  EXPECT_EQ(origins["streams.heartbeat.interval.ms"], "default");
  const json_value& event = body.find("timeline")->as<json_items>()->front();
  EXPECT_EQ(event.find("time")->plain(), "1970-01-01T00:00:01.000Z");
  EXPECT_EQ(event.find("cause")->plain(), "member-joined");
}

TEST(group, shows_every_member_and_which_processes_are_drained) {
  api_under_test api;
  auto view = std::make_shared<group::group_view>(*small_group());
  const auto one = view->group.members.at("m1");
  for (int n = 0; n < 300; ++n) view->group.members[fmt::format("n{:03}", n)] = one;
  view->config.drained_processes = {{"p1", {"m1"}}};
  api.groups.views["orders"] = view;
  const auto body = body_of(api.ask("GET", "/v1/groups/orders"));
  const auto& members = *body.find("members")->as<json_items>();
  ASSERT_EQ(members.size(), 301U);
  for (const json_value& member : members) EXPECT_EQ(member.find("client_tags")->find("zone")->plain(), "z1");
  EXPECT_EQ(members.back().find("member_id")->plain(), "n299");
  EXPECT_EQ(body.find("drained_processes")->as<json_items>()->front().plain(), "p1");
}

TEST(group, has_the_first_moves_of_an_event_and_says_that_there_are_more) {
  api_under_test api;
  auto view = std::make_shared<group::group_view>(*small_group());
  view->timeline.front().moved.resize(21);
  api.groups.views["orders"] = view;
  const auto body = body_of(api.ask("GET", "/v1/groups/orders"));
  const json_value& event = body.find("timeline")->as<json_items>()->front();
  EXPECT_EQ(event.find("moved")->as<json_items>()->size(), 20U);
  EXPECT_EQ(event.find("moved_truncated")->plain(), "true");
}

/// Whether openapi.yaml has a field of that name that may be null; its type stands behind it or on the next line.
bool may_be_null(std::string_view field) {
  const std::string inside = fmt::format(" {}: {{type: [", field);
  const std::string alone = fmt::format(" {}:", field);
  std::istringstream lines{std::string(openapi_yaml())};
  for (std::string line, before; std::getline(lines, line); before = line) {
    const bool names_it = line.find(inside) != std::string::npos || before.ends_with(alone);
    if (names_it && line.find("'null']") != std::string::npos) return true;
  }
  return field == "next";  // by reference
}

/// The names of all fields that are null.
void find_nulls(const json_value& in, std::set<std::string>& names) {
  if (const auto* items = in.as<json_items>()) {
    for (const json_value& item : *items) find_nulls(item, names);
  }
  const auto* members = in.as<json_members>();
  if (members == nullptr) return;
  for (const auto& [name, value] : *members) {
    if (value.as<std::nullptr_t>() != nullptr) names.insert(name);
    find_nulls(value, names);
  }
}

TEST(groups, a_classic_group_has_a_state_and_nothing_of_a_streams_group) {
  api_under_test api;
  auto classic = std::make_shared<group::group_view>();
  classic->group.id = "old";
  classic->group.kind = group::group_kind::simple;
  api.groups.views["old"] = classic;
  const auto body = body_of(api.ask("GET", "/v1/groups/old"));
  EXPECT_EQ(*body.find("type")->as<std::string>(), "classic");
  EXPECT_EQ(*body.find("state")->as<std::string>(), "Empty");
  EXPECT_NE(body.find("group_epoch")->as<std::nullptr_t>(), nullptr);
  EXPECT_TRUE(body.find("config")->as<json_items>()->empty());
}

TEST(groups, a_consumer_group_has_a_state_and_epochs_and_nothing_else_of_a_streams_group) {
  api_under_test api;
  auto consumers = std::make_shared<group::group_view>();
  consumers->group.id = "c";
  group::apply(consumers->group,
               group::consumer_group_record{group::consumer_metadata{.epoch = 5, .metadata_hash = 0}});
  api.groups.views["c"] = consumers;
  api.groups.rows = {group::summarise(consumers->group)};
  const auto body = body_of(api.ask("GET", "/v1/groups/c"));
  EXPECT_EQ(*body.find("type")->as<std::string>(), "consumer");
  EXPECT_EQ(*body.find("state")->as<std::string>(), "Empty");
  EXPECT_EQ(*body.find("group_epoch")->as<std::int64_t>(), 5);
  EXPECT_TRUE(body.find("members")->as<json_items>()->empty());
  const auto list = body_of(api.ask("GET", "/v1/groups"));
  const auto& row = list.find("items")->as<json_items>()->at(0);
  EXPECT_EQ(*row.find("type")->as<std::string>(), "consumer");
  EXPECT_EQ(*row.find("assignment_epoch")->as<std::int64_t>(), 5);
  const auto refused = api.ask("GET", "/v1/groups/c/assignment");
  EXPECT_EQ(refused.status, 404);
  EXPECT_THAT(refused.body, HasSubstr("group 'c' is a consumer group, not a streams group"));
}

TEST(openapi, says_of_each_field_that_is_answered_as_null_that_it_may_be) {
  api_under_test api;
  auto bare = std::make_shared<group::group_view>();
  bare->group.id = "bare";
  bare->group.kind = group::group_kind::streams;
  bare->group.members["m1"] = {};
  api.groups.views["bare"] = bare;
  api.groups.rows = {group::loading_summary("late", group::group_kind::streams)};
  auto read = std::make_shared<group::group_view>(*bare);
  read->group.topology.emplace().subtopologies.emplace_back().source_topics = {"in"};
  api.groups.views["read"] = read;
  metadata::image_builder topics(nullptr);
  topics.put_topic({.id = uuid{1, 1}, .name = "in", .partition_racks = {{}}});
  api.groups.topics = topics.build(1);
  std::set<std::string> nulls;
  api.groups.described["bare"] = {};
  auto classic = std::make_shared<group::group_view>();
  classic->group.kind = group::group_kind::simple;
  api.groups.views["classic"] = classic;
  find_nulls(body_of(api.ask("GET", "/v1/groups/bare")), nulls);
  find_nulls(body_of(api.ask("GET", "/v1/groups/classic")), nulls);
  find_nulls(body_of(api.ask("GET", "/v1/groups/bare/topology")), nulls);
  find_nulls(body_of(api.ask("GET", "/v1/groups/read/offsets")), nulls);
  find_nulls(body_of(api.ask("GET", "/v1/groups")), nulls);
  EXPECT_GE(nulls.size(), 12U) << "the bare group is not bare";
  for (const auto& name : nulls) EXPECT_TRUE(may_be_null(name)) << name;
}

TEST(openapi, says_of_each_field_that_may_be_sent_as_null_that_it_may_be) {
  api_under_test api;
  EXPECT_EQ(api.ask("POST", "/v1/topics", R"({"name":"t","partitions":null,"racks":null,"configs":null})").status, 201);
  for (const auto* field : {"partitions", "racks", "configs"}) EXPECT_TRUE(may_be_null(field)) << field;
  EXPECT_EQ(api.ask("POST", "/v1/topics", R"({"name":null})").status, 400);
  EXPECT_EQ(api.ask("PUT", "/v1/topics/t/racks", R"({"racks":null})").status, 400);
  EXPECT_EQ(api.ask("PUT", "/v1/topics/t/racks", R"({"racks":[[null]]})").status, 200);
  EXPECT_THAT(openapi_yaml(), HasSubstr("items: {type: array, items: {type: [string, 'null']}}"));
  EXPECT_THAT(openapi_yaml(), Not(HasSubstr("nullable"))) << "a word of OpenAPI 3.0";
}

TEST(topics, are_listed_with_id_and_racks) {
  api_under_test api;
  metadata::image_builder next(nullptr);
  next.put_topic({uuid{1, 2}, "words", {{"r1"}, {}}});
  api.groups.topics = next.build(1);
  const auto page = body_of(api.ask("GET", "/v1/topics"));
  const json_value& topic = page.find("items")->as<json_items>()->front();
  EXPECT_EQ(topic.find("name")->plain(), "words");
  EXPECT_EQ(topic.find("partitions")->plain(), "2");
  EXPECT_EQ(topic.find("topic_id")->plain(), (uuid{1, 2}.to_string()));
}

TEST(topics, are_created_with_partitions_racks_and_configs) {
  api_under_test api;
  const auto answer =
      api.ask("POST", "/v1/topics",
              R"({"name":"words","partitions":2,"racks":[["r1"],["r2"]],"configs":{"cleanup.policy":"compact"}})");
  EXPECT_EQ(answer.status, 201);
  ASSERT_EQ(api.topics.created.size(), 1U);
  EXPECT_EQ(api.topics.created[0].partitions, 2);
  EXPECT_THAT(api.topics.created[0].racks, ElementsAre(ElementsAre("r1"), ElementsAre("r2")));
  EXPECT_EQ(api.topics.created[0].configs["cleanup.policy"], "compact");
}

TEST(topics, every_mistake_of_a_body_is_named_at_once) {
  api_under_test api;
  const auto answer = api.ask("POST", "/v1/topics", R"({"nam":"t","partitions":0,"configs":[]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("'name' is missing"));
  EXPECT_THAT(answer.body, HasSubstr("'partitions' must lie between 1 and 100000, not 0"));
  EXPECT_THAT(answer.body, HasSubstr("'configs' must be an object, not a list"));
  EXPECT_THAT(answer.body, HasSubstr("'nam' is not known here"));
  EXPECT_EQ(api.ask("POST", "/v1/topics", R"({"name":"t",})").status, 400);
  EXPECT_EQ(api.ask("POST", "/v1/topics", "[]").status, 400);
  EXPECT_TRUE(api.topics.created.empty());
}

TEST(topics, racks_are_set_with_replicas_that_are_away) {
  api_under_test api;
  const auto set = [&](const char* body) { return api.ask("PUT", "/v1/topics/words/racks", body).status; };
  EXPECT_EQ(set(R"({"racks":[["r1",null],["r2"]]})"), 200);
  ASSERT_EQ(api.topics.racks.size(), 1U);
  EXPECT_EQ(api.topics.racks[0].first, "words");
  EXPECT_EQ(api.topics.racks[0].second, (rack_lists{{"r1", std::nullopt}, {"r2"}}));
  for (const auto* wrong : {"{}", R"({"racks":7})", R"({"racks":[7]})", R"({"racks":[[7]]})", R"({"rack":[]})"}) {
    EXPECT_EQ(set(wrong), 400) << wrong;
  }
  EXPECT_EQ(api.topics.racks.size(), 1U);
  api.topics.answer = protocol::kafka_error{protocol::error_code::unknown_topic_or_partition, "no such topic"};
  EXPECT_EQ(set(R"({"racks":[]})"), 404);
}

TEST(topics, a_name_given_twice_and_racks_or_settings_that_are_no_text_are_refused) {
  api_under_test api;
  const auto refusal = [&](std::string body) {
    const auto answer = api.ask("POST", "/v1/topics", std::move(body));
    EXPECT_EQ(answer.status, 400);
    return answer.body;
  };
  EXPECT_THAT(refusal(R"({"name":"a","name":"b"})"), HasSubstr("'name' is given more than once"));
  EXPECT_THAT(refusal(R"({"name":"a","configs":{"retention.ms":"1","retention.ms":"2"}})"),
              HasSubstr("'configs.retention.ms' is given more than once"));
  EXPECT_THAT(refusal(R"({"name":"a","racks":[[1]]})"), HasSubstr("'racks[0][0]' must be a string, not an integer"));
  EXPECT_THAT(refusal(R"({"name":"a","configs":{"retention.ms":1}})"),
              HasSubstr("'configs.retention.ms' must be a string, not an integer"));
  EXPECT_TRUE(api.topics.created.empty());
}

TEST(topics, kafkas_refusal_is_passed_on) {
  api_under_test api;
  api.topics.answer = protocol::kafka_error{protocol::error_code::topic_already_exists, "it exists"};
  const auto answer = api.ask("POST", "/v1/topics", R"({"name":"words"})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(body_of(answer).find("kafka_error")->plain(), "TOPIC_ALREADY_EXISTS");
}

TEST(topics, are_not_created_in_gateway_mode) {
  api_under_test api;
  api.parts.topics = nullptr;
  EXPECT_EQ(api.ask("POST", "/v1/topics", R"({"name":"words"})").status, 409);
}

TEST(health, a_failed_check_turns_readyz_red_and_says_why) {
  api_under_test api;
  api.parts.ready = {{"log", [] { return std::optional<std::string>("disk full"); }},
                     {"metadata", [] { return std::optional<std::string>(); }}};
  const auto red = api.ask("GET", "/readyz");
  EXPECT_EQ(red.status, 503);
  EXPECT_EQ(red.body, "[-]log failed: disk full\nreadyz check failed\n");
  EXPECT_EQ(api.ask("GET", "/livez").body, "ok\n");
  const auto green = api.ask("GET", "/readyz?verbose&exclude=log");
  EXPECT_EQ(green.status, 200);
  EXPECT_EQ(green.body, "[+]log excluded: ok\n[+]metadata ok\nreadyz check passed\n");
}

TEST(health, leaving_out_a_check_that_does_not_exist_is_a_mistake_that_names_those_that_do) {
  api_under_test api;
  api.parts.ready = {{"log", [] { return std::optional<std::string>(); }},
                     {"serving", [] { return std::optional<std::string>(); }}};
  const auto refused = api.ask("GET", "/readyz?exclude=log&exclude=bogus");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("'bogus'; the checks are log, serving"));
  EXPECT_EQ(api.ask("GET", "/livez?exclude=log").status, 400);
}

TEST(version, names_version_and_mode) {
  const auto body = body_of(api_under_test().ask("GET", "/version"));
  EXPECT_EQ(body.find("version")->plain(), "1.2.3");
  EXPECT_EQ(body.find("mode")->plain(), "embedded");
}

TEST(metrics_resource, counts_groups_by_state_at_each_scrape) {
  api_under_test api;
  bool refreshed = false;
  api.parts.refresh_metrics = [&] { refreshed = true; };
  api.groups.rows = {row("a", group::group_state::stable), row("b", group::group_state::stable)};
  const std::string text = api.ask("GET", "/metrics").body;
  const auto line = [](group::group_state state, int count) {
    return "weir_groups{state=\"" + std::string(group::name(state)) + "\"} " + std::to_string(count) + "\n";
  };
  EXPECT_THAT(text, HasSubstr(line(group::group_state::stable, 2)));
  EXPECT_THAT(text, HasSubstr(line(group::group_state::empty, 0)));
  EXPECT_THAT(text, HasSubstr("weir_members 4\n"));
  EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes"));
  EXPECT_TRUE(refreshed);
}

}  // namespace
}  // namespace weir::http
