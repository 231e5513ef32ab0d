#include "group/heartbeat/admit.hpp"

#include "group/heartbeat/fence.hpp"

namespace weir::group {
namespace {

std::optional<refusal> check_size(const call& c);
checked<admitted> admit_dynamic(const call& c);
checked<admitted> admit_static(const call& c);
member copy_for_return(const member& left);
bool switches_topology(const call& c, const admitted& found);
current_assignment without_tasks(current_assignment current);

}  // namespace

checked<admitted> admit(const call& c, const std::optional<owned_report>& owned) {
  if (c.is_join()) {
    if (auto full = check_size(c)) return tl::unexpected(*full);
    auto found = c.request.instance_id ? admit_static(c) : admit_dynamic(c);
    if (found && switches_topology(c, *found)) found->fresh_start = without_tasks(found->before().current);
    return found;
  }
  auto found = find_member(c.group, c.request);
  if (!found) return tl::unexpected(found.error());
  if (auto fenced = check_epoch((*found)->current, c.request.member_epoch, owned)) return tl::unexpected(*fenced);
  return admitted{.stored = *found, .replacement = {}};
}

const member& admitted::before() const noexcept {
  static const member fresh;
  if (stored != nullptr) return *stored;
  return replacement ? *replacement : fresh;
}

namespace {

/// G2, before everything else about the member.
std::optional<refusal> check_size(const call& c) {
  const auto& group = c.group;
  if (group.members.size() < static_cast<std::size_t>(c.world.max_size)) return std::nullopt;
  if (c.request.instance_id && group.static_members.contains(c.request.instance_id->view())) return std::nullopt;
  if (group.members.contains(c.request.member_id.view())) return std::nullopt;
  return refusal{protocol::error_code::group_max_size_reached,
                 "Group " + group.id + " has its maximum of " + std::to_string(c.world.max_size) + " members."};
}

checked<admitted> admit_dynamic(const call& c) {
  auto found = c.group.members.find(c.request.member_id.view());
  return admitted{.stored = found == c.group.members.end() ? nullptr : &found->second, .replacement = {}};
}

checked<admitted> admit_static(const call& c) {
  const auto& group = c.group;
  auto holder = group.static_members.find(c.request.instance_id->view());
  // First join of the instance id; an existing member takes it over.
  if (holder == group.static_members.end()) return admit_dynamic(c);

  const auto& left = group.members.at(holder->second);
  if (!left.current.is_away()) {
    return refuse(protocol::error_code::unreleased_instance_id,  // G4
                  "Instance id " + c.request.instance_id->str() + " is in use by member " + holder->second + ".");
  }
  return admitted{.replacement = copy_for_return(left), .replaced_id = &holder->second};
}

bool switches_topology(const call& c, const admitted& found) {
  if (c.world.strict_kafka || found.is_new()) return false;
  return found.before().metadata.topology_epoch != c.request.topology->epoch;
}

current_assignment without_tasks(current_assignment current) {
  if (current.state != member_state::unknown) current.state = member_state::stable;
  current.previous_member_epoch = current.member_epoch;
  current.assigned = {};
  current.pending_revocation = {};
  return current;
}

/// Tasks move over, epochs start again.
member copy_for_return(const member& left) {
  member copy = left;
  copy.current.member_epoch = 0;
  copy.current.previous_member_epoch = 0;
  return copy;
}

}  // namespace
}  // namespace weir::group
