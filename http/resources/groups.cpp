#include "http/resources/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cctype>
#include <memory>

#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/group_json.hpp"
#include "http/resources/viewed.hpp"

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

/// Asks groups from the cursor on, part by part, until a page is full.
class list_walk : public std::enable_shared_from_this<list_walk> {
 public:
  list_walk(actors::coordinator& groups, list_query query, respond answer)
      : groups_(groups), query_(std::move(query)), after_(query_.wanted.after), answer_(std::move(answer)) {}

  void go_on() {
    // One more than the page has room for says whether another page follows. How many have the state is not known.
    const auto wanted = query_.wanted.limit + 1 - items_.size();
    groups_.list_some({after_, query_.prefix, query_.state.empty() ? wanted : page::limit_max},
                      [self = shared_from_this()](const actors::group_rows& part) { self->take(part); });
  }

 private:
  void take(const actors::group_rows& part) {
    for (const group::group_summary& row : part.rows) {
      if (!query_.state.empty() && lower(std::string(row.state_name)) != query_.state) continue;
      if (items_.size() == query_.wanted.limit) return finish(boost::json::value(query_.wanted.next(last_)));
      items_.push_back(group_row(row));
      last_ = row.id;
    }
    if (part.complete) return finish(nullptr);
    after_ = part.last;
    go_on();
  }

  void finish(boost::json::value next) {
    boost::json::object body;
    body["items"] = std::move(items_);
    body["next"] = std::move(next);
    answer_(json_response(body));
  }

  actors::coordinator& groups_;
  list_query query_;
  std::string after_;
  respond answer_;
  boost::json::array items_;
  std::string last_;
};

void list(actors::coordinator& groups, const call& at, const respond& answer) {
  auto query = read_list_query(at.request);
  if (!query) return answer(problem(400, query.error().message));
  std::make_shared<list_walk>(groups, *std::move(query), answer)->go_on();
}

void show(actors::coordinator& groups, const origin_lookup& origin_of, const call& at, const respond& answer) {
  with_group(groups, at.captures.front(), answer, [origin_of, answer](const group_view_ptr& view) {
    answer(json_response(group_document(*view, origin_of)));
  });
}

}  // namespace

void add_groups(router& to, actors::coordinator& groups, origin_lookup origin_of) {
  to.add("GET", "/v1/groups", [&groups](const call& at, const respond& answer) { list(groups, at, answer); },
         {"state", "prefix", "limit", "after"});
  to.add("GET", "/v1/groups/{group}",
         [&groups, origin_of = std::move(origin_of)](const call& at, const respond& answer) {
           show(groups, origin_of, at, answer);
         });
}

}  // namespace weir::http
