#include "http/resources/group_health.hpp"

#include <fmt/format.h>

#include "group/health.hpp"
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

std::string waits(const group::health_view& of) {
  return of.waits.empty() ? std::string() : "waits for " + joined(of.waits);
}

response of_group(const group::health_view& of) {
  const auto state = group::name(of.state);
  const auto waiting = waits(of);
  switch (of.state) {
    case group::group_state::empty:
    case group::group_state::dead: return health(false, state, "the group has no members");
    case group::group_state::not_ready: return health(false, state, "no member can run anything: " + waiting);
    default: break;
  }
  if (!of.has_present_members) {
    return health(false, state, "all members have left for a while, so nobody runs its tasks");
  }
  if (!of.is_newest_run) return health(false, state, waiting);
  return health(true, state, waiting.empty() ? "all tasks are where they shall be" : waiting);
}

response of_member(const group::health_view& of, const std::string& name) {
  if (!of.member) return no_such_member(name);
  if (of.member->is_away) {
    return health(false, "AWAY", "the member has left for a while; it keeps its tasks until its session ends");
  }
  const auto waiting = waits(of);
  return health(true, group::name(of.state), waiting.empty() ? "in the group" : "in the group, which " + waiting);
}

}  // namespace

void add_group_health(router& to, actors::coordinator& groups) {
  to.add("GET", "/v1/groups/{group}/health", [&groups](const call& at, const respond& answer) {
    with_health(groups, at.captures[0], {}, answer,
                [answer](const group::health_view& of) { answer(of_group(of)); });
  });
  to.add("GET", "/v1/groups/{group}/members/{member}/health", [&groups](const call& at, const respond& answer) {
    const auto& name = at.captures[1];
    with_health(groups, at.captures[0], name, answer,
                [answer, name](const group::health_view& of) { answer(of_member(of, name)); });
  });
}

}  // namespace weir::http
