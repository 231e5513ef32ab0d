// What an answer says as a whole, for counting: its own error code, else the first one of its parts.
#pragma once

#include <cstdint>

namespace weir::server {

template <class Answer>
[[nodiscard]] std::int16_t first_error(const Answer& answer);

namespace detail {

template <class Answer>
[[nodiscard]] std::int16_t own_error(const Answer& answer) {
  if constexpr (requires { answer.error_code; }) return answer.error_code;
  if constexpr (requires { answer.partition_error_code; }) return answer.partition_error_code;
  return 0;
}

/// `parts_of(answer)` is a list of parts; of an answer without that list it cannot be called.
template <class Answer, class PartsOf>
void look_into(const Answer& answer, PartsOf parts_of, std::int16_t& code) {
  if constexpr (requires { parts_of(answer).begin(); }) {
    for (const auto& part : parts_of(answer)) {
      if (code != 0) return;
      code = first_error(part);
    }
  }
}

}  // namespace detail

/// 0: nothing in the answer is an error. Looks into the lists in which Kafka's answers keep their parts.
template <class Answer>
std::int16_t first_error(const Answer& answer) {
  auto code = detail::own_error(answer);
  const auto look_into = [&](auto parts_of) { detail::look_into(answer, parts_of, code); };
  look_into([](const auto& of) -> decltype((of.topics)) { return of.topics; });
  look_into([](const auto& of) -> decltype((of.partitions)) { return of.partitions; });
  look_into([](const auto& of) -> decltype((of.groups)) { return of.groups; });
  look_into([](const auto& of) -> decltype((of.results)) { return of.results; });
  look_into([](const auto& of) -> decltype((of.responses)) { return of.responses; });
  look_into([](const auto& of) -> decltype((of.coordinators)) { return of.coordinators; });
  look_into([](const auto& of) -> decltype((of.members)) { return of.members; });
  look_into([](const auto& of) -> decltype((of.topic_results)) { return of.topic_results; });
  look_into([](const auto& of) -> decltype((of.results_by_partition)) { return of.results_by_partition; });
  look_into([](const auto& of) -> decltype((of.results_by_transaction)) { return of.results_by_transaction; });
  look_into([](const auto& of) -> decltype((of.results_by_topic_v3_and_below)) {
    return of.results_by_topic_v3_and_below;
  });
  return code;
}

}  // namespace weir::server
