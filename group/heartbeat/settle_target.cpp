#include "group/heartbeat/settle_target.hpp"

#include <algorithm>
#include <charconv>
#include <deque>

#include "assignor/plan_diff.hpp"
#include "assignor/validate.hpp"

namespace weir::group {
namespace {

bool is_initial_delay_running(const call& c, target_plan& plan);
const role_tasks* stored_target(const membership& members, std::string_view id);
const assignor::assignor& choose_assignor(const world& world);

/// The assignor's input and what it borrows.
struct assignor_input {
  struct owned_part {
    task_set active;
    assignor::tag_map tags;
  };
  assignor::group_input input;
  std::deque<owned_part> parts;  // elements stay where they are
  /// Members that get nothing: their topology is older than the group's, they have no task, and others can take them.
  std::vector<std::string_view> idle;
};
void add_members(const membership& members, assignor_input& to);
void leave_out_stale(const membership& members, std::int32_t topology_epoch, assignor_input& from);
void add_subtopologies(const configured_topology* configured, assignor_input& to);
void add_configs(const std::map<std::string, std::string>& configs, assignor_input& to);
checked<assignor::plan> make_plan(const assignor::assignor& chosen, const target_basis& basis,
                                  const assignor_input& input);
void keep_changes(const membership& members, assignor::plan plan, computed_target& target);
void explain(const assignor::group_input& input, const assignor::plan& plan, event& e);

}  // namespace

const role_tasks& target_plan::tasks() const noexcept {
  static const role_tasks none;
  if (postponed == postponement::initial_delay) return none;
  return stored == nullptr ? tasks_of_new : *stored;
}

checked<target_plan> settle_target(const call& c, const membership& members, const topology_plan& topology,
                                   const epoch_plan& epoch) {
  const auto& group = c.group;
  target_plan plan;
  plan.epoch = group.target_info.assignment_epoch;
  plan.stored = stored_target(members, c.request.member_id);
  if (is_initial_delay_running(c, plan)) {  // T1
    plan.postponed = postponement::initial_delay;
    return plan;
  }
  if (group.target_info.assignment_epoch >= epoch.epoch) return plan;  // T2
  // T3, a refinement step, has its place here: the shipped refiner derives the target unchanged (7.6).
  if (is_within_interval(group, c.world)) {  // T4
    plan.postponed = postponement::assignment_interval;
    return plan;
  }
  const auto& configs = epoch.written ? epoch.written->assignment_configs : group.metadata.assignment_configs;
  auto computed = compute_target(
      members, {.configured = topology.configured.get(), .assignment_configs = configs, .group_epoch = epoch.epoch},
      c.world);  // T5
  if (!computed) return tl::unexpected(computed.error());
  plan.epoch = epoch.epoch;
  if (auto mine = computed->changed.find(c.request.member_id.view()); mine != computed->changed.end()) {
    plan.tasks_of_new = mine->second;
    plan.stored = nullptr;
  }
  plan.computed = std::move(*computed);
  return plan;
}

checked<computed_target> compute_target(const membership& members, const target_basis& basis, const world& world) {
  const auto& chosen = choose_assignor(world);
  assignor_input input;
  add_members(members, input);
  if (!world.strict_kafka && basis.configured != nullptr) {
    leave_out_stale(members, basis.configured->topology_epoch, input);
  }
  add_subtopologies(basis.configured, input);
  add_configs(basis.assignment_configs, input);
  auto plan = make_plan(chosen, basis, input);
  if (!plan) return tl::unexpected(plan.error());
  for (const auto id : input.idle) plan->try_emplace(std::string(id));

  computed_target target;
  target.info = {.assignment_epoch = basis.group_epoch, .assignment_timestamp_ms = world.now_ms};
  target.explanation.time_ms = world.now_ms;
  target.explanation.why = cause::target_computed;
  target.explanation.group_epoch = basis.group_epoch;
  target.explanation.assignment_epoch = basis.group_epoch;
  target.explanation.assignor = chosen.name();
  explain(input.input, *plan, target.explanation);
  keep_changes(members, std::move(*plan), target);
  return target;
}

bool is_within_interval(const streams_group& group, const world& world) noexcept {
  const auto computed_ms = group.target_info.assignment_timestamp_ms;
  const auto interval_ms = world.config.assignment_interval_ms;
  return computed_ms != 0 && interval_ms != 0 && world.now_ms < computed_ms + interval_ms;
}

namespace {

/// S9 and the test of T1. A timer whose time has passed no longer delays, even if its wake-up has not come yet.
bool is_initial_delay_running(const call& c, target_plan& plan) {
  const auto now_ms = c.world.now_ms;
  const auto pending = c.group.soft.initial_delay_deadline_ms;
  if (pending && *pending > now_ms) return true;
  const bool was_empty = c.group.members.empty();
  if (was_empty && c.world.config.initial_rebalance_delay_ms > 0) {
    plan.initial_delay_deadline_ms = now_ms + c.world.config.initial_rebalance_delay_ms;
    return true;
  }
  plan.cancel_initial_delay = pending.has_value();
  return false;
}

/// The stored target with this heartbeat's replacement applied.
const role_tasks* stored_target(const membership& members, std::string_view id) {
  const auto& targets = members.group.targets;
  const bool moved_here = members.replaced_id != nullptr && id == members.member_id;
  auto found = targets.find(moved_here ? std::string_view(*members.replaced_id) : id);
  return found == targets.end() ? nullptr : &found->second;
}

/// 7.4: the group's choice if it is registered, else the broker's first.
const assignor::assignor& choose_assignor(const world& world) {
  if (world.config.assignor_name.empty()) return world.assignors.standard();
  auto found = world.assignors.find(world.config.assignor_name);
  return found ? **found : world.assignors.standard();
}

void add_member(std::string_view id, const member_metadata& metadata, const current_assignment& current,
                const member_soft* soft, assignor_input& to) {
  auto& part = to.parts.emplace_back();
  part.active = without_epochs(current.assigned.active);
  part.tags.insert(metadata.client_tags.begin(), metadata.client_tags.end());
  to.input.members.push_back({
      .member_id = id,
      .instance_id = metadata.instance_id,
      .rack_id = metadata.rack_id,
      .process_id = metadata.process_id,
      .client_tags = &part.tags,
      .active = &part.active,
      .standby = &current.assigned.standby,
      .warmup = &current.assigned.warmup,
      .task_offsets = soft == nullptr ? nullptr : &soft->offsets,
      .task_end_offsets = soft == nullptr ? nullptr : &soft->end_offsets,
  });
}

void add_members(const membership& members, assignor_input& to) {
  const auto& group = members.group;
  const auto soft_of = [&](std::string_view id) -> const member_soft* {
    auto found = group.soft.members.find(id);
    return found == group.soft.members.end() ? nullptr : &found->second;
  };
  const auto add_caller = [&] {
    if (members.metadata == nullptr) return;
    add_member(members.member_id, *members.metadata, *members.current, soft_of(members.member_id), to);
  };
  bool is_stored = false;
  for (const auto& [id, member] : group.members) {
    if (id == members.member_id) {
      is_stored = true;
      add_caller();
    } else if (members.replaced_id == nullptr || id != *members.replaced_id) {
      add_member(id, member.metadata, member.current, soft_of(id), to);
    }
  }
  if (!is_stored) add_caller();  // a newcomer comes last: Kafka visits members of one hash bucket in this order
}

const member_metadata& metadata_of(const membership& members, std::string_view id) {
  if (members.metadata != nullptr && id == members.member_id) return *members.metadata;
  return members.group.members.find(id)->second.metadata;
}

void leave_out_stale(const membership& members, std::int32_t topology_epoch, assignor_input& from) {
  const auto is_stale = [&](const assignor::member_input& m) {
    return metadata_of(members, m.member_id).topology_epoch < topology_epoch;
  };
  auto& all = from.input.members;
  if (std::ranges::all_of(all, is_stale)) return;
  for (const auto& m : all) {
    if (is_stale(m) && m.active->empty()) from.idle.push_back(m.member_id);
  }
  std::erase_if(all, [&](const auto& m) { return is_stale(m) && m.active->empty(); });
}

void add_subtopologies(const configured_topology* configured, assignor_input& to) {
  if (configured == nullptr || !configured->ready()) return;
  for (const auto& [id, part] : *configured->subtopologies) {
    to.input.subtopologies.push_back({.id = id, .tasks = part.tasks, .stateful = part.stateful()});
  }
}

/// The values recorded with the group epoch, so that a wake-up decides from what the last bump decided from.
void add_configs(const std::map<std::string, std::string>& configs, assignor_input& to) {
  if (auto standbys = configs.find("num.standby.replicas"); standbys != configs.end()) {
    const auto& digits = standbys->second;
    std::from_chars(digits.data(), digits.data() + digits.size(), to.input.standby_replicas);
  }
  auto tags = configs.find("rack.aware.assignment.tags");
  if (tags == configs.end()) return;
  for (std::string_view rest = tags->second; !rest.empty();) {
    const auto comma = rest.find(',');
    to.input.rack_aware_tags.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
}

checked<assignor::plan> make_plan(const assignor::assignor& chosen, const target_basis& basis,
                                  const assignor_input& input) {
  if (basis.configured == nullptr || !basis.configured->ready()) {
    assignor::plan nothing;
    for (const auto& member : input.input.members) nothing.try_emplace(std::string(member.member_id));
    return nothing;
  }
  auto plan = assignor::checked_assign(chosen, input.input);
  if (!plan) return refuse(protocol::error_code::unknown_server_error, plan.error().message);
  return std::move(*plan);
}

/// Spec 04, 6: a member without stored target always gets a record.
void keep_changes(const membership& members, assignor::plan plan, computed_target& target) {
  for (auto& [id, part] : plan) {
    role_tasks tasks{.active = std::move(part.active), .standby = std::move(part.standby), .warmup = {}};
    const auto* stored = stored_target(members, id);
    if (stored == nullptr || *stored != tasks) target.changed.try_emplace(id, std::move(tasks));
  }
}

void explain(const assignor::group_input& input, const assignor::plan& plan, event& e) {
  std::size_t tasks = 0;
  for (const auto& [id, part] : plan) tasks += count(part.active);
  std::int32_t had_none = 0;
  for (const auto& move : assignor::diff(assignor::current_plan(input), plan)) {
    if (move.role != assignor::task_role::active) continue;
    ++e.tasks_moved;
    if (move.from_member.empty()) ++had_none;
  }
  e.detail = std::to_string(tasks) + " tasks over " + std::to_string(input.members.size()) + " members; " +
             std::to_string(e.tasks_moved) + " get another active member, " + std::to_string(had_none) +
             " of them had none";
}

}  // namespace
}  // namespace weir::group
