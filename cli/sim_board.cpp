#include "cli/sim_board.hpp"

#include "cli/output.hpp"

namespace weir::cli {

std::string sim_board::take_changed() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(changed_, false)) return {};
  table out({"PROCESS", "THREAD", "EPOCH", "ACTIVE", "STANDBY", "WARMUP", "STATE"});
  for (const auto& [who, row] : rows_) {
    out.add({std::to_string(who.first), std::to_string(who.second), std::to_string(row.epoch), row.active, row.standby,
             row.warmup, row.state});
  }
  return out.text();
}

}  // namespace weir::cli
