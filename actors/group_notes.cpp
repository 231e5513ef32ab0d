// What a group tells operators: log lines, counters and its timeline.
#include "actors/group_shell.hpp"

namespace weir::actors {

void group_shell::note(std::vector<group::event> events) {
  for (auto& event : events) {
    count(services_.counters.events[static_cast<std::size_t>(event.why)]);
    if (event.why == group::cause::target_computed) {
      log::info("target assignment computed", {{"group", group_.id},
                                               {"assignment_epoch", event.assignment_epoch},
                                               {"assignor", event.assignor},
                                               {"tasks_moved", event.tasks_moved}});
    } else {
      log::info("group epoch bumped", {{"group", group_.id},
                                       {"epoch", event.group_epoch},
                                       {"cause", group::name(event.why)},
                                       {"member", event.member_id},
                                       {"detail", event.detail}});
    }
    timeline_.push_back(std::move(event));
  }
  while (timeline_.size() > services_.options.timeline_events_max) timeline_.pop_front();
}

/// Spec 03, 8.5.
void group_shell::note_resting(const group::soft_update& soft) {
  if (!soft.interim || *soft.interim == nullptr) return;
  for (const auto& watch : (*soft.interim)->watches) {
    if (!watch.is_new_rest) continue;
    count(services_.counters.warm_ups_stuck);
    log::warn("a warm-up task does not get on", {{"group", group_.id},
                                                 {"task", watch.subtopology_id + "_" + std::to_string(watch.partition)},
                                                 {"process", watch.process_id},
                                                 {"offset", watch.offset},
                                                 {"tried_again_in_s", (watch.look_ms - now()) / 1'000}});
  }
}

}  // namespace weir::actors
