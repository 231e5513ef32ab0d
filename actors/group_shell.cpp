#include "actors/group_shell.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "actors/stopwatch.hpp"
#include "base/assert.hpp"
#include "base/metrics.hpp"
#include "group/carry_over.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "group/offsets/delete.hpp"

namespace weir::actors {

namespace {

/// Spec 04, 11: a timer whose write failed tries again after this.
constexpr std::int64_t retry_ms = 500;

bool is_empty(const group::change_outcome& outcome) {
  return outcome.records.empty() && outcome.soft.empty() && outcome.events.empty();
}

}  // namespace

group_shell::group_shell(group_services& services, group_host& host, group::streams_group state)
    : services_(services),
      host_(host),
      group_(std::move(state)),
      deletions_seen_(services.images.last_deletion()),
      incarnation_(++services.incarnations),
      held_(services.counters),
      timeline_(services.log, group_.id, services.options.timeline),
      loops_(services.options.loops) {
  use_settings(services.configs.get(group_.id));
  refresh_image();
}

group_shell::~group_shell() {
  if (!subscribed_.empty() || is_told_of_all_topics_) services_.hashes.unsubscribe(group_.id);
}

void group_shell::start() {
  if (group_.kind == group::group_kind::none) return;
  for (const auto& repair : group::finish_load(group_, config_, now())) {
    log::warn("repaired a group after loading", {{"group", group_.id}, {"repair", repair}});
  }
  count(services_.counters.replays);
  follow_state();
  forget_drained();
  arm_next(now());
}

void group_shell::start_by_replay(group::group_kind last_known) {
  known_kind_ = last_known;
  loading_ = true;
  append({}, {});  // a barrier: its outcome comes after those of the former life
}

void group_shell::heartbeat(const heartbeat_message& message) {
  const auto& request = message.request;
  if (!admit(*request)) return;
  refresh_image();
  const stopwatch watch;
  auto patterns = try_patterns(request->call().request);
  auto asked = world();
  asked.patterns = std::move(patterns);
  auto outcome = group::heartbeat(group_, request->call().request, request->call().context, asked);
  if (!has_room(outcome.records, *request)) return heard_of(outcome.soft);
  if (outcome.answer.error_code != 0) count(services_.counters.heartbeats_refused);
  if (outcome.answer.error_code == code_of(protocol::error_code::unknown_server_error)) tell_fault(outcome.answer);
  if (!outcome.records.empty()) {
    watch.stamp(outcome.events);
    write(std::move(outcome.records), {}, std::move(outcome.events));
  }
  group::apply(group_, outcome.soft);
  catch_up_with_image();
  note_resting(outcome.soft);
  arm_for(outcome.soft);
  if (appended_ == durable_) {
    return answer_heartbeat(*request, outcome.answer, outcome.missing_internal_topics.get());
  }
  answer_when_durable(request, [this, request, answer = std::move(outcome.answer),
                                missing = std::move(outcome.missing_internal_topics)]() mutable {
    answer_heartbeat(*request, answer, missing.get());
  });
}

void group_shell::wake_up_fired(const wake_up_message& message) {
  if (!wake_up_.fired(message.token)) return;
  count(services_.counters.wake_ups);
  held_.expire(now());
  kept_view_.forget_if_unused(now());
  if (!is_former_shown()) former_.reset();
  if (loading_) {
    if (appended_ == durable_ && replay()) loading_ = false;
    return arm_next(now() + retry_ms);
  }
  refresh_image();
  go_on_with_patterns();
  arm_next(expire_all() && follow_deletions() ? now() : now() + retry_ms);
}

/// Clients take such an answer for the end (spec 01, 7.5), so it must be found in the log. Kafka tells them no reason.
void group_shell::tell_fault(protocol::streams_group_heartbeat_response& answer) {
  const auto why = answer.error_message.value_or(text()).str();
  services_.faults.write(log::level::warn, "a heartbeat failed", {{"group", group_.id}, {"reason", why}});
  if (services_.options.strict_kafka) answer.error_message.reset();
}

/// False if the log has no room for what is due.
bool group_shell::expire_all() {
  for (;;) {
    const stopwatch watch;
    auto outcome = group::on_deadline(group_, world());
    if (is_empty(outcome)) break;
    watch.stamp(outcome.events);
    if (!outcome.records.empty() && services_.log.full()) return false;
    carry_out(std::move(outcome));
  }
  if (auto outcome = group::expire_transactions(group_, now()); !is_empty(outcome)) carry_out(std::move(outcome));
  carry_out_classic(group::expire_classic(group_, now()));
  auto as_known = consumer_world();
  as_known.patterns_are_pending = true;  // the next heartbeat looks at the topics
  auto late = group::expire_consumers(group_, as_known);
  if (!late.records.empty() && services_.log.full()) return false;
  carry_out_consumers(std::move(late));
  return true;
}

void group_shell::image_changed() {
  group::invalidate_metadata(group_);
  refresh_image();
}

/// A group that is being loaded catches up at its first wake-up.
void group_shell::topics_deleted() {
  if (!loading_ && !follow_deletions()) arm(now() + retry_ms);
}

/// Spec 04, 13.6. False if the log has no room for it.
bool group_shell::follow_deletions() {
  if (deletions_seen_ >= services_.images.last_deletion()) return true;
  const auto [topics, number] = services_.images.deleted_since(deletions_seen_);
  auto outcome = group::topic_deletion(group_, topics);
  if (!outcome.records.empty() && services_.log.full()) return false;
  deletions_seen_ = number;
  if (!is_empty(outcome)) carry_out(std::move(outcome));
  return true;
}

void group_shell::log_progress(const log_progress_message& message) {
  if (message.incarnation != incarnation_) return;
  if (loading_) {  // the barrier: nothing of the former life is under way any longer
    durable_ = appended_;
    if (message.failure) start_incarnation();
    loading_ = !replay();
    return arm_next(loading_ ? now() + retry_ms : now());
  }
  durable_ = std::max(durable_, message.durable);
  while (!when_durable_.empty() && when_durable_.front().first <= durable_) {
    const auto action = std::move(when_durable_.front().second);
    when_durable_.pop_front();
    action();
  }
  while (!departed_.empty() && departed_.front().number <= durable_) departed_.pop_front();
  while (!former_transactions_.empty() && former_transactions_.begin()->first.first <= durable_) {
    former_transactions_.erase(former_transactions_.begin());
  }
  held_.release(durable_);
  if (message.failure) roll_back(*message.failure);
}

// Deciding and writing.

bool group_shell::admit(pending_answer& request) {
  if (loading_) request.reject(protocol::error_code::coordinator_load_in_progress);
  return !loading_;
}

/// A log that is that far behind would refuse the append, but only when its turn comes.
bool group_shell::has_room(const group::records& records, pending_answer& request) {
  if (records.empty() || !services_.log.full()) return true;
  request.reject(protocol::error_code::coordinator_not_available);
  return false;
}

/// Of a heartbeat that was refused for want of room: its member is alive.
void group_shell::heard_of(const group::soft_update& update) {
  group::soft_update alive;
  alive.member_id = update.member_id;
  alive.session_deadline_ms = update.session_deadline_ms;
  group::apply(group_, alive);
}

group::world group_shell::world() {
  return {.image = *image_,
          .hashes = services_.hashes,
          .config = config_,
          .max_size = services_.options.broker.max_size,
          .assignors = services_.assignors,
          .strict_kafka = services_.options.strict_kafka,
          .now_ms = now(),
          .keeps_descriptions = services_.options.keeps_descriptions};
}

void group_shell::refresh_image() {
  if (services_.images.number() == image_number_) return;
  std::tie(image_, image_number_) = services_.images.get();
}

void group_shell::carry_out(group::change_outcome outcome) {
  if (!outcome.records.empty()) write(std::move(outcome.records), {}, std::move(outcome.events));
  for (const auto& update : outcome.soft) {
    for (const auto& change : update.transactions) remember_transaction(appended_, change.producer_id);
    group::apply(group_, update);
    note_resting(update);
    arm_for(update);
  }
  catch_up_with_image();
}

void group_shell::append(group::records records, std::vector<storage::table_write> writes) {
  count(services_.counters.appends);
  if (!records.empty()) ++services_.writes;
  services_.appends.append({group_.id, incarnation_, ++appended_, std::move(records), std::move(writes)});
}

void group_shell::remember_departing(const group::records& records) {
  for (const auto& r : records) {
    const auto* gone = std::get_if<group::member_metadata_record>(&r);
    if (gone == nullptr || gone->value) continue;
    const auto found = group_.soft.members.find(gone->member_id);
    if (found != group_.soft.members.end()) departed_.push_back({appended_ + 1, found->first, found->second});
  }
}

/// A record of an offset changes what is pending there.
void group_shell::remember_pending(const group::records& records) {
  if (group_.soft.transactions.empty()) return;
  for (const auto& r : records) {
    const auto* offset = std::get_if<group::offset_record>(&r);
    if (offset == nullptr) continue;
    for (const auto producer_id : group_.soft.transactions.producers_of(offset->topic, offset->partition)) {
      remember_transaction(appended_ + 1, producer_id);
    }
  }
}

void group_shell::remember_transaction(std::uint64_t number, std::int64_t producer_id) {
  if (number <= durable_ || former_transactions_.contains({number, producer_id})) return;
  former_transactions_.emplace(std::pair(number, producer_id), group_.soft.transactions.current(producer_id));
}

/// After everything that may have settled the group.
void group_shell::time_rebalance() {
  static auto& times = metrics::all().rebalance_time.get();
  if (!unsettled_since_) return;
  const auto state = group::state_of(group_);
  if (state != group::group_state::stable && state != group::group_state::empty) return;
  times.observe(metrics::microseconds_since(*std::exchange(unsettled_since_, std::nullopt)));
}

/// Tells the others what our state means to them: which topics we require, what kind of group we are.
void group_shell::follow_state() {
  if (group_.required_topics != subscribed_ || group_.reads_patterns != is_told_of_all_topics_) {
    subscribed_ = group_.required_topics;
    is_told_of_all_topics_ = group_.reads_patterns;
    services_.hashes.subscribe(group_.id, subscribed_, is_told_of_all_topics_);
  }
  if (group::has_members(group_)) {
    empty_since_ms_.reset();
  } else if (!empty_since_ms_) {
    empty_since_ms_ = now();
  }
  if (group_.kind != known_kind_) {
    row_changed();
    host_.kind_changed(known_kind_ = group_.kind);
  }
  time_rebalance();
}

/// Before anybody can be told of the change. What a steady heartbeat or a commit changes is in no list.
void group_shell::row_changed() {
  kept_view_.forget();
  told_probes_.reset();
  if (std::exchange(row_is_shown_, false)) host_.show(nullptr);
}

/// An image that came between our decision and the subscription was announced to others only. After the soft part is
/// applied, which would set the refresh deadline that this resets.
void group_shell::catch_up_with_image() {
  if (services_.images.number() != image_number_) image_changed();
}

void group_shell::answer_when_durable(std::shared_ptr<pending_answer> request, std::function<void()> release) {
  if (appended_ == durable_) return release();
  const auto deadline = now() + services_.options.answer_timeout_ms;
  held_.hold(appended_, deadline, std::move(request), std::move(release));
  arm(deadline);
}

// Deadlines.

void group_shell::arm(std::optional<std::int64_t> at_ms) {
  if (!at_ms) return;
  if (const auto token = wake_up_.arm(*at_ms)) host_.wake_in(std::max<std::int64_t>(1, *at_ms - now()), *token);
}

void group_shell::arm_for(const group::soft_update& update) {
  arm(update.session_deadline_ms);
  arm(update.rebalance_deadline_ms);
  arm(update.initial_delay_deadline_ms);
  for (const auto& change : update.transactions) {
    if (change.now) arm(change.now->deadline_ms);
  }
  if (update.classic) arm(update.classic->next_deadline());
  for (const auto& step : update.classic_steps) arm(group::deadline_of(step));
  if (!update.consumer) return;
  for (const auto& step : update.consumer->steps) {
    if (!step.member) continue;
    arm(step.member->session_deadline_ms);
    arm(step.member->rebalance_deadline_ms);
  }
}

void group_shell::arm_next(std::int64_t not_before_ms) {
  auto next = loading_ ? std::optional(not_before_ms) : group::next_deadline(group_);
  if (deletions_seen_ < services_.images.last_deletion()) next = not_before_ms;
  if (next) next = std::max(*next, not_before_ms);
  const auto former = former_ ? std::optional(now() + former_look_ms) : std::nullopt;
  for (const auto& other : {held_.next_deadline(), kept_view_.unused_at_ms(), former, patterns_due_ms()}) {
    if (other) next = next ? std::min(*next, *other) : *other;
  }
  arm(next);
}

// Failure.

/// A write failed: the state must become what the log says. Appends before it are durable, those after it failed too,
/// so the log does not change under the replay.
void group_shell::roll_back(const std::string& why) {
  log::error("a write failed; the group is rebuilt from the log", {{"group", group_.id}, {"reason", why}});
  count(services_.counters.rollbacks);
  held_.reject_all(protocol::error_code::coordinator_not_available);
  forget_unstored_members();
  when_durable_.clear();
  start_incarnation();
  row_changed();
  former_.reset();
  loading_ = !replay();
  append({}, {});  // tells the log that we know, so that it can forget the failure
  arm_next(now() + retry_ms);
}

/// The log refuses further appends of an incarnation that had a failure.
void group_shell::start_incarnation() {
  incarnation_ = ++services_.incarnations;
  appended_ = durable_ = 0;
}

bool group_shell::replay() {
  group::streams_group fresh;
  fresh.id = group_.id;
  auto replayed = services_.log.replay_group(
      group_.id, [&](std::string_view /*group*/, const group::record& r) { group::apply(fresh, r); });
  if (replayed) replayed = services_.configs.reload(services_.log, group_.id);
  if (!replayed) {
    log::error("a group cannot be loaded", {{"group", group_.id}, {"reason", replayed.error().message}});
    return false;
  }
  count(services_.counters.replays);
  timeline_.forget();
  use_settings(services_.configs.get(group_.id));
  auto soft = std::move(group_.soft);
  group_ = std::move(fresh);
  deletions_seen_ = 0;  // what a failed write or a former life has missed is looked at again
  for (const auto& repair : group::finish_load(group_, config_, now())) {
    log::warn("repaired a group after loading", {{"group", group_.id}, {"repair", repair}});
  }
  keep_soft_state(std::move(soft));
  follow_state();
  forget_drained();
  return true;
}

/// Members whose removal was not written are there again, and transactions are as they were before what was lost.
void group_shell::keep_soft_state(group::soft_state before) {
  for (auto& gone : departed_) before.members.try_emplace(gone.id, std::move(gone.soft));
  departed_.clear();
  for (auto& entry : former_transactions_ | std::views::reverse) before.transactions.take(std::move(entry.second));
  former_transactions_.clear();
  group::carry_over(group_, std::move(before));
}

}  // namespace weir::actors
