// The order in which Kafka's `sticky` visits members and processes: that of its hash maps (docs/decisions/008).
#pragma once

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Orders the members, which are in the order of the input, and numbers their processes as Kafka visits them.
void visit_as_java(dense_group& group);

}  // namespace weir::assignor
