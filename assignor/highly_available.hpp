// The assignor `highly_available`: a balanced target that moves as little state as can be (spec 03, 8.3). Stateful
// tasks and all tasks are each spread within one over the members, in proportion over the processes; each subtopology
// as far as that costs no further move of state. How the group gets there without standing still: refine.hpp.
#pragma once

#include "assignor/assignor.hpp"

namespace weir::assignor {

class highly_available final : public assignor {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "highly_available"; }

  /// Offsets choose between places that are equally balanced; they never make a settled task move. Fails as `sticky`
  /// does.
  [[nodiscard]] result<flat_plan> assign(const group_input& input) const override;
};

}  // namespace weir::assignor
