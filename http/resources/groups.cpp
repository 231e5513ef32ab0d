#include "http/resources/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json/array.hpp>
#include <cctype>
#include <memory>
#include <vector>

#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/group_json.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

/// First part of a walk over all groups.
constexpr std::size_t groups_asked_at_once = 500;

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
    static constexpr std::string_view states[] = {
        "empty", "notready", "assigning", "reconciling", "stable", "dead", "unknown", "preparingrebalance",
        "completingrebalance"};
    if (std::find(std::begin(states), std::end(states), out.state) == std::end(states)) {
      return fail("'state' must be one of Empty, NotReady, Assigning, Reconciling, Stable, Dead, Unknown, "
                  "PreparingRebalance, CompletingRebalance");
    }
  }
  auto wanted = read_page(asked, fmt::format("groups\x1f{}\x1f{}", out.state, out.prefix));
  if (!wanted) return tl::unexpected(wanted.error());
  out.wanted = *std::move(wanted);
  return out;
}

/// A streams group that is under way to something can say why.
bool can_say_why(const group::group_summary& row) {
  if (row.kind != group::group_kind::streams || row.loading) return false;
  return row.is_held_up || row.state == group::group_state::not_ready ||
         row.state == group::group_state::assigning || row.state == group::group_state::reconciling;
}

/// The beginning of a text, of whole characters.
std::string_view beginning(std::string_view of, std::size_t bytes_max) {
  if (of.size() <= bytes_max) return of;
  constexpr unsigned follows = 0x80U;  // 10xxxxxx: a byte that goes on with a character of UTF-8
  constexpr unsigned kind = 0xC0U;
  while (bytes_max > 0 && (static_cast<unsigned char>(of[bytes_max]) & kind) == follows) --bytes_max;
  return of.substr(0, bytes_max);
}

/// The first thing it waits for, and how many more there are; empty if it has come to rest meanwhile.
std::string reason_in(const group::health_view& of) {
  const bool is_at_rest = of.state == group::group_state::stable && of.patterns.empty() && of.is_newest_run;
  if (of.waits.empty() || is_at_rest) return {};
  constexpr std::size_t reason_bytes_max = 400;
  const auto told = beginning(of.waits.front(), reason_bytes_max);
  auto out = fmt::format("waits for {}{}", told, told.size() < of.waits.front().size() ? " ..." : "");
  if (of.waits.size() > 1) out += fmt::format(", and {} more", of.waits.size() - 1);
  return out;
}

/// Asks groups from the cursor on, part by part, until a page is full; then those of the page that are under way why.
class list_walk : public std::enable_shared_from_this<list_walk> {
 public:
  list_walk(actors::coordinator& groups, list_query query, respond answer)
      : groups_(groups), query_(std::move(query)), after_(query_.wanted.after), answer_(std::move(answer)) {}

  void go_on() {
    // One more than the page has room for says whether another page follows. How many have the state is not known.
    const auto wanted = query_.wanted.limit + 1 - rows_.size();
    // Rows that are known come before list_some() returns: each part is twice the one before, so that they are few.
    groups_.list_some({after_, query_.prefix, query_.state.empty() ? wanted : std::exchange(at_once_, at_once_ * 2)},
                      [self = shared_from_this()](const actors::group_rows& part) { self->take(part); });
  }

 private:
  void take(const actors::group_rows& part) {
    for (const group::group_summary& row : part.rows) {
      if (!query_.state.empty() && lower(std::string(row.state_name)) != query_.state) continue;
      if (rows_.size() == query_.wanted.limit) return finish(true);
      rows_.push_back(row);
    }
    if (part.complete) return finish(false);
    after_ = part.last;
    go_on();
  }

  /// All of them at once; the last to answer goes on.
  void finish(bool has_next) {
    has_next_ = has_next;
    reasons_.resize(rows_.size());
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].loading) reasons_[i] = "is being read from the log";
      if (can_say_why(rows_[i])) asked.push_back(i);
    }
    unanswered_ = asked.size() + 1;
    for (const auto i : asked) {
      groups_.health_of(rows_[i].id, {}, [self = shared_from_this(), i](const actors::told_health& told) {
        if (told) self->reasons_[i] = reason_in(*told);
        self->note_answer();
      });
    }
    note_answer();
  }

  /// Any thread.
  void note_answer() {
    if (--unanswered_ > 0) return;
    at_leisure(answer_, [self = shared_from_this()] {
      boost::json::array items;
      for (std::size_t i = 0; i < self->rows_.size(); ++i) {
        auto item = group_row(self->rows_[i]);
        item["reason"] = or_null(self->reasons_[i]);
        items.push_back(std::move(item));
      }
      boost::json::object body;
      body["items"] = std::move(items);
      body["next"] = self->has_next_ ? boost::json::value(self->query_.wanted.next(self->rows_.back().id)) : nullptr;
      self->answer_(json_response(body));
    });
  }

  actors::coordinator& groups_;
  list_query query_;
  std::string after_;
  std::size_t at_once_ = groups_asked_at_once;
  respond answer_;
  std::vector<group::group_summary> rows_;
  std::vector<std::string> reasons_;  // by row
  std::atomic<std::size_t> unanswered_ = 0;
  bool has_next_ = false;
};

void list(actors::coordinator& groups, const call& at, const respond& answer) {
  auto query = read_list_query(at.request);
  if (!query) return answer(problem(400, query.error().message));
  at_leisure(answer, [walk = std::make_shared<list_walk>(groups, *std::move(query), answer)] { walk->go_on(); });
}

void show(actors::coordinator& groups, const origin_lookup& origin_of, const call& at, const respond& answer) {
  with_group(groups, at.captures.front(), answer, [origin_of, answer](const group_view_ptr& view) {
    at_leisure(answer, [origin_of, answer, view] { answer(group_response(*view, origin_of)); });
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
