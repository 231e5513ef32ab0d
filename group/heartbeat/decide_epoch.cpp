#include "group/heartbeat/decide_epoch.hpp"

#include <map>
#include <string>
#include <utility>

namespace weir::group {
namespace {

struct reason {
  cause why;
  std::string detail;
  std::vector<field_change> changes;
};

std::vector<reason> reasons_to_bump(const call& c, const admitted& member, const member_change& change,
                                    const topology_plan& topology);
std::string configs_in_words(const std::map<std::string, std::string>& configs);

}  // namespace

epoch_plan decide_epoch(const call& c, const admitted& member, const member_change& change,
                        const topology_plan& topology) {
  const auto& stored = c.group.metadata;
  const bool validity_changed = topology.validated_epoch() != stored.validated_topology_epoch;
  const bool hash_changed = topology.metadata_hash != stored.metadata_hash;
  epoch_plan plan{.epoch = stored.epoch, .written = {}, .explanation = {}};
  const bool is_due = change.needs_epoch || topology.is_update || hash_changed || validity_changed;
  if (!is_due && c.world.config.matches(stored.assignment_configs)) return plan;
  plan.epoch = stored.epoch + 1;
  plan.written = stored;
  plan.written->epoch = plan.epoch;
  plan.written->metadata_hash = topology.metadata_hash;
  plan.written->validated_topology_epoch = topology.validated_epoch();
  plan.written->assignment_configs = c.world.config.assignment_configs();

  const auto reasons = reasons_to_bump(c, member, change, topology);
  plan.explanation =
      event_about(reasons.front().why, c.request.member_id, change.after(member.before()), c.world.now_ms);
  plan.explanation->group_epoch = plan.epoch;
  for (const auto& r : reasons) {
    if (!plan.explanation->detail.empty()) plan.explanation->detail += "; ";
    if (&r != &reasons.front()) plan.explanation->detail += std::string(name(r.why)) + ": ";
    plan.explanation->detail += r.detail;
    auto& changes = plan.explanation->changes;
    changes.insert(changes.end(), r.changes.begin(), r.changes.end());
    if (changes.size() > changes_max) changes.resize(changes_max);
  }
  return plan;
}

event event_about(cause why, std::string_view member_id, const member_metadata& member, std::int64_t now_ms) {
  event e;
  e.time_ms = now_ms;
  e.why = why;
  e.member_id = member_id;
  e.process_id = member.process_id;
  e.client_id = member.client_id;
  e.client_host = member.client_host;
  return e;
}

namespace {

std::vector<field_change> changed_tasks(const configured_topology* before, const configured_topology* after);
std::vector<field_change> changed_configs(const std::map<std::string, std::string>& before,
                                          const std::map<std::string, std::string>& after);

/// A topology update (spec 01, 11.3) and B1 to B5, those that hold, in this order.
std::vector<reason> reasons_to_bump(const call& c, const admitted& member, const member_change& change,
                                    const topology_plan& topology) {
  const auto& stored = c.group.metadata;
  std::vector<reason> reasons;
  if (topology.is_update) {
    std::vector<field_change> changes = {{"topology epoch", std::to_string(c.group.topology->epoch),
                                          std::to_string(topology.initialised->epoch)}};
    reasons.push_back({cause::topology_updated, in_words(changes), std::move(changes)});
  }
  if (change.needs_epoch && member.is_new()) reasons.push_back({cause::member_joined, "new member", {}});
  if (change.needs_epoch && !member.is_new()) {
    auto changes = differences(member.before().metadata, change.after(member.before()));
    reasons.push_back({cause::member_changed, in_words(changes), std::move(changes)});
  }
  if (topology.metadata_hash != stored.metadata_hash) {
    std::vector<field_change> changes = {
        {"metadata hash", std::to_string(stored.metadata_hash), std::to_string(topology.metadata_hash)}};
    const auto tasks = changed_tasks(c.group.soft.configured.get(), topology.configured.get());
    changes.insert(changes.end(), tasks.begin(), tasks.end());
    reasons.push_back({cause::metadata_changed, in_words(changes), std::move(changes)});
  }
  if (const auto validated = topology.validated_epoch(); validated != stored.validated_topology_epoch) {
    std::vector<field_change> changes = {{"validated topology epoch", std::to_string(stored.validated_topology_epoch),
                                          std::to_string(validated)}};
    auto detail = in_words(changes);
    if (topology.configured && topology.configured->problem) detail += ", " + topology.configured->problem->detail;
    reasons.push_back({validated == -1 ? cause::topology_not_ready : cause::topology_ready, std::move(detail),
                       std::move(changes)});
  }
  if (!c.world.config.matches(stored.assignment_configs)) {
    const auto configs = c.world.config.assignment_configs();
    reasons.push_back({cause::assignment_config_changed,
                       configs_in_words(stored.assignment_configs) + " -> " + configs_in_words(configs),
                       changed_configs(stored.assignment_configs, configs)});
  }
  return reasons;
}

/// Of what both know how many tasks it has.
std::vector<field_change> changed_tasks(const configured_topology* before, const configured_topology* after) {
  std::vector<field_change> changes;
  if (before == nullptr || after == nullptr || !before->subtopologies || !after->subtopologies) return changes;
  for (const auto& [id, now] : *after->subtopologies) {
    const auto was = before->subtopologies->find(id);
    if (was == before->subtopologies->end() || was->second.tasks == now.tasks) continue;
    changes.push_back({"tasks of subtopology " + id, std::to_string(was->second.tasks), std::to_string(now.tasks)});
  }
  return changes;
}

std::vector<field_change> changed_configs(const std::map<std::string, std::string>& before,
                                          const std::map<std::string, std::string>& after) {
  std::vector<field_change> changes;
  for (const auto& [key, value] : after) {
    const auto was = before.find(key);
    if (was != before.end() && was->second == value) continue;
    changes.push_back({key, was == before.end() ? "none" : was->second, value});
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) changes.push_back({key, value, "none"});
  }
  return changes;
}

std::string configs_in_words(const std::map<std::string, std::string>& configs) {
  std::string words;
  for (const auto& [key, value] : configs) words += (words.empty() ? "" : ",") + key + "=" + value;
  return words.empty() ? "none" : words;
}

}  // namespace
}  // namespace weir::group
