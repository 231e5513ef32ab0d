#include "group/heartbeat/settle_topology.hpp"

#include <algorithm>
#include <set>

namespace weir::group {
namespace {

std::optional<refusal> initialise_or_compare(const call& c, topology_plan& plan);
std::optional<refusal> refresh(const call& c, topology_plan& plan);
std::optional<refusal> check_owned(const configured_topology& configured, const heartbeat_request& request);

}  // namespace

checked<topology_plan> settle_topology(const call& c, const member_metadata& member,
                                       const std::optional<owned_report>& owned) {
  topology_plan plan;
  if (c.request.topology) {
    if (auto bad = initialise_or_compare(c, plan)) return tl::unexpected(*bad);
  }
  plan.is_stale = c.group.topology && member.topology_epoch < c.group.topology->epoch;
  if (auto bad = refresh(c, plan)) return tl::unexpected(*bad);
  if (owned && plan.is_ready()) {
    if (auto bad = check_owned(*plan.configured, c.request)) return tl::unexpected(*bad);
  }
  return plan;
}

namespace {

/// What no topology may be, whatever the group has (G9).
std::optional<refusal> check_identity(const call& c, const topology& sent) {
  using protocol::error_code;
  const auto malformed = [&](std::string why) {
    return refuse_malformed(c, error_code::streams_invalid_topology, std::move(why)).value();
  };
  if (sent.epoch < 0) return malformed("Topology epoch " + std::to_string(sent.epoch) + " is negative.");
  std::set<std::string_view> ids;
  for (const auto& part : sent.subtopologies) {
    if (!ids.insert(part.id).second) return malformed("Subtopology " + part.id + " is there twice.");
  }
  return std::nullopt;
}

/// Spec 01, 4.2.
std::optional<refusal> initialise_or_compare(const call& c, topology_plan& plan) {
  using protocol::error_code;
  auto sent = topology_in(*c.request.topology);
  if (auto bad = check_identity(c, sent)) return bad;
  if (!c.group.topology) {
    plan.initialised = std::move(sent);
    return std::nullopt;
  }
  const auto& known = *c.group.topology;
  if (sent.epoch < known.epoch) return std::nullopt;
  if (sent.epoch > known.epoch) {
    return refusal{error_code::invalid_request, "Topology updates are not supported: the group is at topology epoch " +
                                                    std::to_string(known.epoch) + ", the member at " +
                                                    std::to_string(sent.epoch) + "."};
  }
  if (c.world.strict_kafka ? equal_by_id(sent, known) : equivalent(sent, known)) return std::nullopt;
  return refusal{c.world.strict_kafka ? error_code::invalid_request : error_code::streams_invalid_topology_epoch,
                 "The topology differs from the group's of the same epoch " + std::to_string(known.epoch) + "."};
}

bool is_expired(const call& c) {
  const auto& soft = c.group.soft;
  return c.world.now_ms >= soft.refresh_deadline_ms || c.group.metadata.epoch < soft.refresh_epoch;
}

const topology* known_topology(const call& c, const topology_plan& plan) {
  if (plan.initialised) return &*plan.initialised;
  return c.group.topology ? &*c.group.topology : nullptr;
}

/// Spec 01, 4.4 and spec 02, 8.5: hash and configuration are kept until something says they may have changed.
std::optional<refusal> refresh(const call& c, topology_plan& plan) {
  plan.metadata_hash = c.group.metadata.metadata_hash;
  plan.configured = c.group.soft.configured;
  const topology* known = known_topology(c, plan);
  if (known == nullptr) return std::nullopt;
  const bool is_configured = !plan.initialised && plan.configured;
  if (is_configured && !is_expired(c)) return std::nullopt;

  plan.is_refreshed = true;
  plan.metadata_hash = plan.initialised ? c.world.hashes.group_hash(c.world.image, required_topics(*known))
                                        : c.world.hashes.group_hash(c.world.image, c.group.required_topics);
  if (is_configured && plan.metadata_hash == c.group.metadata.metadata_hash) return std::nullopt;

  auto configured = configure(*known, c.world.image, plan.metadata_hash, {.strict_kafka = c.world.strict_kafka});
  if (!configured) return configured.error();
  plan.configured = std::make_shared<const configured_topology>(std::move(*configured));
  plan.is_reconfigured = true;
  return std::nullopt;
}

/// G11. The request as it came: an entry without partitions is checked, too.
std::optional<refusal> check_owned(const configured_topology& configured, const heartbeat_request& request) {
  for (const auto* list : {&request.active_tasks, &request.standby_tasks, &request.warmup_tasks}) {
    for (const auto& owned : **list) {
      const auto id = owned.subtopology_id.view();
      auto known = configured.subtopologies->find(id);
      if (known == configured.subtopologies->end()) {
        return refusal{protocol::error_code::invalid_request,
                       "Owned tasks name the unknown subtopology " + std::string(id) + "."};
      }
      const auto tasks = known->second.tasks;
      if (std::ranges::all_of(owned.partitions, [&](auto partition) { return partition >= 0 && partition < tasks; })) {
        continue;
      }
      return refusal{protocol::error_code::invalid_request, "Owned tasks of subtopology " + std::string(id) +
                                                                " are not all below " + std::to_string(tasks) + "."};
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace weir::group
