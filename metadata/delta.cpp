#include "metadata/delta.hpp"

#include <algorithm>

namespace weir::metadata {

std::vector<std::string> delta::touched() const {
  std::vector<std::string> names;
  names.reserve(created.size() + changed.size() + deleted.size());
  for (const auto* list : {&created, &changed, &deleted}) names.insert(names.end(), list->begin(), list->end());
  std::ranges::sort(names);
  return names;
}

delta difference(const image& before, const image& after) {
  delta found;
  auto old_topics = before.topics();
  auto new_topics = after.topics();
  auto old = old_topics.begin();
  auto now = new_topics.begin();
  while (old != old_topics.end() || now != new_topics.end()) {
    if (now == new_topics.end() || (old != old_topics.end() && (*old)->name < (*now)->name)) {
      found.deleted.push_back((*old++)->name);
    } else if (old == old_topics.end() || (*now)->name < (*old)->name) {
      found.created.push_back((*now++)->name);
    } else {
      if (*old != *now && **old != **now) found.changed.push_back((*now)->name);
      ++old;
      ++now;
    }
  }
  return found;
}

}  // namespace weir::metadata
