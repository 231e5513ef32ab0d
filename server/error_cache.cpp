#include "server/error_cache.hpp"

#include <algorithm>
#include <utility>

namespace weir::server {

void error_cache::put(const std::string& topic, std::string text, std::int64_t until_ms) {
  entries_[topic] = {std::move(text), until_ms};
  if (entries_.size() <= entries_max) return;
  entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& each) { return each.second.until_ms; }));
}

const std::string* error_cache::find(std::string_view topic, std::int64_t now_ms) const {
  const auto found = entries_.find(topic);
  return found != entries_.end() && now_ms < found->second.until_ms ? &found->second.text : nullptr;
}

void error_cache::remove(std::string_view topic) {
  if (const auto found = entries_.find(topic); found != entries_.end()) entries_.erase(found);
}

}  // namespace weir::server
