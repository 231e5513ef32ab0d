// Offsets that were committed inside transactions which have not ended (spec 04, 8.3 and 13.3). Values, kept with a
// group's soft state: whoever restarts aborts what is open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "group/record.hpp"

namespace weir::group {

/// Topic and partition.
using offset_name = std::pair<std::string, std::int32_t>;

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

  /// What is pending there, or nullptr.
  [[nodiscard]] const pending_offset* find(std::string_view topic, std::int32_t partition) const;
  [[nodiscard]] pending_offset* find(std::string_view topic, std::int32_t partition);
};

/// What becomes of the transaction of one producer; without `now` it has none.
struct transaction_change {
  std::int64_t producer_id = -1;
  std::optional<open_transaction> now;
};

struct open_transactions {
  std::map<std::int64_t, open_transaction> by_producer;
  std::uint64_t last_order = 0;

  [[nodiscard]] bool empty() const noexcept { return by_producer.empty(); }
  [[nodiscard]] bool is_pending(std::string_view topic, std::int32_t partition) const;
  /// Every partition with something pending.
  [[nodiscard]] std::set<offset_name> pending() const;
  /// Whose transactions have something pending there.
  [[nodiscard]] std::vector<std::int64_t> producers_of(std::string_view topic, std::int32_t partition) const;
  /// The change that would bring the producer's transaction back to what it is now.
  [[nodiscard]] transaction_change current(std::int64_t producer_id) const;
  void take(transaction_change change);
  /// An offset of that partition was written: those pending there count no longer.
  void supersede(std::string_view topic, std::int32_t partition);
  /// The partition's offset is deleted, pending ones too. A transaction that loses its last one stays open.
  void forget(std::string_view topic, std::int32_t partition);
  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
};

}  // namespace weir::group
