// What waiting_for.cpp is made of: lists of waits and their sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "group/waiting_for.hpp"

namespace weir::group {

using wait_list = std::vector<waiting>;
using task_id = std::pair<std::string_view, std::int32_t>;  ///< subtopology and partition

/// Not beyond waiting_list_max.
inline void add(std::vector<std::string>& to, std::string one) {
  if (to.size() < waiting_list_max) to.push_back(std::move(one));
}

[[nodiscard]] inline waiting because(waiting_reason why, std::string text) {
  waiting out;
  out.why = why;
  out.text = std::move(text);
  return out;
}

/// What a group that is RECONCILING waits for: who holds what, and who wants it. O(members + tasks).
[[nodiscard]] wait_list waits_of_reconciliation(const streams_group& group, std::int64_t now_ms);

}  // namespace weir::group
