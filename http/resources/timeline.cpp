#include "http/resources/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/event_json.hpp"
#include "http/resources/followers.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

constexpr std::int64_t wait_ms_max = 600'000;
/// One answer has at most so many, whatever the limit: an event with all its moves is large.
constexpr std::size_t events_max = 200;

struct timeline_request {
  std::string group;
  page wanted;
  actors::timeline_query query;
  std::optional<std::uint64_t> index;  ///< wait for a newer one than that
  std::int64_t wait_ms = 0;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t out = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return out;
}

/// `500ms`, `30s`, `5m`.
std::optional<std::int64_t> duration_ms(std::string_view text) {
  static constexpr std::pair<std::string_view, std::int64_t> units[] = {{"ms", 1}, {"s", 1'000}, {"m", 60'000}};
  for (const auto& [unit, in_ms] : units) {
    if (!text.ends_with(unit)) continue;
    const auto count = whole_number(text.substr(0, text.size() - unit.size()));
    if (!count) continue;
    return *count <= static_cast<std::uint64_t>(wait_ms_max) ? static_cast<std::int64_t>(*count) * in_ms
                                                             : wait_ms_max + 1;
  }
  return std::nullopt;
}

result<void> read_wait(const request& asked, timeline_request& into) {
  const auto index = asked.parameter("index");
  const auto wait = asked.parameter("wait");
  if (!index && !wait) return {};
  if (!index) return fail("'wait' needs 'index': the X-Weir-Index of the answer before");
  if (!into.wanted.after.empty()) return fail("'index' cannot be used together with 'after'");
  into.index = whole_number(*index);
  if (!into.index) return fail(fmt::format("'index' must be a whole number, not '{}'", *index));
  const auto length = wait ? duration_ms(*wait) : std::optional<std::int64_t>(0);
  if (!length || *length > wait_ms_max) {
    return fail(fmt::format("'wait' must be a time as in 500ms, 30s or 5m, at most 10m, not '{}'", *wait));
  }
  into.wait_ms = *length;
  return {};
}

result<timeline_request> read_timeline_request(const call& at) {
  timeline_request out;
  out.group = at.captures.front();
  const auto cause = at.request.parameter("cause").value_or("");
  if (!cause.empty()) {
    out.query.only = group::cause_of(cause);
    if (!out.query.only) return fail(unknown_cause(cause));
  }
  auto wanted = read_page(at.request, fmt::format("timeline\x1f{}\x1f{}", out.group, cause));
  if (!wanted) return tl::unexpected(wanted.error());
  out.wanted = *std::move(wanted);
  out.query.most = std::min(out.wanted.limit, events_max);
  if (!out.wanted.after.empty()) {
    const auto below = whole_number(out.wanted.after);
    if (!below || *below == 0) return fail("'after' is not a cursor of this query");
    out.query.below = *below;
  }
  if (auto read = read_wait(at.request, out); !read) return tl::unexpected(read.error());
  return out;
}

response one_page(const timeline_request& asked, const actors::timeline_page& told) {
  boost::json::array items;
  for (const group::event& one : told.events) items.push_back(event_item(one));
  boost::json::object body;
  body["items"] = std::move(items);
  const bool has_next = !told.complete && !told.events.empty();
  body["next"] = has_next ? boost::json::value(asked.wanted.next(std::to_string(told.events.back().index))) : nullptr;
  response out = json_response(body);
  out.headers.emplace_back("X-Weir-Index", std::to_string(told.newest));
  return out;
}

/// Asks again whenever something happens in the group.
class timeline_wait final : public postponed, public std::enable_shared_from_this<timeline_wait> {
 public:
  timeline_wait(actors::coordinator& groups, timeline_request asked)
      : groups_(groups), asked_(std::move(asked)), listener_(groups.feed().listen([this](std::string_view group_id) {
          if (group_id == asked_.group) bell_.ring();
        })) {}

  void listen(std::function<void()> wake) override { bell_.answer_with(std::move(wake)); }
  [[nodiscard]] std::int64_t wait_ms() const override { return asked_.wait_ms; }

  void ask(bool time_is_up, const respond& answer) override {
    groups_.timeline_of(asked_.group, asked_.query,
                        [self = shared_from_this(), time_is_up, answer](const actors::told_timeline& told) {
                          if (!told) return answer(no_view(self->asked_.group, told.error().code));
                          if (time_is_up || told->newest != *self->asked_.index) {
                            return at_leisure(answer, [self, answer, told] { answer(one_page(self->asked_, *told)); });
                          }
                          response not_yet;
                          not_yet.later = self;
                          answer(std::move(not_yet));
                        });
  }

 private:
  actors::coordinator& groups_;
  timeline_request asked_;
  doorbell bell_;
  std::unique_ptr<actors::event_feed::listener> listener_;  // last: calls what is above
};

void tell(actors::coordinator& groups, std::size_t followers_max, const call& at, const respond& answer) {
  auto asked = read_timeline_request(at);
  if (!asked) return answer(problem(400, asked.error().message));
  if (asked->wait_ms > 0) {
    if (groups.feed().listeners() >= followers_max) return answer(too_many_followers());
    return std::make_shared<timeline_wait>(groups, *std::move(asked))->ask(false, answer);
  }
  const auto kept = std::make_shared<const timeline_request>(*std::move(asked));
  groups.timeline_of(kept->group, kept->query, [kept, answer](const actors::told_timeline& told) {
    if (!told) return answer(no_view(kept->group, told.error().code));
    at_leisure(answer, [kept, answer, told] { answer(one_page(*kept, *told)); });
  });
}

}  // namespace

void add_timeline(router& to, actors::coordinator& groups, std::size_t followers_max) {
  to.add("GET", "/v1/groups/{group}/timeline",
         [&groups, followers_max](const call& at, const respond& answer) { tell(groups, followers_max, at, answer); },
         {"cause", "limit", "after", "index", "wait"});
}

}  // namespace weir::http
