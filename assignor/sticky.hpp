// The assignor `sticky`: members keep what they have as far as their share allows, tasks without an owner go where
// their state is, the rest to the least loaded (spec 03, section 2). Members are visited by member id and ties go by
// (process id, member id) (2.5 Rule).
#pragma once

#include "assignor/assignor.hpp"

namespace weir::assignor {

class sticky final : public assignor {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "sticky"; }

  /// Fails if there are tasks but no member, and on input that is not a group: ids twice, negative counts, more than
  /// task_copies_max
  /// tasks and standbys.
  [[nodiscard]] result<plan> assign(const group_input& input) const override;
};

}  // namespace weir::assignor
