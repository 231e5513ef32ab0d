// Offsets that were committed inside transactions which have not ended (spec 04, 8.3 and 13.3). Values, kept with a
// group's soft state: whoever restarts aborts what is open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "group/record.hpp"

namespace weir::group {

struct pending_offset {
  committed_offset value;
  std::uint64_t order = 0;  ///< grows with every pending offset of the group
  /// The partition got another offset meanwhile: the end of this transaction changes nothing there.
  bool superseded = false;
};

/// Everything one producer has pending in one group.
struct open_transaction {
  std::int16_t producer_epoch = 0;
  std::int64_t deadline_ms = 0;  ///< then it is aborted
  std::map<std::string, std::map<std::int32_t, pending_offset>, std::less<>> offsets;
};

struct open_transactions {
  std::map<std::int64_t, open_transaction> by_producer;
  std::uint64_t last_order = 0;

  [[nodiscard]] bool empty() const noexcept { return by_producer.empty(); }
  [[nodiscard]] bool is_pending(std::string_view topic, std::int32_t partition) const;
  /// An offset of that partition was written: those pending there count no longer.
  void supersede(std::string_view topic, std::int32_t partition);
  /// The partition's offset is deleted, pending ones too.
  void forget(std::string_view topic, std::int32_t partition);
  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
};

}  // namespace weir::group
