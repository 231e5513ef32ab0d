// GET /v1/groups/{group}/offsets: how far a group has read its topics.
#pragma once

#include <functional>

#include "actors/coordinator.hpp"
#include "group/offsets/input_lag.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Port: committed offsets and ends of partitions in the cluster behind a gateway.
class upstream_offsets {
 public:
  virtual ~upstream_offsets() = default;
  /// `done` is called once, on any thread, soon even if the cluster is silent; never with null. What was told a moment
  /// ago may be told again.
  virtual void ask(group::offset_question asked, std::function<void(group::told_offsets_ptr)> done) = 0;
};

/// `upstream`: null in embedded mode, where the offsets are those of the group itself. Both must outlive the router.
void add_offsets(router& to, actors::coordinator& groups, upstream_offsets* upstream);

}  // namespace weir::http
