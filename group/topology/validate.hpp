// What a topology must fulfil whatever topics exist. The front end asks for the first four before it bothers the
// coordinator (spec 01, 1.4 and 1.5); configuring asks for the last.
#pragma once

#include <optional>
#include <string_view>

#include "group/refusal.hpp"
#include "group/topology/topology.hpp"

namespace weir::group {

/// 1..249 characters of [A-Za-z0-9._-], not "." or "..".
[[nodiscard]] bool is_legal_topic_name(std::string_view name) noexcept;

/// One of the three topics that a broker keeps for itself.
[[nodiscard]] bool is_kafka_internal(std::string_view name) noexcept;

/// F3: names none of Kafka's internal topics, else STREAMS_INVALID_TOPOLOGY.
[[nodiscard]] std::optional<refusal> check_internal_topics(const topology& topology);
/// F4: all names are legal, else STREAMS_INVALID_TOPOLOGY.
[[nodiscard]] std::optional<refusal> check_topic_names(const topology& topology);
/// V1 under strict.kafka: no regular expressions, else INVALID_REQUEST. Otherwise check_patterns() judges them.
[[nodiscard]] std::optional<refusal> check_source_regex(const topology& topology);
/// V11: changelogs leave their partition count to us, else STREAMS_INVALID_TOPOLOGY.
[[nodiscard]] std::optional<refusal> check_changelog_partitions(const topology& topology);

/// No subtopology id, internal topic of a subtopology or config key twice, every copartition index inside its array, no
/// negative count; else STREAMS_INVALID_TOPOLOGY, or UNKNOWN_SERVER_ERROR like Kafka if `strict_kafka` (spec 02, 4.2).
[[nodiscard]] std::optional<refusal> check_structure(const topology& topology, bool strict_kafka);

}  // namespace weir::group
