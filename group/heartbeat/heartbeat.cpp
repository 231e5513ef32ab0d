// The pipeline: one heartbeat, step by step (spec 01, section 0). Each step has its own file; what concerns several of
// them is decided here.
#include "group/heartbeat/heartbeat.hpp"

#include "group/description.hpp"
#include "group/heartbeat/answer.hpp"
#include "group/heartbeat/holders.hpp"
#include "group/heartbeat/interim.hpp"
#include "group/heartbeat/leave.hpp"
#include "group/heartbeat/reconcile.hpp"
#include "group/heartbeat/write_records.hpp"

namespace weir::group {
namespace {

checked<heartbeat_outcome> join_or_stay(const call& c, soft_update& kept_on_refusal);
checked<std::optional<current_assignment>> reconcile_member(const call& c, const decisions& made);
holders held_by_others(const call& c, const admitted& member);
std::optional<foreign_claims> claims_of_others(const call& c, const decisions& made);
bool asks_for_description(const call& c, const topology_plan& topology);
soft_update restarted_session(const call& c);
std::optional<near_miss> late_return(const call& c, const admitted& member);
bool replaces_itself(const call& c, const admitted& member);
soft_update soft_changes(const call& c, const decisions& made, const epoch_plan& epoch);
void keep_interim(const refinement& refined, const target_plan& target, const soft_state& before, soft_update& soft);
std::vector<event> events_of(epoch_plan& epoch, target_plan& target, const call& c);

}  // namespace

heartbeat_outcome heartbeat(const streams_group& group, const heartbeat_request& request,
                            const request_context& context, const world& world) {
  const call c{.group = group, .request = request, .context = context, .world = world};
  if (group.kind == group_kind::consumer || !group.soft.classic.members.empty()) {  // spec 04, 12
    heartbeat_outcome turned_down;
    turned_down.answer =
        refused(protocol::error_code::group_id_not_found, "Group " + group.id + " is not a streams group.");
    return turned_down;
  }
  if (request.member_epoch < 0) return leave(c);
  soft_update kept_on_refusal;
  auto outcome = join_or_stay(c, kept_on_refusal);
  if (outcome) return std::move(*outcome);
  // Whoever has to come again, because patterns are still being tried, is alive.
  const bool comes_again = outcome.error().code == protocol::error_code::coordinator_load_in_progress;
  if (comes_again) kept_on_refusal = restarted_session(c);
  heartbeat_outcome turned_down;
  turned_down.answer = refused(outcome.error().code, outcome.error().message);
  turned_down.soft = std::move(kept_on_refusal);
  return turned_down;
}

namespace {

/// Not with partition counts that topics had before.
bool wants_topics(const topology_plan& topology) {
  return topology.configured && !topology.configured->topics_to_create.empty() && !topology.is_outdated;
}

checked<heartbeat_outcome> join_or_stay(const call& c, soft_update& kept_on_refusal) {
  const auto owned = owned_by(c.request);
  auto member = admit(c, owned);  // S1, S2
  if (!member) return tl::unexpected(std::move(member.error()));
  const auto& before = member->before();
  auto change = merge_member(c, before);  // S3
  if (!change) return tl::unexpected(std::move(change.error()));
  auto topology = settle_topology(c, *member, change->after(before), owned);  // S4 to S6
  if (!topology) return tl::unexpected(std::move(topology.error()));
  auto offsets = offsets_in(c.request.task_offsets);  // S7
  if (!offsets) return tl::unexpected(std::move(offsets.error()));
  auto end_offsets = offsets_in(c.request.task_end_offsets);
  if (!end_offsets) return tl::unexpected(std::move(end_offsets.error()));

  const membership members{.group = c.group,
                           .member_id = c.request.member_id,
                           .metadata = &change->after(before),
                           .current = &member->starting_point(),
                           .replaced_id = member->replaced_id,
                           .switches_topology = member->switches_topology(),
                           .offsets = *offsets ? &**offsets : nullptr,
                           .end_offsets = *end_offsets ? &**end_offsets : nullptr};
  auto epoch = decide_epoch(c, *member, *change, *topology);  // S8
  const auto refined = refine_further(c, members, *topology, epoch);
  auto target = settle_target(c, members, {.topology = *topology, .epoch = epoch, .refined = refined});  // S9, S10
  if (!target) return tl::unexpected(std::move(target.error()));
  std::optional<current_assignment> next;
  decisions made{.member = *member,
                 .change = *change,
                 .topology = *topology,
                 .target = *target,
                 .owned = owned,
                 .reconciled = next};
  auto reconciled = reconcile_member(c, made);  // S11
  if (!reconciled) return tl::unexpected(std::move(reconciled.error()));
  next = std::move(*reconciled);
  made.bumps_endpoint_epoch =
      change->endpoint_changed || (made.changes_assigned() && change->after(before).user_endpoint);
  heartbeat_outcome outcome;
  outcome.soft = soft_changes(c, made, epoch);  // S12
  keep_interim(refined, *target, c.group.soft, outcome.soft);
  if (c.keeps_soft_state() && !replaces_itself(c, *member)) {
    if (*offsets) outcome.soft.offsets = std::move(**offsets);
    if (*end_offsets) outcome.soft.end_offsets = std::move(**end_offsets);
  }
  kept_on_refusal = restarted_session(c);
  auto response = answer(c, made);  // S13
  if (!response) return tl::unexpected(std::move(response.error()));
  outcome.answer = std::move(*response);
  if (asks_for_description(c, *topology)) {
    outcome.answer.topology_description_required = true;
    outcome.soft.description = after_asking(c.group, c.world.now_ms);
  }
  outcome.records = write_records(c, made, epoch);
  outcome.events = events_of(epoch, *target, c);
  if (wants_topics(*topology)) {
    outcome.missing_internal_topics = topology->configured;
  }
  return outcome;
}

/// G13b comes first: a report that cannot be read must not release anything.
checked<std::optional<current_assignment>> reconcile_member(const call& c, const decisions& made) {
  const auto& before = made.member.before();
  const auto& start = made.member.starting_point();
  if (is_reconciled(start, made.target.epoch)) return made.member.fresh_start;
  if (made.owned && made.owned->repeats_subtopology) {
    return refuse_malformed(c, protocol::error_code::invalid_request, "Owned tasks name a subtopology twice.");
  }
  const bool keeps_tasks = made.topology.is_stale && !c.world.strict_kafka;  // 11.3: nothing less and nothing more
  const auto kept = keeps_tasks ? without_epochs(start.assigned) : role_tasks();
  std::optional<holders> by_others;
  if (made.member.switches_topology()) by_others = held_by_others(c, made.member);
  const auto foreign = claims_of_others(c, made);
  auto next = reconcile({.current = start,
                         .process_id = made.change.after(before).process_id,
                         .target = keeps_tasks ? kept : made.target.tasks(),
                         .target_epoch = made.target.epoch,
                         .owned = made.owned,
                         .held = by_others ? *by_others : c.group.held,
                         .foreign = foreign ? &*foreign : nullptr});
  if (next && !*next) return made.member.fresh_start;
  return next;
}

/// Without what the member had in its former life.
holders held_by_others(const call& c, const admitted& member) {
  const auto id = member.replaced_id != nullptr ? std::string_view(*member.replaced_id) : c.request.member_id.view();
  const auto& stored = c.group.members.find(id)->second;
  auto held = c.group.held;
  if (is_exclusive(held)) release(held, stored.metadata.process_id, stored.current);
  return held;
}

/// Nothing where all run the same topology, which is the rule.
std::optional<foreign_claims> claims_of_others(const call& c, const decisions& made) {
  const auto* own = topology_after(c, made.topology);
  if (c.world.strict_kafka || own == nullptr || made.topology.is_stale) return std::nullopt;
  if (is_only_version(c.group, own->epoch)) return std::nullopt;
  return std::optional<foreign_claims>(std::in_place, c.group, *own, c.request.member_id.view(),
                                       made.member.replaced_id);
}

// Kafka remembers soft state first and applies the records then: the tombstones of a replaced static member take with
// them what was just reported under the same id and, if it was the last member, the wish to shut down.
bool replaces_itself(const call& c, const admitted& member) {
  return member.replaced_id != nullptr && c.request.member_id == *member.replaced_id;
}
bool empties_group(const call& c, const admitted& member) {
  return member.replaced_id != nullptr && c.group.members.size() == 1;
}

/// Spec 01, 5.7. The join that brings the topology does not ask yet: the next heartbeat does.
bool asks_for_description(const call& c, const topology_plan& topology) {
  return c.world.keeps_descriptions && c.context.version >= 1 && !topology.is_stale &&
         wants_description(c.group, c.world.now_ms);
}

soft_update restarted_session(const call& c) {
  soft_update soft;
  soft.member_id = c.request.member_id;
  soft.heard_ms = c.world.now_ms;
  soft.session_deadline_ms = c.world.now_ms + c.world.config.session_timeout_ms;
  return soft;
}

/// A static member that was away is back when most of its time was over.
std::optional<near_miss> late_return(const call& c, const admitted& member) {
  if (member.replaced_id == nullptr) return std::nullopt;
  const auto soft = c.group.soft.members.find(*member.replaced_id);
  if (soft == c.group.soft.members.end() || !soft->second.session_deadline_ms) return std::nullopt;
  return near_miss_of(near_miss::kind::late_return, c.request.member_id, c.world.now_ms,
                      *soft->second.session_deadline_ms - c.world.now_ms, c.world.config.session_timeout_ms);
}

/// 2^31 - 1 ms: until the metadata changes (spec 02, 8.5).
constexpr std::int64_t refresh_interval_ms = 2'147'483'647;

void keep_topology(const topology_plan& topology, soft_update& soft) {
  soft.former = topology.former;
  if (topology.is_reconfigured) soft.configured = topology.configured;
  soft.matches = topology.matches;
}

/// Hash and configuration are those of the topics there are now, and of the epoch.
bool has_latest_topics(const topology_plan& topology, const epoch_plan& epoch) {
  return !topology.is_outdated && (epoch.is_bumped() || topology.is_refreshed);
}

soft_update soft_changes(const call& c, const decisions& made, const epoch_plan& epoch) {
  auto soft = restarted_session(c);
  soft.near_miss_seen = late_return(c, made.member);
  if (made.reconciled && made.reconciled->state == member_state::unrevoked_tasks) {
    soft.rebalance_deadline_ms = c.world.now_ms + made.change.after(made.member.before()).rebalance_timeout_ms;
    soft.rebalance_epoch = made.reconciled->member_epoch;
  } else if (made.reconciled) {
    soft.cancel_rebalance = true;
  }
  soft.initial_delay_deadline_ms = made.target.initial_delay_deadline_ms;
  soft.cancel_initial_delay = made.target.cancel_initial_delay;
  if (made.owned) soft.names_active = !made.owned->tasks.active.empty();
  if (!c.keeps_soft_state()) return soft;

  // The heartbeat that starts from nothing tells its endpoints as those of epoch 0 (X3).
  soft.bump_endpoint_epoch = made.bumps_endpoint_epoch && !c.starts_from_nothing();
  if (c.request.shutdown_application && !c.group.soft.shutdown_requester && !empties_group(c, made.member)) {
    soft.shutdown_requester = c.request.member_id.str();
  }
  keep_topology(made.topology, soft);
  if (has_latest_topics(made.topology, epoch)) {
    soft.refresh_deadline_ms = c.world.now_ms + refresh_interval_ms;
    soft.refresh_epoch = epoch.epoch;
  }
  return soft;
}

/// Which step is in force from now on, and whether there is something it has not been checked against.
void keep_interim(const refinement& refined, const target_plan& target, const soft_state& before, soft_update& soft) {
  const auto& next = target.computed ? target.computed->interim : refined.interim;
  const bool has_news = target.computed ? next != nullptr : refined.has_news;
  if (next != before.interim) soft.interim = next;
  if (has_news != before.interim_has_news) soft.interim_has_news = has_news;
}

std::vector<event> events_of(epoch_plan& epoch, target_plan& target, const call& c) {
  std::vector<event> events;
  if (epoch.explanation) {
    epoch.explanation->assignment_epoch = target.computed   ? target.computed->info.assignment_epoch
                                          : target.stepped ? target.stepped->assignment_epoch
                                                           : c.group.target_info.assignment_epoch;
    events.push_back(std::move(*epoch.explanation));
  }
  if (target.computed) events.push_back(std::move(target.computed->explanation));
  return events;
}

}  // namespace
}  // namespace weir::group
