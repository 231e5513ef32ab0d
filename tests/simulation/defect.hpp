// Deliberate mistakes, one for each promise, so that the self test can show that a broken promise is noticed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::simulation {

enum class defect : std::uint8_t {
  none,
  client_keeps_tasks,  ///< a client reports tasks as released and goes on with them
  actives_unguarded,   ///< the coordinator grants active tasks that others hold
  standbys_unguarded,  ///< the coordinator grants tasks beside a standby of the same process
  record_lost,         ///< the log swallows one record of a write
  write_survives,      ///< a write that failed stays in memory
  durable_write_lost,  ///< a restart forgets the newest durable write
  image_unnoticed,     ///< nobody tells the group that its topics changed
  deadlines_ignored,   ///< time-outs never fire
  tasks_untold,        ///< answers leave out the task lists
  fence_open,          ///< a heartbeat of any older epoch is taken for a current one
  versions_unguarded,  ///< the coordinator takes all other members for some of the newest topology
  patterns_unwatched,  ///< the group is told of no topic that it does not know yet
  upgrade_unfinished,  ///< some threads run an older version for ever
};

struct defect_row {
  defect what;
  std::string_view name;
  std::string_view promise;  ///< which one breaks, as violation::promise() names it
};
inline constexpr std::array<defect_row, 13> defects{{
    {defect::client_keeps_tasks, "client-keeps-tasks", "the group knows what its clients hold"},
    {defect::actives_unguarded, "actives-unguarded", "invariants of the group"},
    {defect::standbys_unguarded, "standbys-unguarded", "no standby beside its active"},
    {defect::record_lost, "record-lost", "replay gives the live state"},
    {defect::write_survives, "write-survives", "a failed write leaves nothing"},
    {defect::durable_write_lost, "durable-write-lost", "epochs never go back"},
    {defect::image_unnoticed, "image-unnoticed", "every group settles"},
    {defect::deadlines_ignored, "deadlines-ignored", "every group settles"},
    {defect::tasks_untold, "tasks-untold", "answer rules"},
    {defect::fence_open, "fence-open", "answer rules"},
    {defect::versions_unguarded, "versions-unguarded", "one reader of a partition"},
    {defect::patterns_unwatched, "patterns-unwatched", "every group settles"},
    {defect::upgrade_unfinished, "upgrade-unfinished", "every group settles"},
}};

[[nodiscard]] constexpr std::optional<defect> defect_named(std::string_view name) noexcept {
  for (const auto& row : defects) {
    if (row.name == name) return row.what;
  }
  return std::nullopt;
}

}  // namespace weir::simulation
