#include "group/heartbeat/decide_epoch.hpp"

#include <string>

namespace weir::group {
namespace {

struct reason {
  cause why;
  std::string detail;
};

std::vector<reason> reasons_to_bump(const call& c, const admitted& member, const member_change& change,
                                    const topology_plan& topology);
std::string in_words(const std::map<std::string, std::string>& configs);

}  // namespace

epoch_plan decide_epoch(const call& c, const admitted& member, const member_change& change,
                        const topology_plan& topology) {
  const auto& stored = c.group.metadata;
  const bool validity_changed = topology.validated_epoch() != stored.validated_topology_epoch;
  const bool hash_changed = topology.metadata_hash != stored.metadata_hash;
  epoch_plan plan{.epoch = stored.epoch, .written = {}, .explanation = {}};
  const bool changes = change.needs_epoch || topology.is_update || hash_changed || validity_changed;
  if (!changes && c.world.config.matches(stored.assignment_configs)) {
    return plan;
  }
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

/// A topology update (spec 01, 11.3) and B1 to B5, those that hold, in this order.
std::vector<reason> reasons_to_bump(const call& c, const admitted& member, const member_change& change,
                                    const topology_plan& topology) {
  const auto& stored = c.group.metadata;
  std::vector<reason> reasons;
  if (topology.is_update) {
    reasons.push_back({cause::topology_updated, "topology epoch " + std::to_string(c.group.topology->epoch) + " -> " +
                                                    std::to_string(topology.initialised->epoch)});
  }
  if (change.needs_epoch && member.is_new()) reasons.push_back({cause::member_joined, "new member"});
  if (change.needs_epoch && !member.is_new()) {
    reasons.push_back({cause::member_changed, differences(member.before().metadata, change.after(member.before()))});
  }
  if (topology.metadata_hash != stored.metadata_hash) {
    reasons.push_back({cause::metadata_changed, "metadata hash " + std::to_string(stored.metadata_hash) + " -> " +
                                                    std::to_string(topology.metadata_hash)});
  }
  if (const auto validated = topology.validated_epoch(); validated != stored.validated_topology_epoch) {
    auto detail = "validated topology epoch " + std::to_string(stored.validated_topology_epoch) + " -> " +
                  std::to_string(validated);
    if (topology.configured && topology.configured->problem) detail += ", " + topology.configured->problem->detail;
    reasons.push_back({validated == -1 ? cause::topology_not_ready : cause::topology_ready, std::move(detail)});
  }
  if (!c.world.config.matches(stored.assignment_configs)) {
    reasons.push_back({cause::assignment_config_changed, in_words(stored.assignment_configs) + " -> " +
                                                             in_words(c.world.config.assignment_configs())});
  }
  return reasons;
}

std::string in_words(const std::map<std::string, std::string>& configs) {
  std::string words;
  for (const auto& [key, value] : configs) words += (words.empty() ? "" : ",") + key + "=" + value;
  return words.empty() ? "none" : words;
}

}  // namespace
}  // namespace weir::group
