#include "http/resources/members.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/group_json.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

response one_page(const page& wanted, const group::group_view& view) {
  boost::json::array items;
  boost::json::value next;
  const auto& all = view.group.members;
  auto member = wanted.after.empty() ? all.begin() : all.upper_bound(wanted.after);
  for (; member != all.end() && items.size() < wanted.limit; ++member) {
    items.push_back(member_document(member->first, view));
  }
  if (member != all.end()) next = wanted.next(std::prev(member)->first);
  boost::json::object body;
  body["items"] = std::move(items);
  body["next"] = std::move(next);
  return json_response(body);
}

void list(actors::coordinator& groups, const call& at, const respond& answer) {
  const auto& id = at.captures.front();
  auto wanted = read_page(at.request, "members\x1f" + id);
  if (!wanted) return answer(problem(400, wanted.error().message));
  with_streams_group(groups, id, answer, [wanted = *std::move(wanted), answer](const group_view_ptr& view) {
    at_leisure(answer, [wanted, answer, view] { answer(one_page(wanted, *view)); });
  });
}

void show(actors::coordinator& groups, const call& at, const respond& answer) {
  const auto& name = at.captures[1];
  with_member_of(groups, at.captures[0], name, answer, [name, answer](const group_view_ptr& view) {
    auto id = find_member(view->group, name);
    answer(id ? json_response(member_document(*id, *view)) : std::move(id.error()));
  });
}

}  // namespace

response no_such_member(const std::string& name) {
  return problem(404, fmt::format("the group has no member '{}'", name), protocol::error_code::unknown_member_id);
}

tl::expected<std::string, response> find_member(const group::streams_group& group, const std::string& name) {
  const bool is_id = group.members.contains(name);
  const auto instance = group.static_members.find(name);
  const bool is_instance = instance != group.static_members.end() && group.members.contains(instance->second);
  if (is_id && is_instance && instance->second != name) {
    return tl::unexpected(
        problem(409, fmt::format("'{}' is the id of a member and the instance id of another one, '{}': name that one "
                                 "by its member id",
                                 name, instance->second)));
  }
  if (is_id) return name;
  if (is_instance) return instance->second;
  return tl::unexpected(no_such_member(name));
}

void add_members(router& to, actors::coordinator& groups) {
  to.add("GET", "/v1/groups/{group}/members",
         [&groups](const call& at, const respond& answer) { list(groups, at, answer); }, {"limit", "after"});
  to.add("GET", "/v1/groups/{group}/members/{member}",
         [&groups](const call& at, const respond& answer) { show(groups, at, answer); });
}

}  // namespace weir::http
