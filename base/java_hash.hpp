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

/// How a hash map visits keys.
struct java_visit {
  std::vector<std::uint32_t> order;  ///< indexes of the keys
  bool differ = false;               ///< no two hashes are equal. In a crowded map false although they differ.
};

/// The order in which a `java.util.HashMap` visits keys of these hashes after one `put` each, in the order given. The
/// keys differ. Not modelled: buckets that become trees (more than eight keys of one bucket in a map of 64 or more).
[[nodiscard]] java_visit java_map_visit(std::span<const std::int32_t> hashes);

/// The same for a map made with this initial capacity (at least 1) and filled by `computeIfAbsent`, which grows one key
/// later and puts the newest key of a bucket first.
[[nodiscard]] java_visit java_computed_map_visit(std::span<const std::int32_t> hashes, std::size_t capacity);

/// Indexes of the keys in the order of java_map_visit.
[[nodiscard]] std::vector<std::size_t> java_map_order(std::span<const std::string_view> keys);

}  // namespace weir
