#include "group/heartbeat/write_records.hpp"

namespace weir::group {
namespace {

void replace_member(const call& c, const admitted& member, records& out);

void void_target(const call& c, const admitted& member, records& out);

}  // namespace

records write_records(const call& c, const decisions& made, const epoch_plan& epoch) {
  records out;
  if (c.group.kind == group_kind::simple) out.push_back(classic_group_record{});  // E2 of spec 04, section 5
  if (made.member.replacement) replace_member(c, made.member, out);
  if (made.change.merged) {
    out.push_back(member_metadata_record{.member_id = c.request.member_id.str(), .value = made.change.merged});
  }
  if (made.topology.initialised) out.push_back(topology_record{.value = made.topology.initialised});
  if (epoch.written) out.push_back(group_metadata_record{.value = epoch.written});
  if (!made.target.computed) void_target(c, made.member, out);
  if (made.target.computed) {
    for (const auto& [id, tasks] : made.target.computed->changed) {
      out.push_back(target_member_record{.member_id = id, .value = tasks});
    }
    out.push_back(target_metadata_record{.value = made.target.computed->info});
  }
  if (made.target.stepped) out.push_back(target_metadata_record{.value = made.target.stepped});
  if (made.reconciled) {
    out.push_back(current_assignment_record{.member_id = c.request.member_id.str(), .value = made.reconciled});
  }
  return out;
}

namespace {

/// A target that was made for another topology (11.3).
void void_target(const call& c, const admitted& member, records& out) {
  const auto found = c.group.targets.find(c.request.member_id.view());
  if (!member.switches_topology() || found == c.group.targets.end() || found->second.empty()) return;
  out.push_back(target_member_record{.member_id = found->first, .value = role_tasks()});
}

/// E15 of spec 04, section 5: the old member goes, its copy comes under the new id.
void replace_member(const call& c, const admitted& member, records& out) {
  const auto& old_id = *member.replaced_id;
  const auto new_id = c.request.member_id.str();
  out.push_back(current_assignment_record{.member_id = old_id, .value = {}});
  out.push_back(target_member_record{.member_id = old_id, .value = {}});
  out.push_back(member_metadata_record{.member_id = old_id, .value = {}});
  const auto target = member.switches_topology() ? c.group.targets.end() : c.group.targets.find(old_id);
  out.push_back(member_metadata_record{.member_id = new_id, .value = member.replacement->metadata});
  out.push_back(target_member_record{.member_id = new_id,
                                     .value = target == c.group.targets.end() ? role_tasks() : target->second});
  out.push_back(current_assignment_record{.member_id = new_id, .value = member.starting_point()});
}

}  // namespace
}  // namespace weir::group
