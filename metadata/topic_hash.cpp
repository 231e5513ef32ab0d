#include "metadata/topic_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf16.hpp"

namespace weir::metadata {
namespace {

constexpr std::uint8_t layout_version = 0;

/// Writes the layout into a zeroed buffer. Its size is counted first, so that it writes without checking for room.
class input_writer {
 public:
  explicit input_writer(std::size_t size) : out_(size), at_(out_.data()) {}

  template <std::unsigned_integral Integer>
  void little_endian(Integer value) {
    std::uint8_t* to = at_;  // a local pointer: writes through uint8_t could otherwise change the member
    for (std::size_t i = 0; i < sizeof(Integer); ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
    at_ += sizeof(Integer);
  }

  void ascii(std::string_view text) {
    std::uint8_t* to = at_;
    for (std::size_t i = 0; i < text.size(); ++i) to[2 * i] = static_cast<std::uint8_t>(text[i]);
    at_ += 2 * text.size();
  }

  void units(std::u16string_view text) {
    for (char16_t unit : text) little_endian(static_cast<std::uint16_t>(unit));
  }

  bytes take() {
    out_.resize(static_cast<std::size_t>(at_ - out_.data()));
    return std::move(out_);
  }

 private:
  bytes out_;
  std::uint8_t* at_;
};

std::uint32_t length_of(std::size_t units) { return static_cast<std::uint32_t>(units); }

/// An upper bound: no text has more UTF-16 units than UTF-8 bytes.
std::size_t size_bound(const topic& topic) {
  std::size_t size = 1 + 16 + 2 * topic.name.size() + 4 + 4 + 4 * topic.partition_racks.size();
  for (const auto& racks : topic.partition_racks) {
    for (const auto& rack : racks) size += 8 + 2 * rack.size();
  }
  return size;
}

void write_ascii_racks(input_writer& out, const std::vector<std::string>& racks,
                       std::vector<std::string_view>& sorted) {
  sorted.assign(racks.begin(), racks.end());
  std::ranges::sort(sorted);
  for (auto rack : sorted) {
    out.little_endian(length_of(rack.size()));
    out.ascii(rack);
    out.little_endian(length_of(rack.size()));
  }
}

/// Order by UTF-16 unit is not the order of the UTF-8 bytes once a character above U+FFFF is there.
void write_any_racks(input_writer& out, const std::vector<std::string>& racks) {
  std::vector<std::u16string> sorted;
  for (const auto& rack : racks) sorted.push_back(to_utf16(rack));
  std::ranges::sort(sorted);
  for (const auto& rack : sorted) {
    out.little_endian(length_of(rack.size()));
    out.units(rack);
    out.little_endian(length_of(rack.size()));
  }
}

}  // namespace

std::int64_t topic_hash(const topic& topic) {
  bytes input = topic_hash_input(topic);
  return static_cast<std::int64_t>(XXH3_64bits(input.data(), input.size()));
}

bytes topic_hash_input(const topic& topic) {
  input_writer out(size_bound(topic));
  out.little_endian(layout_version);
  out.little_endian(topic.id.high);
  out.little_endian(topic.id.low);
  std::u16string name = to_utf16(topic.name);
  out.units(name);
  out.little_endian(length_of(name.size()));
  out.little_endian(length_of(topic.partition_racks.size()));
  std::uint32_t partition = 0;
  std::vector<std::string_view> scratch;
  for (const auto& racks : topic.partition_racks) {
    out.little_endian(partition++);
    if (std::ranges::all_of(racks, is_ascii)) {
      write_ascii_racks(out, racks, scratch);
    } else {
      write_any_racks(out, racks);
    }
  }
  return out.take();
}

std::int64_t group_hash(std::span<const std::int64_t> topic_hashes) {
  if (topic_hashes.empty()) return 0;
  input_writer out(topic_hashes.size() * sizeof(std::int64_t));
  for (auto hash : topic_hashes) out.little_endian(static_cast<std::uint64_t>(hash));
  bytes input = out.take();
  return static_cast<std::int64_t>(XXH3_64bits(input.data(), input.size()));
}

}  // namespace weir::metadata
