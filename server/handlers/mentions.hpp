// mentions: who is named again and again in one request makes few parts of the answer, however large each is.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "protocol/error_codes.hpp"

namespace weir::server::handlers {

/// Repetitions in one request that are answered as Kafka answers them.
inline constexpr std::size_t repetitions_max = 100;

/// Looks at the names of one request in their order.
template <class Name = std::string_view>
class mentions {
 public:
  /// Whether this mention is answered: the first of every name, and repetitions_max more.
  [[nodiscard]] bool admit(Name name) { return seen_.insert(std::move(name)).second || ++repeated_ <= repetitions_max; }

 private:
  std::set<Name> seen_;
  std::size_t repeated_ = 0;
};

/// What the others are told, a part of DescribeGroups and the like.
template <class Part>
[[nodiscard]] Part refuse_repeated(const text& group_id) {
  Part out;
  out.group_id = group_id;
  out.error_code = protocol::code_of(protocol::error_code::invalid_request);
  out.error_message = text("The request names groups again and again.");
  return out;
}

}  // namespace weir::server::handlers
