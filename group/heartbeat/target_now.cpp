#include "group/heartbeat/target_now.hpp"

namespace weir::group {

void add_target(const streams_group& group, const target_basis& basis, const world& world, change_outcome& outcome) {
  auto computed = compute_target({.group = group}, basis, world);
  if (!computed) return;
  auto& soft = outcome.soft.emplace_back();
  soft.interim = computed->interim;
  soft.interim_has_news = computed->interim != nullptr;
  for (auto& [id, tasks] : computed->changed) {
    outcome.records.push_back(target_member_record{.member_id = id, .value = std::move(tasks)});
  }
  outcome.records.push_back(target_metadata_record{.value = computed->info});
  outcome.events.push_back(std::move(computed->explanation));
}

}  // namespace weir::group
