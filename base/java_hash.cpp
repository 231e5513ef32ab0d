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

/// Sorts the indexes by bucket; within one, the order they have is kept, as growing a map keeps it, too.
void sort_by_bucket(std::vector<std::size_t>& indexes, std::span<const std::string_view> keys, std::size_t buckets) {
  std::vector<std::uint32_t> bucket_of(keys.size());
  std::vector<std::uint32_t> next(buckets + 1, 0);  // bucket -> where its next index goes
  for (const auto index : indexes) {
    const auto hash = static_cast<std::uint32_t>(java_hash(keys[index]));
    bucket_of[index] = (hash ^ hash >> 16) & static_cast<std::uint32_t>(buckets - 1);
    ++next[bucket_of[index] + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::size_t> sorted(indexes.size());
  for (const auto index : indexes) sorted[next[bucket_of[index]]++] = index;
  indexes = std::move(sorted);
}

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

std::vector<std::size_t> java_map_order(std::span<const std::string_view> keys) {
  std::vector<std::size_t> order;
  order.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order.push_back(i);
  sort_by_bucket(order, keys, grown(16, keys.size()));
  return order;
}

std::vector<std::size_t> java_computed_map_order(std::span<const std::string_view> keys, std::size_t capacity) {
  std::vector<std::size_t> order;
  order.reserve(keys.size());
  for (auto i = keys.size(); i > 0; --i) order.push_back(i - 1);
  if (!keys.empty()) sort_by_bucket(order, keys, grown(std::bit_ceil(capacity), keys.size() - 1));
  return order;
}

}  // namespace weir
