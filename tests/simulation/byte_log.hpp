// The record log as bytes, the way Kafka and LMDB keep it. Everything the coordinator writes goes through the codec,
// and a replay sees any of the forms that a log can have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "group/streams_group.hpp"

namespace weir::simulation {

class byte_log {
 public:
  /// `mutilate`: the last record of the write is swallowed.
  void append(const std::string& group_id, const group::records& written, bool mutilate = false);
  /// Rebuilds the group from the log. `chance` picks the form: as it was written; compacted up to some point, with or
  /// without tombstones there; or only the live records in the order of their keys.
  [[nodiscard]] group::streams_group replay(const std::string& group_id, std::uint64_t chance) const;
  void forget_last_append();

 private:
  struct entry {
    std::string key;
    std::optional<bytes> value;
  };
  void apply_entry(group::streams_group& group, const entry& e) const;
  [[nodiscard]] std::vector<const entry*> compacted(std::size_t cut, bool keeps_tombstones) const;
  [[nodiscard]] std::vector<const entry*> live_by_key() const;

  std::vector<entry> entries_;
  std::size_t last_append_ = 0;  // index of its first entry
};

/// Every hard field in which two groups differ, by name.
[[nodiscard]] std::string differences(const group::streams_group& a, const group::streams_group& b);

}  // namespace weir::simulation
