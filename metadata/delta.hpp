// delta: what differs between two images, by topic name. Made by the metadata actor, told to the groups that care.
#pragma once

#include <string>
#include <vector>

#include "metadata/image.hpp"

namespace weir::metadata {

/// Each list ascending, no name in two of them. A replica's broker that got another rack shows as a change of its
/// topics, because topics hold their racks (spec 02, 8.4).
struct delta {
  std::vector<std::string> created;
  /// Id, partition count or racks differ; deleted and created again counts as changed.
  std::vector<std::string> changed;
  std::vector<std::string> deleted;

  [[nodiscard]] bool empty() const noexcept { return created.empty() && changed.empty() && deleted.empty(); }
  /// All names of the three lists, ascending.
  [[nodiscard]] std::vector<std::string> touched() const;
  bool operator==(const delta&) const = default;
};

/// O(topics); topics shared by both images are compared by pointer.
[[nodiscard]] delta difference(const image& before, const image& after);

}  // namespace weir::metadata
