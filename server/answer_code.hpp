// What an answer says as a whole, for counting: its own error code, else the first one of its parts.
#pragma once

#include <cstdint>

namespace weir::server {

/// 0: nothing in the answer is an error. Looks into the lists in which Kafka's answers keep their parts.
template <class Answer>
[[nodiscard]] std::int16_t first_error(const Answer& answer) {
  if constexpr (requires { answer.error_code; }) {
    if (answer.error_code != 0) return answer.error_code;
  }
  std::int16_t code = 0;
  const auto look_into = [&code](const auto& parts) {
    for (auto part = parts.begin(); part != parts.end() && code == 0; ++part) code = first_error(*part);
  };
  if constexpr (requires { answer.topics.begin(); }) look_into(answer.topics);
  if constexpr (requires { answer.partitions.begin(); }) look_into(answer.partitions);
  if constexpr (requires { answer.groups.begin(); }) look_into(answer.groups);
  if constexpr (requires { answer.results.begin(); }) look_into(answer.results);
  if constexpr (requires { answer.responses.begin(); }) look_into(answer.responses);
  if constexpr (requires { answer.coordinators.begin(); }) look_into(answer.coordinators);
  if constexpr (requires { answer.members.begin(); }) look_into(answer.members);
  return code;
}

}  // namespace weir::server
