// A failing plan made short: steps are left out as long as the same promise is broken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/defect.hpp"
#include "tests/simulation/plan.hpp"

namespace weir::simulation {

struct failure {
  std::string promise;
  std::string what;
  std::vector<std::string> told;  ///< if asked for
};

/// Nothing if every promise holds.
[[nodiscard]] std::optional<failure> run(const plan& p, defect broken, bool keeps_trace = false);

/// A plan that breaks the promise too and of which no single step can be left out, or what was reached after a bounded
/// number of attempts.
[[nodiscard]] plan shrink(plan failing, defect broken, const std::string& promise);

}  // namespace weir::simulation
