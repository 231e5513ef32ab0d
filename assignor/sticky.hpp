// The assignor `sticky`: members keep what they have as far as their share allows, tasks without an owner go where
// their state is, the rest to the least loaded (spec 03, section 2). Members are visited by member id and ties go by
// (process id, member id) (2.5 Rule), or both as in Kafka (docs/decisions/008).
#pragma once

#include <cstdint>

#include "assignor/assignor.hpp"

namespace weir::assignor {

/// What decides between equally good choices.
enum class ties : std::uint8_t {
  by_id,
  as_kafka,  ///< chooses the very tasks that Kafka 4.4 chooses; without our limit in the last step of spec 03, 2.2
};

class sticky final : public assignor {
 public:
  explicit sticky(ties how = ties::by_id) : how_(how) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "sticky"; }

  /// Fails if there are tasks but no member, and on input that is not a group: ids twice, negative counts, more than
  /// task_copies_max tasks and standbys.
  [[nodiscard]] result<flat_plan> assign(const group_input& input) const override;

 private:
  ties how_;
};

}  // namespace weir::assignor
