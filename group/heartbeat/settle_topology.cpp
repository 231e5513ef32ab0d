#include "group/heartbeat/settle_topology.hpp"

#include <algorithm>
#include <set>

#include "group/topology/patterns.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

std::optional<refusal> initialise_or_compare(const call& c, topology_plan& plan);
bool go_back(const call& c, const admitted& member, std::int32_t epoch, topology_plan& plan);
std::optional<refusal> refresh(const call& c, topology_plan& plan);
const current_assignment* given_to(const call& c, const admitted& member);
std::optional<refusal> check_owned(const configured_topology& configured, const heartbeat_request& request,
                                   const current_assignment* given);

}  // namespace

checked<topology_plan> settle_topology(const call& c, const admitted& member, const member_metadata& metadata,
                                       const std::optional<owned_report>& owned) {
  topology_plan plan;
  if (c.request.topology) {
    if (auto refused = initialise_or_compare(c, plan)) return tl::unexpected(*refused);
  }
  const bool went_back = go_back(c, member, metadata.topology_epoch, plan);
  auto bad = refresh(c, plan);
  if (bad && went_back) {  // better no way back than a heartbeat that is refused
    plan.initialised.reset();
    plan.is_update = plan.goes_back = false;
    plan.is_refreshed = false;
    plan.matches = nullptr;
    bad = refresh(c, plan);
  }
  if (bad) return tl::unexpected(*bad);
  const auto* known = topology_after(c, plan);
  plan.is_stale = known != nullptr && metadata.topology_epoch < known->epoch;
  const bool has_own_ids = plan.is_stale && !c.world.strict_kafka;
  if (owned && plan.is_ready() && !has_own_ids) {
    if (auto refused = check_owned(*plan.configured, c.request, given_to(c, member))) return tl::unexpected(*refused);
  }
  return plan;
}

const topology* topology_after(const call& c, const topology_plan& plan) {
  if (plan.initialised) return &*plan.initialised;
  return c.group.topology ? &*c.group.topology : nullptr;
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

refusal still_trying() {
  return {protocol::error_code::coordinator_load_in_progress,
          "The patterns of source topics are being tried on the topics there are."};
}

/// Of a topology that the group does not have. They are kept if there was time for all topics.
checked<pattern_matches_ptr> match_other(const call& c, const topology& other, const pattern_matches* known,
                                         bool is_new) {
  if (!reads_patterns(other)) return nullptr;
  match_meter meter(c.world.patterns.limit);
  auto matches = match_patterns(other, c.world.image, known, is_new, meter);
  if (!matches) return tl::unexpected(std::move(matches.error()));
  if ((*matches)->unseen > 0) return tl::unexpected(still_trying());
  return *std::move(matches);
}

/// An older topology is accepted, and remembered: it says what its members' tasks work on.
std::optional<refusal> take_older(const call& c, topology&& sent, topology_plan& plan) {
  const auto* known = version_of(c.group, sent.epoch);
  if (known != nullptr && count_of_version(c.group, sent.epoch) > 0) {
    if (equivalent(sent, *known)) return std::nullopt;
    return refusal{protocol::error_code::streams_invalid_topology_epoch,
                   "The topology differs from that of members of the same epoch " + std::to_string(sent.epoch) +
                       "."};
  }
  if (c.world.patterns.are_sent_pending) return still_trying();
  auto matches = match_other(c, sent, c.world.patterns.sent.get(), false);
  if (!matches) return std::move(matches.error());
  plan.former.matches = *std::move(matches);
  plan.former.topology = std::make_shared<const topology>(std::move(sent));
  return std::nullopt;
}

/// 11.3: the next epoch replaces the group's topology, with other content or the same.
std::optional<refusal> take_newer(const call& c, topology&& sent, topology_plan& plan) {
  using protocol::error_code;
  const auto& known = *c.group.topology;
  const auto told = ": the group is at topology epoch " + std::to_string(known.epoch) + ", the member at " +
                    std::to_string(sent.epoch) + ".";
  if (c.world.strict_kafka) return refusal{error_code::invalid_request, "Topology updates are not supported" + told};
  if (sent.epoch - 1 != known.epoch) {
    return refusal{error_code::streams_invalid_topology_epoch, "A topology update goes to the next epoch" + told};
  }
  plan.former = {.topology = std::make_shared<const topology>(known), .matches = c.group.soft.matches};
  plan.initialised = std::move(sent);
  plan.is_update = true;
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
  if (sent.epoch < known.epoch) return c.world.strict_kafka ? std::nullopt : take_older(c, std::move(sent), plan);
  if (sent.epoch > known.epoch) return take_newer(c, std::move(sent), plan);
  if (c.world.strict_kafka ? equal_by_id(sent, known) : equivalent(sent, known)) return std::nullopt;
  return refusal{c.world.strict_kafka ? error_code::invalid_request : error_code::streams_invalid_topology_epoch,
                 "The topology differs from the group's of the same epoch " + std::to_string(known.epoch) + "."};
}

/// All members run that version, but for the one that asks and the one it replaces.
bool do_others_run(const call& c, const admitted& member, std::int32_t epoch) {
  auto others = c.group.members.size();
  auto running = count_of_version(c.group, epoch);
  const auto leave_out = [&](std::string_view id) {
    const auto found = c.group.members.find(id);
    if (found == c.group.members.end()) return;
    --others;
    if (found->second.metadata.topology_epoch == epoch) --running;
  };
  leave_out(c.request.member_id.view());
  if (member.replaced_id != nullptr && c.request.member_id != *member.replaced_id) leave_out(*member.replaced_id);
  return running == others;
}

/// The way back of an update: once nobody runs the newest topology, and all run the one before, the group has that
/// again. So what an upgrade that failed leaves behind is taken over by those that were not upgraded.
bool go_back(const call& c, const admitted& member, std::int32_t epoch, topology_plan& plan) {
  if (c.world.strict_kafka || !c.group.topology || plan.initialised || c.group.topology->epoch - 1 != epoch) {
    return false;
  }
  if (!do_others_run(c, member, epoch)) return false;
  const auto* former = plan.former.topology ? plan.former.topology.get() : version_of(c.group, epoch);
  if (former == nullptr) return false;
  plan.initialised = *former;
  plan.goes_back = true;
  plan.known_matches = plan.former.topology ? plan.former.matches : matches_of_version(c.group, epoch);
  plan.is_update = true;
  return true;
}

bool is_expired(const call& c) {
  const auto& soft = c.group.soft;
  return c.world.now_ms >= soft.refresh_deadline_ms || c.group.metadata.epoch < soft.refresh_epoch;
}

/// What was known before is not looked for again.
std::optional<refusal> match(const call& c, const topology& known, topology_plan& plan) {
  plan.matches = nullptr;
  if (!reads_patterns(known)) return std::nullopt;
  const auto& told = c.world.patterns;
  const bool is_sent = plan.initialised && !plan.goes_back;
  if (is_sent ? told.are_sent_pending : !plan.initialised && told.are_own_pending) return still_trying();
  if (plan.initialised) {
    auto matches = match_other(c, known, is_sent ? told.sent.get() : plan.known_matches.get(), is_sent);
    if (!matches) return std::move(matches.error());
    plan.matches = *std::move(matches);
    return std::nullopt;
  }
  auto matches = match_patterns(known, c.world.image, c.group.soft.matches.get(), false);
  if (!matches) return std::move(matches.error());
  plan.matches = *std::move(matches);
  return std::nullopt;
}

/// Over what is required of the topics there are.
std::int64_t hash_of(const call& c, const topology& known, const topology_plan& plan) {
  auto& hashes = c.world.hashes;
  const auto& image = c.world.image;
  if (plan.matches) return hashes.group_hash(image, required_topics(resolve(known, plan.matches.get()).plain));
  return plan.initialised ? hashes.group_hash(image, required_topics(known))
                          : hashes.group_hash(image, c.group.required_topics);
}

/// Spec 01, 4.4 and spec 02, 8.5: hash and configuration are kept until something says they may have changed.
std::optional<refusal> refresh(const call& c, topology_plan& plan) {
  plan.metadata_hash = c.group.metadata.metadata_hash;
  plan.configured = c.group.soft.configured;
  const topology* known = topology_after(c, plan);
  if (known == nullptr) return std::nullopt;
  const bool is_configured = !plan.initialised && plan.configured;
  if (is_configured && !is_expired(c)) return std::nullopt;
  plan.is_outdated = is_configured && c.world.patterns.are_own_pending;
  if (plan.is_outdated) return std::nullopt;  // it goes on with what it knew

  plan.is_refreshed = true;
  if (auto refused = match(c, *known, plan)) return refused;
  plan.metadata_hash = hash_of(c, *known, plan);
  if (is_configured && plan.metadata_hash == c.group.metadata.metadata_hash) return std::nullopt;

  auto configured = configure(*known, c.world.image, plan.metadata_hash,
                              {.strict_kafka = c.world.strict_kafka, .matches = plan.matches.get()});
  if (!configured) return configured.error();
  plan.configured = std::make_shared<const configured_topology>(std::move(*configured));
  plan.is_reconfigured = true;
  return std::nullopt;
}

const current_assignment* given_to(const call& c, const admitted& member) {
  return c.world.strict_kafka || member.stored == nullptr ? nullptr : &member.stored->current;
}

/// The group gave it to the member, for what the topology was then.
bool was_given(const current_assignment* given, std::string_view subtopology, std::int32_t partition) {
  if (given == nullptr) return false;
  return contains(given->assigned.active, subtopology, partition) ||
         contains(given->assigned.standby, subtopology, partition) ||
         contains(given->assigned.warmup, subtopology, partition) ||
         contains(given->pending_revocation.active, subtopology, partition);
}

/// G11. The request as it came: an entry without partitions is checked, too. Unlike at a broker nobody is refused for
/// what it was `given` (null: not looked at): topics that a pattern matches may go while the group runs.
std::optional<refusal> check_owned(const configured_topology& configured, const heartbeat_request& request,
                                   const current_assignment* given) {
  for (const auto* list : {&request.active_tasks, &request.standby_tasks, &request.warmup_tasks}) {
    for (const auto& owned : **list) {
      const auto id = owned.subtopology_id.view();
      auto known = configured.subtopologies->find(id);
      if (known == configured.subtopologies->end()) {
        return refusal{protocol::error_code::invalid_request,
                       "Owned tasks name the unknown subtopology " + std::string(id) + "."};
      }
      const auto tasks = known->second.tasks;
      const auto exists = [&](std::int32_t partition) { return partition >= 0 && partition < tasks; };
      const auto is_known = [&](std::int32_t p) { return exists(p) || was_given(given, id, p); };
      if (std::ranges::all_of(owned.partitions, is_known)) continue;
      return refusal{protocol::error_code::invalid_request, "Owned tasks of subtopology " + std::string(id) +
                                                                " are not all below " + std::to_string(tasks) + "."};
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace weir::group
