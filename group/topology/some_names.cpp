#include "group/topology/some_names.hpp"

#include <algorithm>
#include <cstddef>

namespace weir::group {
namespace {

constexpr std::size_t shown_max = 3;

}  // namespace

std::string some_names(const std::vector<std::string>& names) {
  std::string list;
  auto shown = std::min(names.size(), shown_max);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) list += ", ";
    list += names[i];
  }
  if (names.size() > shown) list += " and " + std::to_string(names.size() - shown) + " more";
  return list;
}

}  // namespace weir::group
