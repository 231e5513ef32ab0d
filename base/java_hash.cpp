#include "base/java_hash.hpp"

#include <bit>
#include <numeric>
#include <utility>

#include "base/utf16.hpp"

namespace weir {
namespace {

/// Keys a map of so many buckets holds without growing: load factor 0.75.
std::size_t keys_before_growth(std::size_t buckets) { return buckets * 3 / 4; }

std::size_t grown(std::size_t buckets, std::size_t keys) {
  while (keys > keys_before_growth(buckets)) buckets *= 2;
  return buckets;
}

/// Keys of one bucket that are looked at to see whether two hashes are equal.
constexpr std::size_t crowd = 16;

/// Which of the keys of these hashes are in which of so many buckets, a power of two.
class by_bucket {
 public:
  by_bucket(std::span<const std::int32_t> hashes, std::size_t buckets)
      : hashes_(hashes),
        mask_(static_cast<std::uint32_t>(buckets - 1)),
        places_(buckets + 1, 0),
        order_(hashes.size()) {
    for (const auto hash : hashes_) ++places_[bucket_of(hash) + 1];
    std::partial_sum(places_.begin(), places_.end(), places_.begin());
  }

  /// Within a bucket as they came, as growing a map keeps it, too.
  java_visit oldest_first() && {
    for (std::uint32_t i = 0; i < hashes_.size(); ++i) order_[places_[bucket_of(hashes_[i])]++] = i;
    return std::move(*this).made();
  }

  java_visit newest_first() && {
    for (std::uint32_t i = 0; i < hashes_.size(); ++i) order_[--places_[bucket_of(hashes_[i]) + 1]] = i;
    return std::move(*this).made();
  }

 private:
  [[nodiscard]] std::uint32_t bucket_of(std::int32_t hash) const {
    const auto bits = static_cast<std::uint32_t>(hash);
    return (bits ^ bits >> 16) & mask_;
  }

  java_visit made() && {
    const bool differ = do_differ();
    return {.order = std::move(order_), .differ = differ};
  }

  /// Equal hashes are in one bucket.
  [[nodiscard]] bool do_differ() const {
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const auto hash = hashes_[order_[i]];
      for (auto j = i; j > 0 && bucket_of(hashes_[order_[j - 1]]) == bucket_of(hash); --j) {
        if (hashes_[order_[j - 1]] == hash || i - j >= crowd) return false;
      }
    }
    return true;
  }

  std::span<const std::int32_t> hashes_;
  std::uint32_t mask_;
  std::vector<std::uint32_t> places_;  // bucket -> place of its first key; one more at the end
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::int32_t java_hash(std::string_view utf8) {
  constexpr std::uint32_t square = 31 * 31;
  std::uint32_t hash = 0;
  std::uint32_t seen = 0;
  const auto unit = [&](std::size_t i) {
    const std::uint32_t byte = static_cast<unsigned char>(utf8[i]);
    seen |= byte;
    return byte;
  };
  std::size_t i = 0;
  for (; i + 4 <= utf8.size(); i += 4) {  // four at a time: one by one each step waits for the one before
    hash = square * square * hash + 31 * square * unit(i) + square * unit(i + 1) + 31 * unit(i + 2) + unit(i + 3);
  }
  for (; i < utf8.size(); ++i) hash = 31 * hash + unit(i);
  if (seen < 0x80) return static_cast<std::int32_t>(hash);
  hash = 0;
  for (const char16_t other : to_utf16(utf8)) hash = 31 * hash + other;
  return static_cast<std::int32_t>(hash);
}

java_visit java_map_visit(std::span<const std::int32_t> hashes) {
  return by_bucket(hashes, grown(16, hashes.size())).oldest_first();
}

java_visit java_computed_map_visit(std::span<const std::int32_t> hashes, std::size_t capacity) {
  if (hashes.empty()) return {.order = {}, .differ = true};
  return by_bucket(hashes, grown(std::bit_ceil(capacity), hashes.size() - 1)).newest_first();
}

std::vector<std::size_t> java_map_order(std::span<const std::string_view> keys) {
  std::vector<std::int32_t> hashes;
  hashes.reserve(keys.size());
  for (const auto key : keys) hashes.push_back(java_hash(key));
  const auto visit = java_map_visit(hashes);
  return {visit.order.begin(), visit.order.end()};
}

}  // namespace weir
