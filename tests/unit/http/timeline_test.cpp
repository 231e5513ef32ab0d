// The timeline and the events of groups over HTTP, as resources: paging, waiting, following.
#include <gmock/gmock.h>

#include "fakes.hpp"
#include "http/json_reader.hpp"

namespace weir::http::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

group::event event_of(std::uint64_t index, group::cause why) {
  group::event e;
  e.index = index;
  e.time_ms = 1'000;
  e.why = why;
  return e;
}

actors::timeline_page page_of(std::vector<group::event> events, std::uint64_t newest, bool complete = true) {
  actors::timeline_page page;
  page.events = std::move(events);
  page.newest = newest;
  page.complete = complete;
  return page;
}

json_value body_of(const response& from) {
  auto parsed = parse_json(from.body);
  EXPECT_TRUE(parsed) << from.body;
  return parsed ? *std::move(parsed) : json_value();
}

TEST(timeline_resource, shows_every_field_of_an_event) {
  api_under_test api;
  auto e = event_of(4, group::cause::target_computed);
  e.computed_in_us = 1'500;
  e.changes = {{"rack", "none", "r1"}};
  e.moved = {{"0_1", group::moved_role::active, "", "m2"}};
  e.stable_after_ms = 20;
  e.last_member = "m2";
  e.last_reason = group::hold_up::slow_heartbeat;
  api.groups.timelines["g"] = page_of({e}, 4);
  const auto answer = api.ask("GET", "/v1/groups/g/timeline");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.headers, Contains(std::pair<std::string, std::string>("X-Weir-Index", "4")));
  EXPECT_THAT(answer.body, HasSubstr(R"("index":4,"time":"1970-01-01T00:00:01.000Z","cause":"target-computed")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("changes":[{"what":"rack","old":"none","new":"r1"}])"));
  EXPECT_THAT(answer.body, HasSubstr(R"("computed_in_ms":1.5E0)"));
  EXPECT_THAT(answer.body, HasSubstr(R"("moved":[{"task":"0_1","role":"active","from":null,"to":"m2"}])"));
  EXPECT_THAT(answer.body,
              HasSubstr(R"("stable_after_ms":20,"last_member":"m2","last_reason":"slow-heartbeat"})"));
}

TEST(timeline_resource, pages_by_a_cursor_that_belongs_to_the_query) {
  api_under_test api;
  api.groups.timelines["g"] =
      page_of({event_of(9, group::cause::member_left), event_of(8, group::cause::member_left)}, 9, false);
  const auto first = body_of(api.ask("GET", "/v1/groups/g/timeline?limit=2&cause=member-left"));
  const auto next = first.find("next")->plain();
  EXPECT_EQ(api.groups.timeline_queries.back().most, 2U);
  EXPECT_EQ(api.groups.timeline_queries.back().only, group::cause::member_left);
  EXPECT_EQ(api.ask("GET", "/v1/groups/g/timeline?limit=2&cause=member-left&after=" + next).status, 200);
  EXPECT_EQ(api.groups.timeline_queries.back().below, 8U);
  EXPECT_EQ(api.ask("GET", "/v1/groups/g/timeline?after=" + next).status, 400) << "another query";
  EXPECT_EQ(api.ask("GET", "/v1/groups/h/timeline?cause=member-left&after=" + next).status, 400) << "another group";
  api.ask("GET", "/v1/groups/g/timeline?limit=1000");
  EXPECT_EQ(api.groups.timeline_queries.back().most, 200U);
}

TEST(timeline_resource, names_every_mistake) {
  api_under_test api;
  api.groups.timelines["g"] = page_of({}, 0);
  const auto mistake = [&](const std::string& query) {
    const auto answer = api.ask("GET", "/v1/groups/g/timeline?" + query);
    EXPECT_EQ(answer.status, 400) << query;
    return answer.body;
  };
  EXPECT_THAT(mistake("cause=refinement"), HasSubstr("'cause' must be one of member-joined,"));
  EXPECT_THAT(mistake("wait=30s"), HasSubstr("'wait' needs 'index'"));
  EXPECT_THAT(mistake("index=x"), HasSubstr("'index' must be a whole number"));
  EXPECT_THAT(mistake("index=1&wait=30"), HasSubstr("'wait' must be a time"));
  EXPECT_THAT(mistake("index=1&wait=11m"), HasSubstr("at most 10m"));
  EXPECT_THAT(mistake("index=1&wait=99999999999999999999s"), HasSubstr("'wait' must be a time"));
  EXPECT_THAT(mistake("limit=0"), HasSubstr("'limit'"));
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/timeline").status, 404);
  api.groups.without_view = protocol::error_code::coordinator_load_in_progress;
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/timeline").status, 503);
}

TEST(timeline_resource, waits_for_an_event_newer_than_the_index) {
  api_under_test api;
  api.groups.timelines["g"] = page_of({event_of(3, group::cause::member_left)}, 3);
  EXPECT_FALSE(api.ask("GET", "/v1/groups/g/timeline?index=2&wait=5m").later) << "there is one";
  EXPECT_FALSE(api.ask("GET", "/v1/groups/g/timeline?index=7&wait=5m").later) << "the group was made anew";
  EXPECT_FALSE(api.ask("GET", "/v1/groups/g/timeline?index=3").later) << "nothing to wait for";
  const auto waiting = api.ask("GET", "/v1/groups/g/timeline?index=3&wait=5m").later;
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->wait_ms(), 300'000);
  int rings = 0;
  waiting->listen([&] { ++rings; });
  api.groups.feed().publish("other", std::make_shared<const group::event>());
  EXPECT_EQ(rings, 0);
  api.groups.feed().publish("g", std::make_shared<const group::event>());
  EXPECT_EQ(rings, 1);
  response got;
  waiting->ask(false, [&](response out) { got = std::move(out); });
  EXPECT_EQ(got.later, waiting) << "still the same index";
  api.groups.timelines["g"].newest = 4;
  waiting->ask(false, [&](response out) { got = std::move(out); });
  EXPECT_FALSE(got.later);
  EXPECT_EQ(got.status, 200);
  api.groups.timelines["g"].newest = 3;
  waiting->ask(true, [&](response out) { got = std::move(out); });
  EXPECT_FALSE(got.later) << "the time is up";
}

TEST(timeline_resource, an_event_between_the_question_and_the_listening_is_not_missed) {
  api_under_test api;
  api.groups.timelines["g"] = page_of({}, 3);
  const auto waiting = api.ask("GET", "/v1/groups/g/timeline?index=3&wait=1s").later;
  ASSERT_TRUE(waiting);
  api.groups.feed().publish("g", std::make_shared<const group::event>());
  int rings = 0;
  waiting->listen([&] { ++rings; });
  EXPECT_EQ(rings, 1);
}

TEST(timeline_resource, waiting_requests_and_followers_are_limited_together) {
  api_under_test api;
  api.parts.followers_max = 2;
  api.groups.timelines["g"] = page_of({}, 3);
  auto waiting = api.ask("GET", "/v1/groups/g/timeline?index=3&wait=1s");
  auto following = api.ask("GET", "/v1/events");
  EXPECT_TRUE(waiting.later);
  EXPECT_TRUE(following.stream);
  EXPECT_EQ(api.ask("GET", "/v1/events").status, 503);
  EXPECT_EQ(api.ask("GET", "/v1/groups/g/timeline?index=3&wait=1s").status, 503);
  EXPECT_EQ(api.ask("GET", "/v1/groups/g/timeline").status, 200) << "who does not wait is not counted";
  waiting = {};
  EXPECT_TRUE(api.ask("GET", "/v1/events").stream);
}

std::shared_ptr<const group::event> shared(group::event e) {
  return std::make_shared<const group::event>(std::move(e));
}

TEST(events_resource, tells_what_happens_from_now_on) {
  api_under_test api;
  api.groups.feed().publish("g", shared(event_of(1, group::cause::member_joined)));
  const auto answer = api.ask("GET", "/v1/events");
  EXPECT_EQ(answer.content_type, "text/event-stream");
  ASSERT_TRUE(answer.stream);
  EXPECT_THAT(answer.stream->next(false).text, StartsWith(": "));
  EXPECT_EQ(answer.stream->next(false).text, "") << "what was before is not told";
  api.groups.feed().publish("g", shared(event_of(2, group::cause::member_left)));
  const auto piece = answer.stream->next(false);
  EXPECT_THAT(piece.text, StartsWith("id: 1000001\nevent: member-left\ndata: {\"index\":2,"));
  EXPECT_THAT(piece.text, HasSubstr("\"group_id\":\"g\"}\n\n"));
  EXPECT_FALSE(piece.is_last);
  EXPECT_THAT(answer.stream->next(true).text, StartsWith(": "));
}

TEST(events_resource, filters_by_group_and_cause) {
  api_under_test api;
  const auto answer = api.ask("GET", "/v1/events?group=g&cause=member-left");
  ASSERT_TRUE(answer.stream);
  static_cast<void>(answer.stream->next(false));
  for (int i = 0; i < 40; ++i) api.groups.feed().publish("other", shared(event_of(1, group::cause::member_left)));
  api.groups.feed().publish("g", shared(event_of(2, group::cause::member_joined)));
  api.groups.feed().publish("g", shared(event_of(3, group::cause::member_left)));
  const auto piece = answer.stream->next(false);
  EXPECT_THAT(piece.text, HasSubstr("\"index\":3,"));
  EXPECT_THAT(piece.text, ::testing::Not(HasSubstr("\"index\":2,")));
  EXPECT_EQ(api.ask("GET", "/v1/events?cause=nothing").status, 400);
}

response resumed(api_under_test& api, const std::string& id) {
  request asked;
  asked.method = "GET";
  asked.last_event_id = id;
  EXPECT_TRUE(parse_target("/v1/events", asked));
  response got;
  make_router(api.parts)(std::move(asked), into(got));
  return got;
}

TEST(events_resource, goes_on_behind_the_id_of_a_follower_that_comes_back) {
  api_under_test api;
  for (std::uint64_t i = 1; i <= 3; ++i) api.groups.feed().publish("g", shared(event_of(i, group::cause::member_left)));
  const auto answer = resumed(api, "1000001");
  ASSERT_TRUE(answer.stream);
  const auto text = answer.stream->next(false).text;
  EXPECT_THAT(text, HasSubstr("id: 1000002\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("id: 1000001\n")));
  EXPECT_EQ(resumed(api, "yesterday").status, 400);
}

TEST(events_resource, who_comes_back_with_an_id_that_is_not_there_yet_is_told_so_and_hears_what_comes) {
  api_under_test api;
  api.groups.feed().publish("g", shared(event_of(1, group::cause::member_left)));
  const auto answer = resumed(api, "18446744073709551615");
  ASSERT_TRUE(answer.stream);
  EXPECT_THAT(answer.stream->next(false).text, HasSubstr(": events after that id are not known here\n\n"));
  api.groups.feed().publish("g", shared(event_of(2, group::cause::member_left)));
  EXPECT_THAT(answer.stream->next(false).text, HasSubstr("\"index\":2,"));
}

TEST(events_resource, who_reads_too_slowly_is_told_so_and_dropped) {
  api_under_test api;
  const auto slow = api.ask("GET", "/v1/events").stream;
  ASSERT_TRUE(slow);
  static_cast<void>(slow->next(false));
  for (std::size_t i = 0; i <= actors::event_feed::entries_max; ++i) {
    api.groups.feed().publish("g", shared(event_of(i, group::cause::member_left)));
  }
  const auto last = slow->next(false);
  EXPECT_TRUE(last.is_last);
  EXPECT_THAT(last.text, StartsWith(": dropped"));
  const auto back = resumed(api, "1");
  EXPECT_THAT(back.stream->next(false).text, HasSubstr("are gone"));
}

TEST(incidents, of_a_group_are_shown_as_data_and_in_words) {
  api_under_test api;
  auto view = std::make_shared<group::group_view>();
  view->group.id = "g";
  view->group.kind = group::group_kind::streams;
  view->group.soft.state_since_ms = 2'000;
  view->group.members["m1"] = {};
  view->group.soft.near_misses.push_back({.time_ms = 1'000,
                                          .member_id = "m1",
                                          .what = group::near_miss::kind::late_return,
                                          .after_ms = 40'000,
                                          .limit_ms = 45'000});
  view->alarms.push_back({group::cause::member_left, "m1", 5, 600'000, 1'000});
  api.groups.views["g"] = view;
  const auto text = api.ask("GET", "/v1/groups/g").body;
  EXPECT_THAT(text, HasSubstr(R"("state_since":"1970-01-01T00:00:02.000Z")"));
  EXPECT_THAT(text, HasSubstr(R"("waiting":[{"reason":"no-topology","member_id":null,)"));
  EXPECT_THAT(text, HasSubstr(R"("waiting_for":["the topology: no member has sent one"])"));
  EXPECT_THAT(text, HasSubstr(R"("what":"late-return","after_ms":40000,"limit_ms":45000)"));
  EXPECT_THAT(text, HasSubstr(R"("alarms":[{"cause":"member-left","member_id":"m1","count":5,)"));
}

}  // namespace
}  // namespace weir::http::test
