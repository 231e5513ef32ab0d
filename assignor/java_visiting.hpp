// The order in which Kafka's `sticky` visits members and processes: that of its hash maps (docs/decisions/008).
#pragma once

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Orders the members, which are in the order of the input, as Kafka visits them. Returns whether it is certain that
/// their ids differ.
[[nodiscard]] bool order_members_as_java(dense_group& group);

/// Numbers the processes of these members as Kafka visits them.
void number_processes_as_java(dense_group& group);

}  // namespace weir::assignor
