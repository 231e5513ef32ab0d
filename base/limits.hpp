// Limits that are not configuration: bounds on what may come from outside or grow. Related ones are checked against
// each other at compile time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::limits {

/// Largest frame accepted from a client or an upstream, bytes (Kafka's socket.request.max.bytes default).
inline constexpr std::size_t frame_bytes_max = 100U * 1024 * 1024;
/// Most elements of one array on the wire; every element takes at least one byte, so this only matters for huge frames.
inline constexpr std::size_t array_elements_max = 16U * 1024 * 1024;
/// Deepest nesting of arrays and structures in a message.
inline constexpr int nesting_max = 16;
/// Most subtopologies of one topology: deriving partition counts along a chain of them is quadratic.
inline constexpr std::size_t subtopologies_max = 1'000;
/// Longest topic name (Kafka's rule).
inline constexpr std::size_t topic_name_max = 249;
/// Most partitions one topic of the embedded catalogue may have.
inline constexpr std::int32_t topic_partitions_max = 100'000;

/// Most members of one classic group in embedded mode.
inline constexpr std::size_t classic_members_max = 10'000;

static_assert(array_elements_max < frame_bytes_max);

}  // namespace weir::limits
