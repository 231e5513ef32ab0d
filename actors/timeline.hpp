// The story of one group: its events as the log keeps them. Nothing of it is in memory but the events that a rebalance
// which is not over may still add to, and the times of the others; it is read from the log when the first event comes
// or somebody asks. What is written goes with the group's own append, so both are durable or neither is. Owned by the
// group's shell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "group/event.hpp"
#include "group/streams_group.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

struct timeline_limits {
  std::size_t events_max = 200;              ///< kept of a group, at least 1
  std::int64_t retention_ms = 604'800'000;   ///< and no longer than that
};

/// Which events are asked for.
struct timeline_query {
  std::uint64_t below = 0;  ///< those with a smaller index; 0: from the newest on
  std::size_t most = 100;   ///< at least 1
  std::optional<group::cause> only;
};

struct timeline_page {
  std::vector<group::event> events;  ///< newest first
  std::uint64_t newest = 0;          ///< index of the group's newest event; 0: there is none
  bool complete = false;             ///< nothing older follows
};

class timeline {
 public:
  timeline(storage::record_log& log, const std::string& group_id, timeline_limits limits)
      : log_(log), group_id_(group_id), limits_(limits) {}

  /// What a change of the group means to its story. `news` are the new events as kept.
  struct outcome {
    std::vector<storage::table_write> writes;
    std::vector<std::shared_ptr<const group::event>> news;
  };
  /// Before the records of a change are applied.
  void before(const group::streams_group& group);
  /// After. The events get their index; those of a rebalance that is over now, or that a newer one overtakes, get how
  /// that ended. A group that is no streams group any longer loses its story.
  [[nodiscard]] outcome after(const group::streams_group& group, std::vector<group::event> events,
                              std::int64_t now_ms);
  /// A write failed, or the log may have changed: everything is read again.
  void forget();

  /// As the log has it: what is not durable is not told.
  [[nodiscard]] timeline_page read(const timeline_query& query, std::int64_t now_ms) const;

 private:
  bool load();
  bool take_stored(std::string_view key, std::string_view value, std::vector<std::int64_t>& times,
                   std::size_t& apart);
  void reopen(group::event event);
  void tell(outcome& out, const group::streams_group& group, std::vector<group::event> events, std::int64_t now_ms);
  void add(outcome& out, std::vector<group::event> events);
  void remove_all(outcome& out);
  void overtake(outcome& out, std::int32_t group_epoch);
  void settle(group::event& what, bool is_new, std::int64_t now_ms) const;
  void prune(outcome& out, std::int64_t now_ms);
  [[nodiscard]] std::uint64_t own_index(std::string_view key) const;
  [[nodiscard]] storage::table_write to_write(const group::event& what) const;

  storage::record_log& log_;
  const std::string& group_id_;
  timeline_limits limits_;
  bool loaded_ = false;
  std::uint64_t next_ = 1;            // index of the next event
  std::vector<std::int64_t> times_;   // of the stored events; the last one has index next_ - 1
  std::vector<group::event> open_;    // of the rebalance that is not over
  bool was_streams_ = false;          // before the change
  std::optional<group::hindrance> hindrance_;  // likewise; looked for only if something is open
};

}  // namespace weir::actors
