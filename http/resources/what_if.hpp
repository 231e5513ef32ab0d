// POST /v1/groups/{group}/what-if, and the plan that every `?dry_run=true` answers with.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "actors/coordinator.hpp"
#include "group/what_if.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Plans at leisure: an assignor may take long for a large group.
class planner {
 public:
  /// `groups` must outlive it, and the server too.
  explicit planner(actors::coordinator& groups) : groups_(groups) {}
  /// Answers with the plan: 404 without such a streams group, 400 or 409 as group::what_if() refuses.
  void answer(const std::string& group_id, group::what_if_question asked, const respond& answer);

 private:
  actors::coordinator& groups_;
};

/// `plans` must outlive the router.
void add_what_if(router& to, planner* plans);

/// A plan as a document.
[[nodiscard]] boost::json::object plan_document(const group::what_if_answer& of);

}  // namespace weir::http
