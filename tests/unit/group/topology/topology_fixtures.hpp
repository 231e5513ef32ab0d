// Short ways to write topologies and images in tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "group/topology/topology.hpp"
#include "metadata/image.hpp"

namespace weir::group {

using topic_counts = std::vector<std::pair<std::string, std::int32_t>>;

/// An image of topics without racks.
inline metadata::image_ptr image_of(const topic_counts& counts) {
  metadata::image_builder builder(nullptr);
  std::uint64_t id = 0;
  for (const auto& [name, count] : counts) {
    builder.put_topic({uuid{1, ++id}, name, std::vector<std::vector<std::string>>(static_cast<std::size_t>(count))});
  }
  return builder.build(1);
}

/// Reads `sources`, nothing else.
inline subtopology reader(std::string id, std::vector<std::string> sources) {
  subtopology part;
  part.id = std::move(id);
  part.source_topics = std::move(sources);
  return part;
}

inline topic_info flexible(std::string name) { return {std::move(name), 0, 0, {}}; }
inline topic_info fixed(std::string name, std::int32_t partitions) { return {std::move(name), partitions, 0, {}}; }

}  // namespace weir::group
