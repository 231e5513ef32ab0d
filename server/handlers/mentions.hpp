// mentions: who is named again and again in one request makes one part of the answer, however large that part is.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

namespace weir::server::handlers {

/// For each entry whether it is the first of its name. `name(entry)` is a view that lives as long as the entries.
template <class Entries, class Name>
[[nodiscard]] std::vector<bool> first_mentions(const Entries& entries, Name name) {
  std::set<std::string_view> seen;
  std::vector<bool> first;
  first.reserve(entries.size());
  for (const auto& entry : entries) first.push_back(seen.insert(name(entry)).second);
  return first;
}

/// What later mentions are told.
inline constexpr std::string_view named_twice = "Each group must appear at most once.";

}  // namespace weir::server::handlers
