#include "group/classic/members.hpp"

#include <set>

namespace weir::group {
namespace {

/// A client may name a protocol twice.
std::set<std::string_view> names_of(const classic_protocols& protocols) {
  std::set<std::string_view> names;
  for (const auto& [protocol, metadata] : protocols) names.insert(protocol);
  return names;
}

}  // namespace

std::string_view name(classic_phase phase) noexcept {
  switch (phase) {
    case classic_phase::empty: return "Empty";
    case classic_phase::preparing: return "PreparingRebalance";
    case classic_phase::completing: return "CompletingRebalance";
    case classic_phase::stable: return "Stable";
  }
  return "Unknown";
}

std::optional<std::int64_t> deadline_of(const classic_step& step) {
  if (!step.member) return step.promised_until_ms;
  if (step.member->is_joining || step.member->is_syncing) return std::nullopt;
  return step.member->session_deadline_ms;
}

std::optional<std::int64_t> classic_members::next_deadline() const {
  std::optional<std::int64_t> earliest;
  const auto note = [&](std::int64_t deadline) {
    if (!earliest || deadline < *earliest) earliest = deadline;
  };
  if (phase == classic_phase::preparing) note(rebalance_deadline_ms);
  if (owing > 0) note(sync_deadline_ms);
  for (const auto& [id, member] : members) {
    if (!member.is_joining && !member.is_syncing) note(member.session_deadline_ms);
  }
  for (const auto& [id, deadline] : promised) note(deadline);
  return earliest;
}

const std::string* classic_members::holder_of(std::string_view instance_id) const {
  const auto holder = instances.find(instance_id);
  return holder == instances.end() ? nullptr : &holder->second;
}

std::size_t classic_members::supporters_of(std::string_view of) const {
  const auto found = supporters.find(of);
  return found == supporters.end() ? 0 : found->second;
}

void classic_members::put(const std::string& id, classic_member member) {
  erase(id);
  for (const auto supported : names_of(*member.protocols)) ++supporters[std::string(supported)];
  if (member.instance_id) instances.insert_or_assign(*member.instance_id, id);
  joining += member.is_joining ? 1 : 0;
  owing += member.owes_sync ? 1 : 0;
  members.emplace(id, std::move(member));
}

void classic_members::erase(std::string_view id) {
  const auto found = members.find(id);
  if (found == members.end()) return;
  const auto& member = found->second;
  for (const auto supported : names_of(*member.protocols)) {
    const auto counted = supporters.find(supported);
    if (--counted->second == 0) supporters.erase(counted);
  }
  if (member.instance_id && *holder_of(*member.instance_id) == id) instances.erase(*member.instance_id);
  joining -= member.is_joining ? 1 : 0;
  owing -= member.owes_sync ? 1 : 0;
  members.erase(found);
}

void classic_members::take(const classic_step& step) {
  promised.erase(step.id);
  if (step.promised_until_ms) {
    promised.emplace(step.id, *step.promised_until_ms);
  } else if (step.member) {
    put(step.id, *step.member);
  } else {
    erase(step.id);
  }
}

}  // namespace weir::group
