// The order in which Java's hash maps visit text keys. Kafka takes some of its decisions in that order, so whoever must
// decide the same has to follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

/// `String.hashCode()` of the text, which counts UTF-16 units.
[[nodiscard]] std::int32_t java_hash(std::string_view utf8);

/// Indexes of the keys in the order in which a `java.util.HashMap` visits them after one `put` each, in the order
/// given. The keys differ. Not modelled: buckets that become trees (more than eight keys of one bucket in a map of 64
/// or more).
[[nodiscard]] std::vector<std::size_t> java_map_order(std::span<const std::string_view> keys);

/// The same for a map made with this initial capacity (at least 1) and filled by `computeIfAbsent`, which grows one key
/// later and puts the newest key of a bucket first.
[[nodiscard]] std::vector<std::size_t> java_computed_map_order(std::span<const std::string_view> keys,
                                                               std::size_t capacity);

}  // namespace weir
