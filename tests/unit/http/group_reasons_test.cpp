// The list of groups says why a group is not stable, and asks only those that it shows.
#include <gmock/gmock.h>

#include "fakes.hpp"
#include "http/json_reader.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct listed : ::testing::Test {
  api_under_test api;

  /// A streams group; `view` is what it says of itself when it is asked.
  void add(const std::string& id, group::group_state state, std::optional<group::streams_group> view = {}) {
    auto row = group::loading_summary(id, group::group_kind::streams);
    row.loading = false;
    row.state = state;
    row.state_name = group::name(state);
    api.groups.rows.push_back(std::move(row));
    if (!view) return;
    view->id = id;
    view->kind = group::group_kind::streams;
    auto made = std::make_shared<group::group_view>();
    made->state = group::state_of(*view);
    made->group = *std::move(view);
    api.groups.views[id] = std::move(made);
  }

  /// `-` for null.
  std::vector<std::string> reasons(std::string_view query = "") {
    const auto page = parse_json(api.ask("GET", "/v1/groups" + std::string(query)).body);
    std::vector<std::string> out;
    for (const auto& item : *page->find("items")->as<json_items>()) {
      const auto* reason = item.find("reason");
      out.push_back(reason->kind() == "null" ? "-" : reason->plain());
    }
    return out;
  }
};

/// With a member that has sent no topology.
group::streams_group without_topology() {
  group::streams_group out;
  out.kind = group::group_kind::streams;
  out.members["m"] = {};
  return out;
}

TEST_F(listed, a_group_that_is_not_ready_says_why) {
  add("orders", group::group_state::not_ready, without_topology());
  EXPECT_THAT(reasons(), ElementsAre("waits for the topology: no member has sent one"));
}

TEST_F(listed, those_at_rest_have_no_reason_and_are_not_asked) {
  add("a", group::group_state::stable, without_topology());
  add("b", group::group_state::empty, without_topology());
  add("c", group::group_state::dead, without_topology());
  EXPECT_THAT(reasons(), ElementsAre("-", "-", "-"));
  EXPECT_EQ(api.groups.health_asked, 0U);
}

TEST_F(listed, only_those_of_the_page_are_asked) {
  for (int i = 100; i < 200; ++i) add(std::to_string(i), group::group_state::not_ready, without_topology());
  EXPECT_THAT(reasons("?limit=10"), SizeIs(10));
  EXPECT_EQ(api.groups.health_asked, 10U);
}

TEST_F(listed, one_that_is_gone_or_has_settled_meanwhile_has_no_reason) {
  add("gone", group::group_state::reconciling);
  add("settled", group::group_state::reconciling, group::streams_group());
  add("third", group::group_state::not_ready, without_topology());
  EXPECT_THAT(reasons(), ElementsAre("-", "-", HasSubstr("topology")));
}

TEST_F(listed, one_that_is_being_loaded_says_so) {
  api.groups.rows = {group::loading_summary("late", group::group_kind::streams)};
  EXPECT_THAT(reasons(), ElementsAre("is being read from the log"));
  EXPECT_EQ(api.groups.health_asked, 0U);
}

TEST_F(listed, other_kinds_of_groups_are_not_asked) {
  add("c", group::group_state::reconciling, without_topology());
  api.groups.rows[0].kind = group::group_kind::consumer;
  EXPECT_THAT(reasons(), ElementsAre("-"));
  EXPECT_EQ(api.groups.health_asked, 0U);
}

TEST_F(listed, a_long_reason_is_cut_between_characters_and_others_are_counted) {
  auto asked = without_topology();
  asked.soft.configured = [] {
    auto made = std::make_shared<group::configured_topology>();
    std::string detail = "x";
    for (int i = 0; i < 300; ++i) detail += "\xc3\xa9";  // two bytes each
    made->problem = group::topology_problem{.status = 1, .detail = detail, .topics = {}};
    return made;
  }();
  asked.topology = group::topology();
  asked.metadata.validated_topology_epoch = -1;
  add("orders", group::group_state::not_ready, asked);
  const auto told = reasons().at(0);
  EXPECT_LT(told.size(), 450U);
  EXPECT_THAT(told, HasSubstr("\xc3\xa9 ..."));
  EXPECT_EQ(told.find("\xef\xbf\xbd"), std::string::npos) << "half a character";
}

}  // namespace
}  // namespace weir::http
