#include "http/resources/group_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "group/waiting_for.hpp"
#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/resources/members.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

response health(bool is_healthy, std::string_view state, std::string_view text) {
  return json_response(boost::json::object{{"healthy", is_healthy}, {"state", state}, {"text", text}},
                       is_healthy ? 200 : 503);
}

std::string waits(const group::group_view& view) {
  const auto lines = group::in_words(group::waits_of(view.group, view.config, view.now_ms));
  return lines.empty() ? std::string() : "waits for " + joined(lines);
}

response of_group(const group::group_view& view) {
  const auto state = group::name(view.state);
  const auto waiting = waits(view);
  switch (view.state) {
    case group::group_state::empty:
    case group::group_state::dead: return health(false, state, "the group has no members");
    case group::group_state::not_ready: return health(false, state, "no member can run anything: " + waiting);
    default: break;
  }
  const auto is_away = [](const auto& member) { return member.second.current.is_away(); };
  if (std::ranges::all_of(view.group.members, is_away)) {
    return health(false, state, "every member has left for a while; their tasks stand still until one comes back");
  }
  return health(true, state, waiting.empty() ? "all tasks are where they shall be" : waiting);
}

response of_member(const group::group_view& view, const std::string& name) {
  auto id = find_member(view.group, name);
  if (!id) return std::move(id.error());
  if (view.group.members.at(*id).current.is_away()) {
    return health(false, "AWAY", "the member has left for a while; it keeps its tasks until its session ends");
  }
  const auto waiting = waits(view);
  return health(true, group::name(view.state), waiting.empty() ? "in the group" : "in the group, which " + waiting);
}

}  // namespace

void add_group_health(router& to, actors::coordinator& groups) {
  to.add("GET", "/v1/groups/{group}/health", [&groups](const call& at, const respond& answer) {
    with_streams_group(groups, at.captures[0], answer,
                       [answer](const group_view_ptr& view) { answer(of_group(*view)); });
  });
  to.add("GET", "/v1/groups/{group}/members/{member}/health", [&groups](const call& at, const respond& answer) {
    with_streams_group(groups, at.captures[0], answer, [answer, name = at.captures[1]](const group_view_ptr& view) {
      answer(of_member(*view, name));
    });
  });
}

}  // namespace weir::http
