// GET /v1/groups/{group}/offsets over fakes, and what the documents of members and groups say of commits.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fakes.hpp"
#include "group/offsets/commit.hpp"
#include "http/json_reader.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json_value shown(const response& answer) {
  auto read = parse_json(answer.body);
  EXPECT_TRUE(read) << answer.body;
  return read ? *std::move(read) : json_value();
}

/// Of a path of members; `null` for null.
std::string at(const json_value& in, std::initializer_list<std::string_view> path) {
  const json_value* value = &in;
  for (const auto name : path) {
    value = value->find(name);
    if (value == nullptr) return "missing";
  }
  return value->kind() == "null" ? "null" : value->plain();
}

const json_items& items(const json_value& in, std::string_view name) { return *in.find(name)->as<json_items>(); }

/// `topic-partition` of each.
std::vector<std::string> partitions(const json_value& page) {
  std::vector<std::string> out;
  for (const json_value& one : items(page, "items")) {
    out.push_back(fmt::format("{}-{}", at(one, {"topic"}), at(one, {"partition"})));
  }
  return out;
}

/// A group whose member m1 runs both tasks of `in`.
struct with_words : api_under_test {
  with_words() {
    metadata::image_builder topics_there(nullptr);
    topics_there.put_topic({.id = uuid{1, 1}, .name = "in", .partition_racks = {{}, {}}});
    topics_there.put_topic({.id = uuid{1, 2}, .name = "old", .partition_racks = {{}}});
    groups.topics = topics_there.build(1);
    view = std::make_shared<group::group_view>();
    view->now_ms = 5'000;
    auto& words = view->group;
    words.id = "words";
    words.kind = group::group_kind::streams;
    words.topology.emplace().subtopologies.emplace_back();
    words.topology->subtopologies[0].id = "0";
    words.topology->subtopologies[0].source_topics = {"in"};
    words.members["m1"].metadata.topology_epoch = words.topology->epoch;
    words.members["m1"].current.assigned.active["0"] = {{0, 1}, {1, 1}};
    words.soft.members["m1"] = {};
    auto& committed = words.offsets["in"][1];
    committed.offset = 7;
    committed.leader_epoch = 3;
    committed.metadata = "AQ==";
    words.offsets["old"][0].offset = 4;
    groups.views["words"] = view;
  }
  std::shared_ptr<group::group_view> view;
};

struct fake_upstream final : upstream_offsets {
  void ask(group::offset_question asked, std::function<void(group::told_offsets_ptr)> done) override {
    questions.push_back(std::move(asked));
    done(std::make_shared<group::told_offsets>(told));
  }
  std::vector<group::offset_question> questions;
  group::told_offsets told;
};

TEST(offsets, of_embedded_mode_are_the_groups_own) {
  with_words api;
  const auto answer = api.ask("GET", "/v1/groups/words/offsets");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto body = shown(answer);
  EXPECT_EQ(at(body, {"as_of"}), "1970-01-01T00:00:05.000Z");
  EXPECT_EQ(at(body, {"problem"}), "null");
  EXPECT_THAT(partitions(body), ElementsAre("in-0", "in-1", "old-0"));
  const auto& nothing = items(body, "items")[0];
  EXPECT_EQ(at(nothing, {"committed_offset"}), "null");
  EXPECT_EQ(at(nothing, {"reason"}), "nothing is committed");
  EXPECT_EQ(at(nothing, {"task"}), "0_0");
  const auto& read = items(body, "items")[1];
  const std::map<std::string_view, std::string> wanted{
      {"committed_offset", "7"}, {"leader_epoch", "3"}, {"metadata", "AQ=="}, {"end_offset", "0"}, {"lag", "0"},
      {"reason", "null"},        {"task", "0_1"},       {"member_id", "m1"}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(at(read, {name}), value) << name;
  EXPECT_EQ(at(items(body, "items")[2], {"task"}), "null");
  EXPECT_EQ(at(items(body, "items")[2], {"leader_epoch"}), "null");
  EXPECT_EQ(at(body, {"total", "partitions"}), "3");
  EXPECT_EQ(at(body, {"total", "without_lag"}), "1");
  EXPECT_EQ(at(items(body, "subtopologies")[0], {"subtopology_id"}), "0");
  EXPECT_EQ(at(items(body, "subtopologies")[0], {"partitions"}), "2");
  EXPECT_EQ(at(body, {"next"}), "null");
}

TEST(offsets, of_a_gateway_are_asked_of_the_upstream) {
  with_words api;
  fake_upstream there;
  there.told.at_ms = 4'000;
  there.told.has_committed = true;
  there.told.committed["in"][0].offset = 60;
  there.told.ends["in"] = {{0, {100, {}}}, {1, {9, {}}}};
  api.parts.offsets = &there;
  const auto body = shown(api.ask("GET", "/v1/groups/words/offsets"));
  ASSERT_EQ(there.questions.size(), 1U);
  EXPECT_EQ(there.questions[0].group_id, "words");
  EXPECT_THAT(there.questions[0].topics, ElementsAre("in"));
  EXPECT_EQ(at(body, {"as_of"}), "1970-01-01T00:00:04.000Z");
  EXPECT_THAT(partitions(body), ElementsAre("in-0", "in-1")) << "offsets here are not the upstream's";
  EXPECT_EQ(at(items(body, "items")[0], {"lag"}), "40");
  EXPECT_EQ(at(body, {"total", "lag"}), "40");
}

TEST(offsets, that_the_upstream_does_not_tell_are_null_and_it_is_said_why) {
  with_words api;
  fake_upstream there;
  there.told.problem = "the upstream is not reachable";
  api.parts.offsets = &there;
  for (const auto* target : {"/v1/groups/words/offsets", "/v1/groups/words/offsets?topic=in"}) {
    const auto body = shown(api.ask("GET", target));
    EXPECT_EQ(at(body, {"problem"}), "the upstream is not reachable");
    EXPECT_EQ(at(body, {"total", "lag"}), "null");
    EXPECT_EQ(at(items(body, "items")[0], {"end_offset"}), "null");
    EXPECT_EQ(at(items(body, "items")[0], {"reason"}), "the upstream is not reachable");
  }
  EXPECT_EQ(shown(api.ask("GET", "/v1/groups/words/offsets?topic=elsewhere")).find("items")->as<json_items>()->size(),
            0U) << "nobody knows whether it is committed";
}

TEST(offsets, of_one_topic_or_of_none_that_there_is) {
  with_words api;
  EXPECT_THAT(partitions(shown(api.ask("GET", "/v1/groups/words/offsets?topic=old"))), ElementsAre("old-0"));
  const auto answer = api.ask("GET", "/v1/groups/words/offsets?topic=elsewhere");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("'elsewhere'"));
  fake_upstream there;
  there.told.has_committed = true;
  api.parts.offsets = &there;
  EXPECT_EQ(api.ask("GET", "/v1/groups/words/offsets?topic=in").status, 200);
  EXPECT_THAT(there.questions.back().topics, ElementsAre("in"));
}

TEST(offsets, come_in_pages_without_gap_or_repetition_and_the_sums_are_of_all) {
  with_words api;
  std::vector<std::string> all;
  std::string after;
  do {
    const auto page = shown(api.ask("GET", "/v1/groups/words/offsets?limit=1" + after));
    EXPECT_EQ(at(page, {"total", "partitions"}), "3");
    ASSERT_EQ(items(page, "items").size(), 1U);
    all.push_back(partitions(page)[0]);
    const auto next = at(page, {"next"});
    after = next == "null" ? "" : "&after=" + next;
  } while (!after.empty() && all.size() < 9);
  EXPECT_THAT(all, ElementsAre("in-0", "in-1", "old-0"));
}

TEST(offsets, mistakes_are_named) {
  with_words api;
  const auto next = at(shown(api.ask("GET", "/v1/groups/words/offsets?limit=1")), {"next"});
  for (const auto& [query, words] : std::map<std::string, std::string>{
           {"limit=0", "limit"}, {"topic=", "topic"}, {"after=x", "after"}, {"topic=in&after=" + next, "after"},
           {"partition=1", "'partition'"}, {"topic=in&topic=old", "more than once"}}) {
    const auto answer = api.ask("GET", "/v1/groups/words/offsets?" + query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_THAT(answer.body, HasSubstr(words)) << query;
  }
  EXPECT_EQ(api.ask("GET", "/v1/groups/nobody/offsets").status, 404);
  api.groups.without_view = protocol::error_code::coordinator_load_in_progress;
  EXPECT_EQ(api.ask("GET", "/v1/groups/late/offsets").status, 503);
}

TEST(commits_of_members, are_told_with_the_last_refusal_and_those_of_strangers_with_the_group) {
  with_words api;
  auto body = shown(api.ask("GET", "/v1/groups/words/members/m1"));
  EXPECT_EQ(at(body, {"commits", "accepted"}), "0");
  EXPECT_EQ(at(body, {"commits", "last_refused"}), "null");
  note_commit(api.view->group, "m1", protocol::error_code::none, 1'000);
  note_commit(api.view->group, "m1", protocol::error_code::stale_member_epoch, 2'000);
  note_commit(api.view->group, "stranger", protocol::error_code::unknown_member_id, 3'000);
  body = shown(api.ask("GET", "/v1/groups/words/members/m1"));
  EXPECT_EQ(at(body, {"commits", "accepted"}), "1");
  EXPECT_EQ(at(body, {"commits", "refused"}), "1");
  EXPECT_EQ(at(body, {"commits", "last_refused", "at"}), "1970-01-01T00:00:02.000Z");
  EXPECT_EQ(at(body, {"commits", "last_refused", "error"}), "STALE_MEMBER_EPOCH");
  const auto whole = shown(api.ask("GET", "/v1/groups/words"));
  EXPECT_EQ(at(whole, {"commits_refused_of_strangers"}), "1");
  EXPECT_EQ(at(items(whole, "members")[0], {"commits", "refused"}), "1");
}

}  // namespace
}  // namespace weir::http
