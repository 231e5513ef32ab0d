// Limits that are not configuration: bounds on what may come from outside or grow. Related ones are checked against
// each other at compile time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::limits {

/// Largest frame accepted from a client or an upstream, bytes (Kafka's socket.request.max.bytes default).
inline constexpr std::size_t frame_bytes_max = 100U * 1024 * 1024;
/// Most elements of all arrays of one message on the wire; every element takes at least one byte, so this only matters
/// for huge frames.
inline constexpr std::size_t array_elements_max = 16U * 1024 * 1024;
/// Most elements of all arrays of one request: some take two bytes there and a hundred times that here.
inline constexpr std::size_t request_elements_max = 1'000'000;
/// Most groups or resources that one request may name where each makes a part of the answer.
inline constexpr std::size_t names_per_request_max = 20'000;
/// Most answers of the admin API that wait to be made, each with a copy of its group.
inline constexpr std::size_t large_answers_max = 64;
/// Most questions to it that wait for a plan.
inline constexpr std::size_t long_questions_max = 16;
/// Largest answer to a client, bytes.
inline constexpr std::size_t answer_bytes_max = std::size_t{256} * 1024 * 1024;
/// Deepest nesting of arrays and structures in a message.
inline constexpr int nesting_max = 16;
/// Most subtopologies of one topology: deriving partition counts along a chain of them is quadratic.
inline constexpr std::size_t subtopologies_max = 1'000;
/// Most patterns of source topics in one topology, longest of them in bytes, and most source topics that a subtopology
/// with patterns may have once they are resolved: copartition groups name them by 16-bit indexes.
inline constexpr std::size_t source_patterns_max = 100;
inline constexpr std::size_t source_pattern_bytes_max = 1'000;
inline constexpr std::size_t source_topics_max = 10'000;
/// Most instructions that the patterns of one topology, or one pattern of a consumer group, may compile to. Also: most
/// instructions times bytes of the names of all topics when a topology comes in, which is what a search may cost.
inline constexpr std::size_t pattern_instructions_max = 10'000;
inline constexpr std::uint64_t pattern_work_max = 1'000'000'000;
/// Most topics that the patterns of one topology may match, one for each pattern that matches it.
inline constexpr std::size_t pattern_matches_max = 20'000;
/// Processor time for which patterns are tried on topics in one go, before others have their turn; and for which the
/// rehearsal of a migration may.
inline constexpr std::int64_t pattern_turn_ns = 20'000'000;
/// The same while there is no time left: enough for ordinary patterns.
inline constexpr std::int64_t pattern_short_turn_ns = 1'000'000;
/// What all groups of a node together may spend: so much at once, and so much of each millisecond that passes.
inline constexpr std::int64_t pattern_burst_ns = 200'000'000;
inline constexpr std::int64_t pattern_ns_each_ms = 300'000;
inline constexpr std::int64_t rehearsal_pattern_ns = 500'000'000;
/// Most entries of each of a member's two reports of task offsets, and most bytes of the subtopology ids in one.
inline constexpr std::size_t reported_tasks_max = 20'000;
inline constexpr std::size_t reported_id_bytes_max = 1024U * 1024;
/// Most former topologies of one group that are remembered while members run them.
inline constexpr std::size_t former_topologies_max = 16;
/// Longest topic name (Kafka's rule).
inline constexpr std::size_t topic_name_max = 249;
/// Most partitions one topic of the embedded catalogue may have.
inline constexpr std::int32_t topic_partitions_max = 100'000;
/// Most partitions of all topics of the embedded catalogue: an answer to Metadata may have to name them all.
inline constexpr std::int64_t catalogue_partitions_max = 1'000'000;
/// Most replicas of a partition there, and longest name of their racks in bytes.
inline constexpr std::size_t partition_replicas_max = 100;
inline constexpr std::size_t rack_name_bytes_max = 249;

/// Most members of one classic group in embedded mode.
inline constexpr std::size_t classic_members_max = 10'000;
/// Most protocols that a member of a classic group may offer, and most bytes of their names and metadata together (a
/// Kafka broker with its defaults cannot store more in one record).
inline constexpr std::size_t classic_protocols_max = 100;
inline constexpr std::size_t classic_protocol_bytes_max = 1024U * 1024;

/// The same of one consumer group there, topics that one of its members may name, and most bytes of its ids.
inline constexpr std::size_t consumer_members_max = 10'000;
inline constexpr std::size_t consumer_topics_max = 1'000;
inline constexpr std::size_t consumer_text_bytes_max = 1'000;

static_assert(source_topics_max < 32'768);
static_assert(array_elements_max < frame_bytes_max);
static_assert(names_per_request_max < request_elements_max && request_elements_max < array_elements_max);
static_assert(answer_bytes_max < std::size_t{1} << 31, "the length in front of a frame has 31 bits");
static_assert(classic_protocol_bytes_max < frame_bytes_max);

}  // namespace weir::limits
