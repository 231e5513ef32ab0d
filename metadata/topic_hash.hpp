// Topic hash and group hash of KIP-1101 as shipped (spec 02, section 7): XXH3 64 bit over a fixed byte layout. Values
// are compared with those in records written by Kafka, so every byte counts.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "metadata/image.hpp"

namespace weir::metadata {

/// Spec 02, 7.1. Does not depend on the order of the replicas of a partition.
[[nodiscard]] std::int64_t topic_hash(const topic& topic);

/// The bytes topic_hash() hashes.
[[nodiscard]] bytes topic_hash_input(const topic& topic);

/// Spec 02, 7.3: of the hashes of the topics that exist, in order of their names. 0 if there is none.
[[nodiscard]] std::int64_t group_hash(std::span<const std::int64_t> topic_hashes);

}  // namespace weir::metadata
