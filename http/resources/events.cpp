#include "http/resources/events.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "base/metrics.hpp"
#include "base/utf8.hpp"
#include "http/problem.hpp"
#include "http/resources/event_json.hpp"
#include "http/resources/followers.hpp"

namespace weir::http {
namespace {

/// After so long without an event there is a comment, so that both ends know that the other one is there.
constexpr std::int64_t quiet_ms = 15'000;
/// Taken from the feed at one time: bounds what is kept for one follower.
constexpr std::size_t entries_a_piece = 16;

struct filter {
  std::string group;  ///< empty: every one
  std::optional<group::cause> only;
};

/// Woken by every event, wanted or not: its place moves on with the feed, so that it is lost only by who reads slowly.
class followed_events final : public stream_source {
 public:
  followed_events(actors::event_feed& feed, filter wanted, std::optional<std::uint64_t> resume)
      : feed_(feed),
        wanted_(std::move(wanted)),
        position_(feed.newest()),
        is_ahead_(resume.value_or(0) > position_),
        listener_(feed.listen([this](std::string_view) { bell_.ring(); })) {
    if (!is_ahead_) position_ = resume.value_or(position_);
  }

  void listen(std::function<void()> wake) override { bell_.answer_with(std::move(wake)); }
  [[nodiscard]] std::int64_t idle_ms() const override { return quiet_ms; }

  piece next(bool is_idle) override {
    piece out;
    const bool is_first = std::exchange(is_first_, false);
    if (is_first) out.text = greeting();
    for (;;) {
      const auto part = feed_.read(position_, entries_a_piece);
      if (part.lost && !is_first) return too_slow();
      if (part.lost) out.text += ": events after that id are gone: the timelines of the groups have them\n\n";
      for (const actors::feed_entry& one : part.entries) write(out.text, one);
      if (!part.entries.empty()) position_ = part.entries.back().number;
      if (!out.text.empty() || part.entries.empty()) break;  // else nothing of it was wanted: go on
    }
    if (out.text.empty() && is_idle) out.text = ": nothing new\n\n";
    return out;
  }

 private:
  [[nodiscard]] std::string greeting() const {
    const auto* const note = is_ahead_ ? ": events after that id are not known here\n\n" : "";
    return fmt::format(": events of Weir\nretry: 2000\n\n{}", note);
  }

  static piece too_slow() {
    weir::metrics::all().limit_rejections.with({"event-feed"}).add();
    return {": dropped: read too slowly, events are lost; the timelines of the groups have them\n\n", true};
  }

  void write(std::string& to, const actors::feed_entry& one) const {
    if (!wanted_.group.empty() && one.group_id != wanted_.group) return;
    if (wanted_.only && one.what->why != *wanted_.only) return;
    auto item = event_item(*one.what);
    item["group_id"] = one.group_id;
    to += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", one.number, group::name(one.what->why),
                      valid_utf8(boost::json::serialize(item)));
  }

  actors::event_feed& feed_;
  filter wanted_;
  std::uint64_t position_;
  bool is_ahead_;  // it came back with an id that is not there yet: it begins with what comes next
  bool is_first_ = true;
  doorbell bell_;
  std::unique_ptr<actors::event_feed::listener> listener_;  // last: calls what is above
};

result<std::optional<std::uint64_t>> read_resume_id(const request& asked) {
  if (!asked.last_event_id || asked.last_event_id->empty()) return std::nullopt;
  std::uint64_t id = 0;
  const auto& text = *asked.last_event_id;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && stopped == text.data() + text.size()) return id;
  return fail(fmt::format("'Last-Event-ID' must be the id of an event, not '{}'", text));
}

void follow(actors::coordinator& groups, std::size_t followers_max, const call& at, const respond& answer) {
  filter wanted;
  wanted.group = at.request.parameter("group").value_or("");
  const auto cause = at.request.parameter("cause").value_or("");
  if (!cause.empty() && !(wanted.only = group::cause_of(cause))) return answer(problem(400, unknown_cause(cause)));
  const auto resume = read_resume_id(at.request);
  if (!resume) return answer(problem(400, resume.error().message));
  if (groups.feed().listeners() >= followers_max) return answer(too_many_followers());
  response out;
  out.content_type = "text/event-stream";
  out.stream = std::make_shared<followed_events>(groups.feed(), std::move(wanted), *resume);
  answer(std::move(out));
}

}  // namespace

void add_events(router& to, actors::coordinator& groups, std::size_t followers_max) {
  to.add("GET", "/v1/events",
         [&groups, followers_max](const call& at, const respond& answer) { follow(groups, followers_max, at, answer); },
         {"group", "cause"});
}

}  // namespace weir::http
