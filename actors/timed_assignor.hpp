// An assignor whose time is measured, for weir_assignor_seconds. Assignors themselves know no clock.
#pragma once

#include <memory>

#include "assignor/assignor.hpp"

namespace weir::actors {

/// The same assignor, measured. Not null.
[[nodiscard]] std::unique_ptr<const assignor::assignor> timed(std::unique_ptr<const assignor::assignor> of);

}  // namespace weir::actors
