#include "protocol/record_batch.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/gzip.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::protocol {
namespace {

constexpr std::size_t length_end = 12;    // base offset, length: the length counts what is behind it
constexpr std::size_t checked_from = 21;  // the checksum covers everything behind itself
constexpr std::size_t header_bytes = 61;
constexpr std::int8_t magic_two = 2;
constexpr std::int16_t compression_bits = 7;
constexpr std::int16_t transactional_bit = 0x10;
constexpr std::int16_t control_bit = 0x20;
constexpr std::size_t record_bytes_min = 7;

/// Zigzag varint, as records use it. The wire's own varints are unsigned and end at 32 bits.
std::int64_t signed_varint(wire::reader& in) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(in.int8());
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80) == 0) return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  in.fail("varint of more than 64 bits");
  return 0;
}

void put_signed_varint(wire::writer& out, std::int64_t value) {
  auto left = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; left > 0x7F; left >>= 7) out.int8(static_cast<std::int8_t>(left | 0x80));
  out.int8(static_cast<std::int8_t>(left));
}

std::optional<byte_view> nullable_bytes(wire::reader& in) {
  const auto size = signed_varint(in);
  if (size < 0) return std::nullopt;
  const auto data = in.raw(static_cast<std::size_t>(size)).view();
  return byte_view(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
}

void put_nullable_bytes(wire::writer& out, const std::optional<byte_view>& data) {
  put_signed_varint(out, data ? static_cast<std::int64_t>(data->size()) : -1);
  if (data) out.raw({reinterpret_cast<const char*>(data->data()), data->size()});
}

/// Headers are of no interest: the coordinator writes none.
void skip_headers(wire::reader& in) {
  for (auto left = signed_varint(in); left > 0 && in.ok(); --left) {
    nullable_bytes(in);
    nullable_bytes(in);
  }
}

batch_record read_record(wire::reader& in, const record_batch& batch) {
  batch_record out;
  const auto size = signed_varint(in);
  if (size < 0 || static_cast<std::uint64_t>(size) > in.left()) {
    in.fail("a record longer than what is left");
    return out;
  }
  in.exactly(static_cast<std::size_t>(size), [&] {
    in.int8();  // attributes: none are defined
    signed_varint(in);
    const auto delta = signed_varint(in);
    if (delta < 0 || delta > batch.last_offset - batch.base_offset) return in.fail("an offset outside the batch");
    out.offset = batch.base_offset + delta;
    out.key = nullable_bytes(in);
    out.value = nullable_bytes(in);
    skip_headers(in);
    if (in.left() > 0) in.fail("bytes left over in a record");
  });
  return out;
}

void put_record(bytes& out, std::int64_t delta, const batch_record& record) {
  bytes body;
  wire::writer inner(body);
  inner.int8(0);
  put_signed_varint(inner, 0);
  put_signed_varint(inner, delta);
  put_nullable_bytes(inner, record.key);
  put_nullable_bytes(inner, record.value);
  put_signed_varint(inner, 0);
  wire::writer outer(out);
  put_signed_varint(outer, static_cast<std::int64_t>(body.size()));
  out.insert(out.end(), body.begin(), body.end());
}

std::uint32_t checksum_of(byte_view whole) { return crc32c(whole.subspan(checked_from)); }

/// The records of a batch as they lie; those of a compressed one are put into `unpacked`.
result<byte_view> unpack(byte_view packed, std::int16_t compression, bytes& unpacked) {
  constexpr std::int16_t none = 0;
  constexpr std::int16_t gzip = 1;
  if (compression == none) return packed;
  if (compression != gzip) {
    static constexpr std::string_view names[] = {"none", "gzip", "snappy", "lz4", "zstd"};
    const auto known = static_cast<std::size_t>(compression) < std::size(names);
    return fail(fmt::format("compressed with {}, which is not read; none and gzip are",
                            known ? std::string(names[compression]) : fmt::format("codec {}", compression)));
  }
  auto plain = gunzip(packed, batch_bytes_max);
  if (!plain) return tl::unexpected(plain.error());
  unpacked = std::move(*plain);
  return byte_view(unpacked);
}

result<void> read_records(record_batch& batch, byte_view from, std::int32_t count) {
  if (count < 0 || static_cast<std::size_t>(count) > from.size() / record_bytes_min) {
    return fail(fmt::format("{} records in {} bytes", count, from.size()));
  }
  wire::reader in(from);
  for (std::int32_t i = 0; i < count && in.ok(); ++i) {
    batch.records.push_back(read_record(in, batch));
    const auto offset = batch.records.back().offset;
    if (i > 0 && offset <= batch.records[batch.records.size() - 2].offset) in.fail("offsets that do not grow");
  }
  if (in.ok() && in.left() > 0) in.fail("bytes left over");
  if (!in.ok()) return fail(fmt::format("records that do not fit: {}", in.reason()));
  return {};
}

}  // namespace

result<std::size_t> batch_size(byte_view prefix) {
  WEIR_ASSERT(prefix.size() == batch_prefix_bytes);
  wire::reader in(prefix);
  const auto base_offset = in.int64();
  const auto length = in.int32();
  in.int32();  // leader epoch
  const auto magic = in.int8();
  if (magic == 0 || magic == 1) return fail(fmt::format("messages of the old format {}, which is not read", magic));
  if (magic != magic_two || base_offset < 0 || length < 0) return fail("not a record batch");
  const auto size = length_end + static_cast<std::size_t>(length);
  if (size < header_bytes) return fail("not a record batch");
  constexpr auto too_large = "a batch of {} bytes; at most {} are read";
  if (size > batch_bytes_max) return fail(fmt::format(too_large, size, batch_bytes_max));
  return size;
}

result<record_batch> decode_batch(byte_view whole) {
  if (whole.size() < header_bytes) return fail("not a record batch");
  wire::reader in(whole);
  record_batch batch;
  batch.base_offset = in.int64();
  if (in.uint32() != whole.size() - length_end) return fail("not a record batch");
  in.int32();  // leader epoch
  in.int8();   // magic
  if (in.uint32() != checksum_of(whole)) return fail("the checksum is wrong: the batch is damaged");
  const auto attributes = in.int16();
  const auto last_delta = in.int32();
  constexpr auto offset_max = std::numeric_limits<std::int64_t>::max();
  if (last_delta < 0 || batch.base_offset < 0 || batch.base_offset > offset_max - last_delta) {
    return fail("offsets outside the range");
  }
  batch.last_offset = batch.base_offset + last_delta;
  in.int64();  // base timestamp
  in.int64();  // largest timestamp
  batch.producer_id = in.int64();
  in.int16();  // producer epoch
  in.int32();  // base sequence
  const auto count = in.int32();
  batch.transactional = (attributes & transactional_bit) != 0;
  batch.control = (attributes & control_bit) != 0;
  const auto compression = static_cast<std::int16_t>(attributes & compression_bits);
  const auto records = unpack(whole.subspan(header_bytes), compression, batch.unpacked);
  if (!records) return tl::unexpected(records.error());
  if (auto read = read_records(batch, *records, count); !read) return tl::unexpected(read.error());
  return batch;
}

result<std::optional<bool>> transaction_commits(const batch_record& marker) {
  constexpr std::int16_t aborts = 0;
  constexpr std::int16_t commits = 1;
  if (!marker.key) return fail("a control record without a key");
  wire::reader in(*marker.key);
  in.int16();  // version: the type stays where it is in later ones
  const auto type = in.int16();
  if (!in.ok()) return fail("a control record with a short key");
  if (type != aborts && type != commits) return std::optional<bool>();
  return std::optional(type == commits);
}

bytes encode_batch(std::int64_t base_offset, std::int64_t timestamp_ms, std::span<const batch_record> records) {
  WEIR_ASSERT(!records.empty());
  constexpr std::size_t length_at = 8;
  constexpr std::size_t checksum_at = 17;
  const auto count = static_cast<std::int32_t>(records.size());
  bytes out;
  wire::writer writer(out);
  writer.int64(base_offset);
  writer.int32(0);  // length, below
  writer.int32(0);  // leader epoch
  writer.int8(magic_two);
  writer.int32(0);  // checksum, below
  writer.int16(0);  // attributes: nothing special
  writer.int32(count - 1);
  writer.int64(timestamp_ms);
  writer.int64(timestamp_ms);
  writer.int64(-1);  // producer
  writer.int16(-1);
  writer.int32(-1);
  writer.int32(count);
  for (std::int32_t i = 0; i < count; ++i) put_record(out, i, records[static_cast<std::size_t>(i)]);
  writer.patch_int32(length_at, static_cast<std::int32_t>(out.size() - length_end));
  writer.patch_int32(checksum_at, static_cast<std::int32_t>(checksum_of(out)));
  return out;
}

}  // namespace weir::protocol
