// Record batches, packed or not. Input: a batch; its length and checksum are put right first, so that what is behind
// them is reached. What is read is written and read again.
#include <algorithm>
#include <optional>

#include "protocol/crc32c.hpp"
#include "protocol/record_batch.hpp"
#include "tests/fuzz/check.hpp"

namespace {

constexpr std::size_t length_end = 12;
constexpr std::size_t checksum_at = 17;
constexpr std::size_t checked_from = 21;

void put(weir::bytes& out, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

bool same(const std::optional<weir::byte_view>& a, const std::optional<weir::byte_view>& b) {
  return a.has_value() == b.has_value() && (!a || std::equal(a->begin(), a->end(), b->begin(), b->end()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir;
  if (size < protocol::batch_prefix_bytes) return 0;
  bytes whole(data, data + size);
  [[maybe_unused]] const auto told = protocol::batch_size(byte_view(whole).first(protocol::batch_prefix_bytes));
  put(whole, length_end - 4, static_cast<std::uint32_t>(size - length_end));
  if (size > checked_from) put(whole, checksum_at, protocol::crc32c(byte_view(whole).subspan(checked_from)));
  const auto read = protocol::decode_batch(whole);
  if (!read || read->records.empty()) return 0;
  for (const auto& record : read->records) {
    [[maybe_unused]] const auto commits = protocol::transaction_commits(record);
  }
  const auto written = protocol::encode_batch(0, 0, read->records);
  fuzz::check(protocol::batch_size(byte_view(written).first(protocol::batch_prefix_bytes)) == written.size());
  const auto again = protocol::decode_batch(written);
  fuzz::check(again && again->records.size() == read->records.size());
  for (std::size_t i = 0; i < read->records.size(); ++i) {
    fuzz::check(same(again->records[i].key, read->records[i].key));
    fuzz::check(same(again->records[i].value, read->records[i].value));
  }
  return 0;
}
