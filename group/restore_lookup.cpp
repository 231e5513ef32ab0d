#include "group/restore_lookup.hpp"

#include <algorithm>

#include "base/saturated.hpp"

namespace weir::group {

restore_lookup::restore_lookup(const streams_group& now) {
  for (const auto& [id, member] : now.members) {
    add(member);
    const auto reports = now.soft.members.find(id);
    if (reports != now.soft.members.end()) add(member, reports->second);
  }
}

void restore_lookup::add(const member& of) {
  const std::string_view process_id = of.metadata.process_id;
  for (const auto* tasks : {&of.current.assigned.active, &of.current.pending_revocation.active}) {
    for (const auto& [subtopology, partitions] : *tasks) {
      for (const auto& [partition, epoch] : partitions) {
        copies_[{process_id, {subtopology, partition}}].is_running = true;
      }
    }
  }
  for (const auto* tasks : {&of.current.assigned.standby, &of.current.assigned.warmup}) {
    for (const auto& [subtopology, partitions] : *tasks) {
      for (const auto partition : partitions) copies_[{process_id, {subtopology, partition}}].is_held = true;
    }
  }
}

void restore_lookup::add(const member& of, const member_soft& reports) {
  for (const auto& [subtopology, offsets] : reports.offsets.get()) {
    for (const auto& [partition, reported] : offsets) {
      auto& known = copies_[{of.metadata.process_id, {subtopology, partition}}].offset;
      known = std::max(known.value_or(0), reported);
    }
  }
  for (const auto& [subtopology, offsets] : reports.end_offsets.get()) {
    for (const auto& [partition, reported] : offsets) {
      if (!known_offset(reports.end_offsets, subtopology, partition)) continue;
      auto& end = ends_[{subtopology, partition}];
      end = std::max(end, reported);
    }
  }
}

std::optional<std::int64_t> restore_lookup::of(std::string_view process_id, std::string_view subtopology,
                                               std::int32_t partition) const {
  const task wanted{subtopology, partition};
  const auto found = copies_.find({process_id, wanted});
  const copy* const there = found == copies_.end() ? nullptr : &found->second;
  if (there != nullptr && there->is_running) return 0;
  const auto end = ends_.find(wanted);
  if (end == ends_.end()) return std::nullopt;
  if (there == nullptr) return end->second;
  if (there->offset) return std::max<std::int64_t>(0, saturated_difference(end->second, *there->offset));
  return there->is_held ? std::nullopt : std::optional(end->second);
}

}  // namespace weir::group
