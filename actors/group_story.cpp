// A group's changes and what is told of them: the story goes into the log with the records, and to the followers once
// both are durable.
#include <algorithm>
#include <ranges>
#include <utility>

#include "actors/group_shell.hpp"
#include "group/waiting_for.hpp"

namespace weir::actors {

namespace {

/// Commits of offsets are no part of a group's story, and there are many of them.
bool changes_group(const group::records& records) {
  return std::ranges::any_of(
      records, [](const group::record& r) { return !std::holds_alternative<group::offset_record>(r); });
}

}  // namespace

/// Applies at once, so that later requests see it, and appends. Whoever depends on it waits for number appended_.
void group_shell::write(group::records records, std::vector<storage::table_write> writes,
                        std::vector<group::event> events) {
  remember_departing(records);
  remember_pending(records);
  const bool is_story = changes_group(records) || !events.empty();
  if (is_story) {
    row_changed();
    timeline_.before(group_);
  }
  for (const auto& r : records) group::apply(group_, r);
  follow_state();
  std::vector<std::shared_ptr<const group::event>> news;
  if (is_story) news = tell(std::move(events), writes);
  append(std::move(records), std::move(writes));
  if (!news.empty()) {
    when_durable_.emplace_back(appended_, [this, news = std::move(news)] {
      for (const auto& one : news) services_.feed.publish(group_.id, one);
    });
  }
  forget_drained();
}

/// Adds what the timeline makes of the change to the writes; the new events as they are kept.
std::vector<std::shared_ptr<const group::event>> group_shell::tell(std::vector<group::event> events,
                                                                   std::vector<storage::table_write>& writes) {
  group::note_state(group_, now());
  for (const auto& event : events) note(event);
  time_rebalance();
  auto told = timeline_.after(group_, std::move(events), now());
  std::ranges::move(told.writes, std::back_inserter(writes));
  return std::move(told.news);
}

void group_shell::note(const group::event& event) {
  count(services_.counters.events[static_cast<std::size_t>(event.why)]);
  if (event.why == group::cause::target_computed) {
    count(services_.counters.tasks_moved, static_cast<std::uint64_t>(std::max(0, event.tasks_moved)));
    log::info("target assignment computed", {{"group", group_.id},
                                             {"assignment_epoch", event.assignment_epoch},
                                             {"assignor", event.assignor},
                                             {"tasks_moved", event.tasks_moved}});
  } else if (!group::is_of_rebalance(event.why)) {
    log::info("group settings changed", {{"group", group_.id},
                                         {"by", event.by.empty() ? std::string_view("-") : std::string_view(event.by)},
                                         {"changes", event.detail}});
  } else {
    if (!unsettled_since_) unsettled_since_ = std::chrono::steady_clock::now();
    log::info("group epoch bumped", {{"group", group_.id},
                                     {"epoch", event.group_epoch},
                                     {"cause", group::name(event.why)},
                                     {"member", event.member_id},
                                     {"detail", event.detail}});
  }
  if (const auto alarm = loops_.note(event)) {
    count(services_.counters.rebalance_loops);
    log::warn("a rebalance loop: the same cause again and again", {{"group", group_.id},
                                                                  {"cause", group::name(alarm->why)},
                                                                  {"member", alarm->member_id},
                                                                  {"times", alarm->count},
                                                                  {"within_ms", alarm->window_ms}});
  }
}

/// Spec 03, 8.5.
void group_shell::note_resting(const group::soft_update& soft) {
  if (!soft.interim || *soft.interim == nullptr) return;
  for (const auto& watch : (*soft.interim)->watches) {
    if (!watch.is_new_rest) continue;
    count(services_.counters.warm_ups_stuck);
    log::warn("a warm-up task does not get on", {{"group", group_.id},
                                                 {"task", group::task_name(watch.subtopology_id, watch.partition)},
                                                 {"process", watch.process_id},
                                                 {"offset", watch.offset},
                                                 {"tried_again_in_s", (watch.look_ms - now()) / 1'000}});
  }
}

void group_shell::view(const view_message& message) {
  if (!admit(*message.request)) return;
  match_patterns();
  std::shared_ptr<group::group_view> view;
  const auto& seen = for_readers();
  if (seen.kind != group::group_kind::none) {
    if (message.member) {
      view = std::make_shared<group::group_view>();
      view->group = group::with_one_member(seen, *message.member);
    } else {
      view = kept_view_.of(seen, now());
      arm(kept_view_.unused_at_ms());
    }
    view->timeline.clear();
    view->config = config_;
    view->own_config = overrides_;
    view->state = group::state_of(seen);
    view->alarms = loops_.on_at(now());
    view->now_ms = now();
  }
  answer_when_durable(message.request, [this, request = message.request, view = std::move(view),
                                        with_timeline = message.with_timeline] {
    if (!view) return request->reject(protocol::error_code::group_id_not_found);
    if (with_timeline) {
      auto told = timeline_.read({.below = 0, .most = group::events_shown, .only = {}}, now());
      std::ranges::reverse(told.events);
      view->timeline = std::move(told.events);
    }
    request->answer(std::shared_ptr<const group::group_view>(view));
  });
}

void group_shell::probe(const probe_message& message) {
  if (!admit(*message.request)) return;
  std::optional<group::health_view> health;
  if (const auto& seen = for_readers(); seen.kind != group::group_kind::none) {
    const auto state = group::state_of(seen);
    health = group::health_of(seen, state, message.member);
    if (seen.kind == group::group_kind::streams) health->waits = words_for_probes(seen, state);
  }
  answer_when_durable(message.request, [request = message.request, health = std::move(health)] {
    if (!health) return request->reject(protocol::error_code::group_id_not_found);
    request->answer(told_health(*health));
  });
}

/// They cost what the group costs, and there is a probe for every member: they are made once in a second.
const std::vector<std::string>& group_shell::words_for_probes(const group::streams_group& seen,
                                                               group::group_state state) {
  constexpr std::int64_t kept_ms = 1'000;
  const auto age_ms = told_probes_ ? now() - told_probes_->time_ms : kept_ms;
  if (!told_probes_ || told_probes_->state != state || age_ms < 0 || age_ms >= kept_ms) {
    told_probes_ = waits_in_words{.state = state,
                                  .time_ms = now(),
                                  .words = group::in_words(group::waits_of(seen, config_, now()))};
  }
  return told_probes_->words;
}

void group_shell::tell_timeline(const timeline_message& message) {
  if (!admit(*message.request)) return;
  if (for_readers().kind == group::group_kind::none) {
    return message.request->reject(protocol::error_code::group_id_not_found);
  }
  answer_when_durable(message.request, [this, request = message.request, query = message.query] {
    request->answer(timeline_.read(query, now()));
  });
}

}  // namespace weir::actors
