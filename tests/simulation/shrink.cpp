#include "tests/simulation/shrink.hpp"

#include <algorithm>

#include "tests/simulation/scene.hpp"

namespace weir::simulation {
namespace {

constexpr int attempts_max = 3000;

plan without(const plan& p, std::size_t first, std::size_t count) {
  auto shorter = p;
  const auto begin = shorter.steps.begin() + static_cast<std::ptrdiff_t>(first);
  shorter.steps.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, p.steps.size() - first)));
  return shorter;
}

}  // namespace

std::optional<failure> run(const plan& p, defect broken, bool keeps_trace) {
  scene story(p, broken, keeps_trace);
  try {
    story.run();
    return std::nullopt;
  } catch (const violation& v) {
    return failure{v.promise(), v.what(), story.told().lines()};
  }
}

plan shrink(plan failing, defect broken, const std::string& promise) {
  int attempts = 0;
  const auto still_fails = [&](const plan& p) {
    ++attempts;
    const auto found = run(p, broken);
    return found && found->promise == promise;
  };
  for (std::size_t size = std::max<std::size_t>(1, failing.steps.size() / 2);;) {
    bool is_shorter = false;
    for (std::size_t first = 0; first < failing.steps.size() && attempts < attempts_max;) {
      auto candidate = without(failing, first, size);
      if (still_fails(candidate)) {
        failing = std::move(candidate);
        is_shorter = true;
      } else {
        first += size;
      }
    }
    if (attempts >= attempts_max || (size == 1 && !is_shorter)) return failing;
    size = std::max<std::size_t>(1, size / 2);
  }
}

}  // namespace weir::simulation
