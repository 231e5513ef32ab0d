// What handlers that name topics have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "metadata/image.hpp"
#include "protocol/error_codes.hpp"

namespace weir::server::handlers {

/// Names that occur more than once in a request: Kafka refuses such topics, all of them, and answers them once.
template <class Topics, class Name>
[[nodiscard]] std::set<std::string, std::less<>> repeated_names(const Topics& topics, Name name) {
  std::set<std::string_view> seen;
  std::set<std::string, std::less<>> repeated;
  for (const auto& topic : topics) {
    const std::string_view current = name(topic);
    if (!seen.insert(current).second) repeated.emplace(current);
  }
  return repeated;
}

/// Whether there is such a topic with such a partition; a topic that does not exist is null.
[[nodiscard]] inline bool has_partition(const metadata::topic* topic, std::int32_t index) {
  return topic != nullptr && index >= 0 && index < topic->partition_count();
}

/// Fills code and message of an answer's part.
template <class Part>
void tell(Part& part, const protocol::kafka_error& refusal) {
  part.error_code = code_of(refusal.code);
  part.error_message = text(refusal.message);
}

}  // namespace weir::server::handlers
