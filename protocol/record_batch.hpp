// Kafka's record batches of magic 2: a segment file of a partition is nothing but these, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::protocol {

/// So much of a batch says how long the whole is.
inline constexpr std::size_t batch_prefix_bytes = 17;
/// Largest batch that is read, packed or unpacked.
inline constexpr std::size_t batch_bytes_max = std::size_t{64} << 20;

/// A record of a batch. Key and value are views; a value that is absent is a tombstone.
struct batch_record {
  std::int64_t offset = 0;
  std::optional<byte_view> key;
  std::optional<byte_view> value;
};

/// A decoded batch. Records look into what it was decoded from, or into `unpacked`.
struct record_batch {
  std::int64_t base_offset = 0;
  std::int64_t last_offset = 0;
  std::int64_t producer_id = -1;  ///< -1 = none
  bool transactional = false;
  bool control = false;  ///< its records end a transaction; see transaction_commits
  std::vector<batch_record> records;
  bytes unpacked;  ///< of a compressed batch
};

/// The size of the batch that begins with these batch_prefix_bytes. Error: they begin no batch of magic 2, or one that
/// is too large.
[[nodiscard]] result<std::size_t> batch_size(byte_view prefix);

/// A whole batch. Error: a wrong checksum, an unknown or unsupported compression (none and gzip are read), records that
/// do not fit.
[[nodiscard]] result<record_batch> decode_batch(byte_view whole);

/// What a record of a control batch says: true commits, false aborts, nothing is a control record of another kind.
[[nodiscard]] result<std::optional<bool>> transaction_commits(const batch_record& marker);

/// A batch without compression and without a producer. Records get the offsets from base_offset on, their own are not
/// looked at. At least one record.
[[nodiscard]] bytes encode_batch(std::int64_t base_offset, std::int64_t timestamp_ms,
                                 std::span<const batch_record> records);

}  // namespace weir::protocol
