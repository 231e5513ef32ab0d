// POST /v1/groups/{group}/rehearsal: what becomes of an application that moves from the classic protocol.
#pragma once

#include <functional>
#include <string>

#include "actors/coordinator.hpp"
#include "group/rehearsal/rehearsal.hpp"
#include "http/resources/what_if.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Port: groups of the cluster behind a gateway.
class upstream_groups {
 public:
  virtual ~upstream_groups() = default;
  /// `done` is called once, on any thread: what is under that id there, or why it is not known.
  virtual void look(std::string group_id, std::function<void(group::former_group)> done) = 0;
};

/// `upstream`: null in embedded mode. Both must outlive the router.
void add_rehearsal(router& to, actors::coordinator& groups, upstream_groups* upstream);

}  // namespace weir::http
