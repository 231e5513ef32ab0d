// The nested parts of a request in the words of the group: owned tasks, offsets, tags, topology.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "group/heartbeat/step.hpp"

namespace weir::group {

/// What the member says it holds (O of spec 01, 8.1). Evidence of release, nothing else.
struct owned_report {
  role_tasks tasks;
  bool repeats_subtopology = false;  ///< G13b: some list names a subtopology twice; its partitions are merged here
};

/// Nothing if the lists are null. They are all null or all present, check_request() saw to that.
[[nodiscard]] std::optional<owned_report> owned_by(const heartbeat_request& request);

/// G12: a task twice is refused. Null lists give nothing.
[[nodiscard]] checked<std::optional<task_offsets>> offsets_in(
    const std::optional<std::vector<heartbeat_request::task_offset_data>>& list);

/// G8: a key twice is refused.
[[nodiscard]] checked<std::map<std::string, std::string>> tags_in(
    const call& c, const std::vector<heartbeat_request::key_value_data>& list);

[[nodiscard]] topology topology_in(const heartbeat_request::topology_data& data);

}  // namespace weir::group
