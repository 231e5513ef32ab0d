// Resources that show and change one group: members, assignment, settings, what-if, actions, health.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "assignor/registry.hpp"
#include "fakes.hpp"
#include "http/json_reader.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using protocol::error_code;

json_value parsed(const response& answer) {
  auto value = parse_json(answer.body);
  EXPECT_TRUE(value) << answer.body;
  return value ? *std::move(value) : json_value();
}

std::string at(const json_value& from, std::initializer_list<std::string_view> path) {
  const json_value* here = &from;
  for (const auto name : path) {
    if (here != nullptr) here = here->find(name);
  }
  return here == nullptr ? "absent" : here->kind() == "null" ? "null" : here->plain();
}

const json_items& list(const json_value& from, std::string_view name) {
  static const json_items none;
  const auto* found = from.find(name);
  return found == nullptr ? none : *found->as<json_items>();
}

group::member member_of(const std::string& process, group::task_epochs active) {
  group::member made;
  made.metadata.process_id = process;
  made.metadata.client_id = "app";
  made.metadata.topology_epoch = 0;
  made.current.member_epoch = made.current.previous_member_epoch = 3;
  made.current.assigned.active = std::move(active);
  return made;
}

/// Group `orders`: m1 runs 0_0 and is to run 0_1 instead, m2 runs 0_1; topic `in` has two partitions.
std::shared_ptr<group::group_view> two_members() {
  auto view = std::make_shared<group::group_view>();
  view->now_ms = 5'000;
  view->state = group::group_state::stable;
  auto& group = view->group;
  group.id = "orders";
  group.kind = group::group_kind::streams;
  group.metadata.epoch = 3;
  group.target_info.assignment_epoch = 3;
  group.topology.emplace().subtopologies.push_back({.id = "0", .source_topics = {"in"}, .source_topic_regex = {},
                                                    .state_changelog_topics = {}, .repartition_sink_topics = {},
                                                    .repartition_source_topics = {}, .copartition_groups = {}});
  group.required_topics = {"in"};
  group.members["m1"] = member_of("p1", {{"0", {{0, 3}}}});
  group.members["m2"] = member_of("p2", {{"0", {{1, 3}}}});
  group.members["m2"].metadata.instance_id = "pod-2";
  group.static_members["pod-2"] = "m2";
  group.targets["m1"].active["0"] = {1};
  group.targets["m2"].active["0"] = {0};
  group.soft.members["m1"].offsets = group::task_offsets{{"0", {{0, 90}}}};
  group.soft.members["m1"].end_offsets = group::task_offsets{{"0", {{0, 100}}}};
  return view;
}

struct with_orders : api_under_test {
  std::shared_ptr<group::group_view> view = two_members();
  with_orders() {
    groups.views["orders"] = view;
    metadata::image_builder image(nullptr);
    metadata::topic in;
    in.name = "in";
    in.partition_racks.resize(2);
    image.put_topic(in);
    groups.topics = image.build(1);
  }
};

TEST(members, come_in_pages_and_one_by_one) {
  with_orders api;
  const auto first = parsed(api.ask("GET", "/v1/groups/orders/members?limit=1"));
  EXPECT_EQ(at(list(first, "items").at(0), {"member_id"}), "m1");
  const auto second = parsed(api.ask("GET", "/v1/groups/orders/members?limit=1&after=" + at(first, {"next"})));
  EXPECT_EQ(at(list(second, "items").at(0), {"member_id"}), "m2");
  EXPECT_EQ(at(second, {"next"}), "null");
  EXPECT_EQ(at(parsed(api.ask("GET", "/v1/groups/orders/members/m2")), {"process_id"}), "p2");
  EXPECT_EQ(at(parsed(api.ask("GET", "/v1/groups/orders/members/pod-2")), {"member_id"}), "m2") << "by instance id";
  EXPECT_EQ(api.ask("GET", "/v1/groups/orders/members/m3").status, 404);
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/members").status, 404);
  EXPECT_EQ(api.ask("GET", "/v1/groups/orders/members?limit=0").status, 400);
}

TEST(assignment, shows_what_is_held_and_what_shall_be_by_process_and_by_task) {
  with_orders api;
  const auto body = parsed(api.ask("GET", "/v1/groups/orders/assignment"));
  const auto& process = list(body, "processes").at(0);
  EXPECT_EQ(at(process, {"process_id"}), "p1");
  EXPECT_EQ(at(process, {"threads"}), "1");
  const auto& held = list(process, "tasks").at(0);
  EXPECT_EQ(at(held, {"task"}), "0_0");
  EXPECT_EQ(at(held, {"role"}), "active");
  EXPECT_EQ(at(held, {"state"}), "assigned");
  EXPECT_EQ(at(held, {"target"}), "false");
  EXPECT_EQ(at(held, {"lag"}), "10");
  EXPECT_EQ(at(list(process, "coming").at(0), {"task"}), "0_1");
  const auto& task = list(body, "tasks").at(0);
  EXPECT_EQ(at(task, {"active"}), "m1");
  EXPECT_EQ(at(task, {"target_active"}), "m2");
}

TEST(assignment, an_unknown_end_offset_is_no_number_and_gives_no_lag) {
  with_orders api;
  api.view->group.soft.members["m1"].end_offsets =
      group::task_offsets{{"0", {{0, std::numeric_limits<std::int64_t>::max()}}}};
  const auto body = parsed(api.ask("GET", "/v1/groups/orders/assignment"));
  const auto& held = list(list(body, "processes").at(0), "tasks").at(0);
  EXPECT_EQ(at(held, {"end_offset"}), "null");
  EXPECT_EQ(at(held, {"lag"}), "null");
}

std::string tag_of(const response& answer) {
  for (const auto& [name, value] : answer.headers) {
    if (name == "ETag") return value;
  }
  return "none";
}

TEST(config, is_patched_replaced_and_dropped) {
  with_orders api;
  const std::string path = "/v1/groups/orders/config";
  const auto patched =
      api.ask("PATCH", path, R"({"streams.num.standby.replicas": 1, "streams.assignment.interval.ms": "0"})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(at(parsed(patched), {"overrides", "streams.num.standby.replicas"}), "1");
  EXPECT_EQ(at(parsed(api.ask("PATCH", path, R"({"streams.assignment.interval.ms": null})")),
               {"overrides", "streams.assignment.interval.ms"}), "absent");
  const auto put = parsed(api.ask("PUT", path, R"({"streams.num.warmup.replicas": 3})"));
  EXPECT_EQ(at(put, {"overrides", "streams.num.standby.replicas"}), "absent");
  for (const auto& row : list(put, "config")) {
    EXPECT_EQ(at(row, {"origin"}), at(row, {"name"}) == "streams.num.warmup.replicas" ? "group" : "default");
  }
  EXPECT_EQ(api.ask("DELETE", path).status, 200);
  EXPECT_TRUE(api.groups.overrides["orders"].empty());
}

TEST(config, an_old_etag_changes_nothing) {
  with_orders api;
  const std::string path = "/v1/groups/orders/config";
  const auto tag = tag_of(api.ask("GET", path));
  const std::string body = R"({"streams.num.standby.replicas": 1})";
  EXPECT_EQ(api.ask("PATCH", path, body, {}, tag).status, 200);
  EXPECT_EQ(api.ask("PUT", path, "{}", {}, tag).status, 412);
  EXPECT_EQ(api.groups.overrides["orders"].size(), 1U);
  EXPECT_EQ(api.ask("PUT", path, "{}", {}, "W/" + tag).status, 400);
  EXPECT_EQ(api.ask("DELETE", path, {}, {}, "\"a\", \"b\"").status, 400);
  EXPECT_EQ(api.ask("DELETE", path, {}, {}, "*").status, 200);
  EXPECT_EQ(tag_of(api.ask("GET", path)), tag) << "the same settings have the same tag";
}

TEST(config, a_delete_with_a_body_changes_nothing) {
  with_orders api;
  const std::string path = "/v1/groups/orders/config";
  EXPECT_EQ(api.ask("PUT", path, R"({"streams.num.standby.replicas": 1})").status, 200);
  const auto refused = api.ask("DELETE", path, R"({"streams.num.standby.replicas": null})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("PATCH"));
  EXPECT_EQ(api.groups.overrides["orders"].size(), 1U);
}

TEST(config, mistakes_are_named_and_change_nothing) {
  with_orders api;
  const auto refused = [&](std::string body) {
    const auto answer = api.ask("PUT", "/v1/groups/orders/config", std::move(body));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return at(parsed(answer), {"detail"});
  };
  EXPECT_THAT(refused("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(refused("{"), HasSubstr("JSON"));
  EXPECT_THAT(refused(R"({"streams.nonsense": 1})"), HasSubstr("streams.nonsense"));
  EXPECT_THAT(refused(R"({"streams.num.standby.replicas": [1]})"), HasSubstr("streams.num.standby.replicas"));
  EXPECT_THAT(refused(R"({"streams.num.standby.replicas": 77})"), HasSubstr("between 0 and 2"));
  EXPECT_THAT(refused(R"({"streams.num.standby.replicas": 1, "streams.num.standby.replicas": 2})"), HasSubstr("twice"));
  EXPECT_TRUE(api.groups.overrides["orders"].empty());
  EXPECT_EQ(api.ask("PUT", "/v1/groups/orders/config?dry_run=perhaps", "{}").status, 400);
}

TEST(config, of_the_broker_and_its_assignors_can_be_read) {
  with_orders api;
  const auto defaults = parsed(api.ask("GET", "/v1/config"));
  EXPECT_EQ(at(list(defaults, "config").at(0), {"name"}), "group.streams.session.timeout.ms");
  EXPECT_EQ(at(list(defaults, "config").at(0), {"value"}), "45000");
  const auto assignors = parsed(api.ask("GET", "/v1/assignors"));
  EXPECT_EQ(list(assignors, "items").size(), assignor::registry::built_in().names().size());
  for (const auto& item : list(assignors, "items")) EXPECT_GT(at(item, {"description"}).size(), 20U);
  EXPECT_EQ(at(list(assignors, "items").at(0), {"default"}), "true");
}

TEST(defaults, are_patched_replaced_and_dropped_with_their_history) {
  with_orders api;
  api.groups.followers = {"orders"};
  const std::string path = "/v1/config";
  const auto tag = tag_of(api.ask("GET", path));
  const auto patched = api.ask("PATCH", path, R"({"streams.num.standby.replicas": 1})", {}, tag);
  ASSERT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(at(parsed(patched), {"overrides", "streams.num.standby.replicas"}), "1");
  EXPECT_EQ(at(parsed(patched), {"groups_total"}), "1");
  EXPECT_EQ(api.ask("PUT", path, "{}", {}, tag).status, 412);
  const auto now = parsed(api.ask("GET", path));
  for (const auto& row : list(now, "config")) {
    const bool is_tuned = at(row, {"group_name"}) == "streams.num.standby.replicas";
    EXPECT_EQ(at(row, {"origin"}), is_tuned ? "run time" : "default");
    EXPECT_TRUE(!is_tuned || at(row, {"value"}) == "1");
  }
  const auto& change = list(list(now, "history").at(0), "changes").at(0);
  EXPECT_EQ(at(change, {"what"}), "streams.num.standby.replicas");
  EXPECT_EQ(at(change, {"old"}), "none");
  EXPECT_EQ(at(change, {"new"}), "1");
  const auto of_group = parsed(api.ask("GET", "/v1/groups/orders/config"));
  for (const auto& row : list(of_group, "config")) {
    EXPECT_EQ(at(row, {"origin"}), at(row, {"name"}) == "streams.num.standby.replicas" ? "run time" : "default");
  }
  EXPECT_EQ(at(parsed(api.ask("DELETE", path)), {"overrides", "streams.num.standby.replicas"}), "absent");
  EXPECT_EQ(tag_of(api.ask("GET", path)), tag);
}

TEST(defaults, a_dry_run_and_a_mistake_change_nothing) {
  with_orders api;
  const std::string path = "/v1/config";
  const auto before = api.ask("GET", path).body;
  const auto tried = parsed(api.ask("PUT", path + "?dry_run=true", R"({"streams.num.standby.replicas": 2})"));
  EXPECT_EQ(at(tried, {"overrides", "streams.num.standby.replicas"}), "2");
  EXPECT_TRUE(list(tried, "history").empty());
  EXPECT_EQ(api.ask("PUT", path + "?dry_run=perhaps", "{}").status, 400);
  EXPECT_THAT(api.ask("PUT", path, R"({"streams.nonsense": 1})").body, HasSubstr("streams.nonsense"));
  EXPECT_THAT(api.ask("PUT", path, R"({"streams.num.standby.replicas": 77})").body, HasSubstr("between 0 and 2"));
  EXPECT_EQ(api.ask("GET", path).body, before);
}

TEST(group, says_how_many_there_are_and_whether_it_is_even) {
  with_orders api;
  const auto body = parsed(api.ask("GET", "/v1/groups/orders"));
  EXPECT_EQ(at(body, {"counts", "members"}), "2");
  EXPECT_EQ(at(body, {"counts", "processes"}), "2");
  EXPECT_EQ(at(body, {"counts", "active"}), "2");
  EXPECT_EQ(at(body, {"balance", "even"}), "true");
  EXPECT_EQ(at(body, {"balance", "active_per_member", "max"}), "1");
  EXPECT_EQ(at(body, {"balance", "text"}), "even: 1 to 1 active tasks a thread");
}

TEST(rehearsal_resource, asks_the_upstream_where_there_is_one) {
  struct upstream final : upstream_groups {
    void look(std::string group_id, std::function<void(group::former_group)> done) override {
      asked.push_back(std::move(group_id));
      group::former_group there;
      there.kind = group::group_kind::simple;
      there.state = "Empty";
      there.offsets["in"][0] = 7;
      done(std::move(there));
    }
    std::vector<std::string> asked;
  } there;
  with_orders api;
  const std::string body = R"({"topology": {"subtopologies": [{"sources": ["in"]}]}, "threads": 2})";
  EXPECT_EQ(at(parsed(api.ask("POST", "/v1/groups/new/rehearsal", body)), {"status"}), "warning") << "no offsets";
  api.parts.upstream = &there;
  const auto answer = parsed(api.ask("POST", "/v1/groups/new/rehearsal", body));
  EXPECT_EQ(there.asked, std::vector<std::string>{"new"});
  EXPECT_EQ(at(list(answer, "checks").at(0), {"text"}), "group new is empty, go");
  EXPECT_EQ(at(list(answer, "offsets").at(0), {"topic"}), "in");
  EXPECT_THAT(at(list(answer, "checks").at(0), {"status"}), "ok");
  EXPECT_EQ(list(answer, "rights").size(), 2U);
  EXPECT_EQ(at(answer, {"plan", "tasks_moved"}), "2");
  EXPECT_EQ(api.ask("POST", "/v1/groups/new/rehearsal", "{}").status, 400);
}

TEST(what_if_resource, answers_with_the_plan_and_asks_nothing_of_the_group) {
  with_orders api;
  const auto answer = api.ask("POST", "/v1/groups/orders/what-if",
                              R"({"assignor": "sticky", "add_members": [{"process_id": "p3", "count": 2}],
                                  "partitions": {"in": 4}, "config": {"streams.num.warmup.replicas": 0}})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto plan = parsed(answer);
  EXPECT_EQ(at(plan, {"assignor"}), "sticky");
  EXPECT_EQ(at(plan, {"group_epoch"}), "4");
  EXPECT_EQ(plan.find("target")->as<json_members>()->size(), 4U);
  EXPECT_EQ(at(list(plan, "moved").at(0), {"to"}).substr(0, 7), "new-p3-");
  EXPECT_EQ(at(plan, {"after", "activePerMemberMax"}), "1");
  EXPECT_TRUE(api.groups.administered.empty());
}

TEST(what_if_resource, names_every_mistake_of_the_question) {
  with_orders api;
  const auto refused = [&](std::string body) {
    const auto answer = api.ask("POST", "/v1/groups/orders/what-if", std::move(body));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return at(parsed(answer), {"detail"});
  };
  EXPECT_THAT(refused(R"({"assigner": "sticky"})"), HasSubstr("assigner"));
  EXPECT_THAT(refused(R"({"assignor": 1})"), HasSubstr("'assignor' must be a string"));
  EXPECT_THAT(refused(R"({"add_members": [{"count": 0}]})"), HasSubstr("add_members[0].process_id"));
  EXPECT_THAT(refused(R"({"add_members": [{"process_id": "p", "count": 0}]})"), HasSubstr("add_members[0].count"));
  EXPECT_THAT(refused(R"({"partitions": {"in": "many"}})"), HasSubstr("partitions.in"));
  EXPECT_THAT(refused(R"({"config": 3})"), HasSubstr("config must be an object"));
  EXPECT_THAT(refused(R"({"remove_members": "m1"})"), HasSubstr("remove_members"));
  EXPECT_EQ(api.ask("POST", "/v1/groups/nobody/what-if", "{}").status, 404);
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/what-if", R"({"remove_members": ["m9"]})").status, 404);
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/what-if", R"({"remove_members": ["m1", "m2"]})").status, 409);
}

TEST(actions, reach_the_group_with_the_name_of_the_token) {
  with_orders api;
  api.parts.access.tokens = {{"ops", "secret"}};
  const auto ask = [&](const char* method, const std::string& path) {
    return api.ask(method, "/v1/groups/orders" + path, "{}", "secret").status;
  };
  EXPECT_EQ(ask("POST", "/rebalance"), 202);
  EXPECT_EQ(ask("POST", "/members/pod-2/remove"), 200);
  EXPECT_EQ(ask("POST", "/processes/p1/drain"), 200);
  EXPECT_EQ(ask("DELETE", "/processes/p1/drain"), 200);
  EXPECT_EQ(ask("PATCH", "/config"), 200);
  ASSERT_EQ(api.groups.administered.size(), 5U);
  for (const auto& request : api.groups.administered) EXPECT_EQ(request.by, "ops");
  EXPECT_EQ(std::get<actors::take_out_member>(api.groups.administered[1].what).member_id, "m2");
  EXPECT_TRUE(std::get<actors::mark_drained>(api.groups.administered[2].what).is_drained);
  EXPECT_FALSE(std::get<actors::mark_drained>(api.groups.administered[3].what).is_drained);
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/rebalance", "{}", "wrong!").status, 401);
}

TEST(actions, a_removal_says_who_was_removed_and_a_name_of_two_members_is_refused) {
  with_orders api;
  const auto removed = parsed(api.ask("POST", "/v1/groups/orders/members/pod-2/remove", "{}"));
  EXPECT_EQ(at(removed, {"member_id"}), "m2");
  EXPECT_EQ(at(removed, {"group_epoch"}), "7");
  api.groups.administered.clear();
  api.view->group.static_members["m1"] = "m2";
  const auto refused = api.ask("POST", "/v1/groups/orders/members/m1/remove", "{}");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(at(parsed(refused), {"detail"}), testing::AllOf(HasSubstr("'m1'"), HasSubstr("'m2'")));
  EXPECT_TRUE(api.groups.administered.empty());
}

TEST(actions, the_drain_of_a_process_that_nobody_knows_cannot_be_taken_back) {
  with_orders api;
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders/processes/nobody/drain").status, 404);
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders/processes/nobody/drain?dry_run=true").status, 404);
  EXPECT_TRUE(api.groups.administered.empty());
  api.view->config.drained_processes["nobody"] = {"m9"};
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders/processes/nobody/drain").status, 200);
}

TEST(actions, a_dry_run_answers_with_the_plan_and_changes_nothing) {
  with_orders api;
  for (const auto* path : {"/rebalance", "/members/m2/remove", "/processes/p2/drain"}) {
    const auto answer = api.ask("POST", fmt::format("/v1/groups/orders{}?dry_run=true", path), "{}");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(at(parsed(answer), {"group_epoch"}), "4") << path;
  }
  const std::string standbys = R"({"streams.num.standby.replicas": 1})";
  EXPECT_EQ(api.ask("PUT", "/v1/groups/orders/config?dry_run=true", standbys).status, 200);
  EXPECT_TRUE(api.groups.administered.empty());
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/rebalance?dry_run=1", "{}").status, 400);
}

TEST(actions, what_the_group_refuses_has_a_fitting_status) {
  with_orders api;
  const auto refused = [&](error_code code) {
    api.groups.refuses = protocol::kafka_error{code, "because"};
    const auto answer = api.ask("POST", "/v1/groups/orders/rebalance", "{}");
    EXPECT_EQ(at(parsed(answer), {"detail"}), "because");
    return answer.status;
  };
  EXPECT_EQ(refused(error_code::group_id_not_found), 404);
  EXPECT_EQ(refused(error_code::unknown_member_id), 404);
  EXPECT_EQ(refused(error_code::invalid_request), 409);
  EXPECT_EQ(refused(error_code::coordinator_not_available), 503);
  EXPECT_THAT(api.ask("POST", "/v1/groups/orders/rebalance", R"({"now": true})").body, HasSubstr("now"));
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/members/m7/remove", "{}").status, 404);
}

TEST(actions, a_group_is_deleted_when_it_is_empty) {
  with_orders api;
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders").status, 204);
  EXPECT_THAT(api.groups.deleted, ElementsAre("orders"));
  api.groups.deletion = error_code::non_empty_group;
  EXPECT_EQ(at(parsed(api.ask("DELETE", "/v1/groups/orders")), {"kafka_error"}), "NON_EMPTY_GROUP");
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders").status, 409);
  api.groups.deletion = error_code::group_id_not_found;
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders").status, 404);
}

TEST(health_of_a_group, is_red_only_if_nobody_can_make_progress) {
  with_orders api;
  const auto status = [&](group::group_state state) {
    api.view->state = state;
    return api.ask("GET", "/v1/groups/orders/health").status;
  };
  EXPECT_EQ(status(group::group_state::stable), 200);
  EXPECT_EQ(status(group::group_state::assigning), 200);
  EXPECT_EQ(status(group::group_state::reconciling), 200);
  EXPECT_EQ(status(group::group_state::not_ready), 503);
  EXPECT_EQ(status(group::group_state::empty), 503);
  EXPECT_EQ(at(parsed(api.ask("GET", "/v1/groups/orders/health")), {"healthy"}), "false");
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/health").status, 404);
  api.view->group.members["m1"].current.member_epoch = -2;
  EXPECT_EQ(status(group::group_state::stable), 200) << "one is still there";
  api.view->group.members["m2"].current.member_epoch = -2;
  EXPECT_EQ(status(group::group_state::stable), 503) << "all have left for a while";
}

TEST(health_of_a_member, is_its_own_and_not_that_of_its_group) {
  with_orders api;
  api.view->state = group::group_state::not_ready;
  EXPECT_EQ(api.ask("GET", "/v1/groups/orders/members/pod-2/health").status, 200);
  api.view->group.members["m2"].current.member_epoch = -2;
  EXPECT_EQ(api.ask("GET", "/v1/groups/orders/members/m2/health").status, 503);
  EXPECT_EQ(api.ask("GET", "/v1/groups/orders/members/m9/health").status, 404);
}

}  // namespace
}  // namespace weir::http
