#include "http/resources/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cctype>

#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/group_json.hpp"

namespace weir::http {
namespace {

struct list_query {
  std::string state;   ///< lower case; empty = any
  std::string prefix;  ///< of the id; empty = any
  page wanted;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

result<list_query> read_list_query(const request& asked) {
  list_query out;
  out.state = lower(asked.parameter("state").value_or(""));
  out.prefix = asked.parameter("prefix").value_or("");
  if (!out.state.empty()) {
    static constexpr std::string_view states[] = {"empty",  "notready", "assigning", "reconciling",
                                                  "stable", "dead",     "unknown"};
    if (std::find(std::begin(states), std::end(states), out.state) == std::end(states)) {
      return fail("'state' must be one of Empty, NotReady, Assigning, Reconciling, Stable, Dead, Unknown");
    }
  }
  auto wanted = read_page(asked, fmt::format("groups\x1f{}\x1f{}", out.state, out.prefix));
  if (!wanted) return tl::unexpected(wanted.error());
  out.wanted = *std::move(wanted);
  return out;
}

bool selected(const group::group_summary& row, const list_query& query) {
  return row.id > query.wanted.after && row.id.starts_with(query.prefix) &&
         (query.state.empty() || lower(std::string(row.state_name)) == query.state);
}

response list_answer(const std::vector<group::group_summary>& all, const list_query& query) {
  boost::json::array items;
  boost::json::value next;
  std::string last;
  for (const group::group_summary& row : all) {
    if (!selected(row, query)) continue;
    if (items.size() == query.wanted.limit) {
      next = query.wanted.next(last);
      break;
    }
    items.push_back(group_row(row));
    last = row.id;
  }
  boost::json::object body;
  body["items"] = std::move(items);
  body["next"] = std::move(next);
  return json_response(body);
}

void list(actors::coordinator& groups, const call& at, const respond& answer) {
  auto query = read_list_query(at.request);
  if (!query) return answer(problem(400, query.error().message));
  groups.list([query = *std::move(query), answer](const std::vector<group::group_summary>& all) {
    answer(list_answer(all, query));
  });
}

void show(actors::coordinator& groups, const origin_lookup& origin_of, const call& at, const respond& answer) {
  const std::string id = at.captures.front();
  groups.view(id, [id, origin_of, answer](const actors::viewed_group& view) {
    if (view) return answer(json_response(group_document(**view, origin_of)));
    const bool unknown = view.error().code == protocol::error_code::group_id_not_found;
    const auto* const what = unknown ? "there is no group '{}'" : "group '{}' is being read from the log: ask again";
    answer(problem(status_of(view.error().code), fmt::format(fmt::runtime(what), id), view.error().code));
  });
}

}  // namespace

void add_groups(router& to, actors::coordinator& groups, origin_lookup origin_of) {
  to.add("GET", "/v1/groups", [&groups](const call& at, const respond& answer) { list(groups, at, answer); });
  to.add("GET", "/v1/groups/{group}",
         [&groups, origin_of = std::move(origin_of)](const call& at, const respond& answer) {
           show(groups, origin_of, at, answer);
         });
}

}  // namespace weir::http
