#include "group/soft_state.hpp"

namespace weir::group {

std::string_view name(near_miss::kind what) noexcept {
  switch (what) {
    case near_miss::kind::late_heartbeat: return "late-heartbeat";
    case near_miss::kind::late_return: return "late-return";
  }
  return "unknown";
}

}  // namespace weir::group
