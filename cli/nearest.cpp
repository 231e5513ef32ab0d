#include "cli/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

namespace weir::cli {
namespace {

/// Most characters that may differ, of a name that long.
std::size_t most_differing(std::size_t length) { return std::clamp<std::size_t>(length / 4, 1, 4); }

/// Levenshtein's.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t least = most_differing(name.size()) + 1;
  for (const std::string_view each : known) {
    const std::size_t here = distance(name, each);
    if (here < least) best = each;
    least = std::min(least, here);
  }
  if (!best.empty()) return best;
  const std::string tail = "." + std::string(name);
  const auto longer =
      std::find_if(known.begin(), known.end(), [&](std::string_view each) { return each.ends_with(tail); });
  return longer == known.end() ? std::string_view() : *longer;
}

}  // namespace weir::cli
