// Whether two groups are the same in all that records make, as a replay has to show.
#pragma once

#include <string>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

/// Every hard field that differs, by name.
inline std::vector<std::string> hard_differences(const streams_group& a, const streams_group& b) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, const auto& left, const auto& right) {
    if (!(left == right)) found.emplace_back(what);
  };
  compare("kind", a.kind, b.kind);
  compare("group metadata", a.metadata, b.metadata);
  compare("target metadata", a.target_info, b.target_info);
  compare("topology", a.topology, b.topology);
  compare("required topics", a.required_topics, b.required_topics);
  compare("members", a.members, b.members);
  compare("targets", a.targets, b.targets);
  compare("static members", a.static_members, b.static_members);
  compare("holders", a.held, b.held);
  compare("offsets", a.offsets, b.offsets);
  compare("classic group", a.classic, b.classic);
  compare("consumer group", a.consumer, b.consumer);
  compare("topology description", a.description, b.description);
  return found;
}

}  // namespace weir::group
