// Patterns are tried on topics for one turn at a time, so that other groups do not wait (decision 013): a request that
// needs more is refused for now, and the group goes on by itself, a turn at each wake-up.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/limits.hpp"
#include "group/topology/patterns.hpp"
#include "metadata/image.hpp"

namespace weir::actors {

/// Processor time that all groups of a node together may spend with patterns: a share of one core, however many groups
/// and requests there are. Any thread.
class pattern_budget {
 public:
  [[nodiscard]] bool has_time(std::int64_t now_ms);
  void spend(std::int64_t used_ns);

 private:
  std::mutex mutex_;
  std::int64_t left_ns_ = limits::pattern_burst_ns;
  std::int64_t filled_ms_ = 0;
};

/// From its making to its end: what one request or wake-up may do. If the node has no time for it, it is a short one,
/// enough for ordinary patterns, and only for what has not been tried on the image: those do not wait for large ones.
class pattern_turn {
 public:
  pattern_turn(pattern_budget& budget, std::int64_t now_ms);
  ~pattern_turn();
  pattern_turn(const pattern_turn&) = delete;
  pattern_turn& operator=(const pattern_turn&) = delete;

  [[nodiscard]] bool had_time() const noexcept { return has_time_; }
  [[nodiscard]] bool is_over() const noexcept { return meter_.is_over(); }
  [[nodiscard]] group::match_meter& meter() noexcept { return meter_; }

 private:
  pattern_budget& budget_;
  bool has_time_;
  std::int64_t began_ns_;
  group::match_meter meter_;
};

/// How far it has come.
struct tried_patterns {
  bool is_done = false;              ///< all topics of the image have been tried
  group::pattern_matches_ptr found;  ///< null: they are not done, or cannot be used
};

/// Owned by a group, used by one thread at a time.
class pattern_turns {
 public:
  /// Whose patterns: a topology and what they matched in an older image, null if that is not known. `is_new`: no group
  /// has the topology yet, see group::match_patterns().
  struct question {
    const group::topology& of;
    group::pattern_matches_ptr known;
    bool is_new = false;
  };

  /// Goes on with them until the turn is over. O(topics) for those that have been tried.
  [[nodiscard]] tried_patterns try_on(const question& asked, const metadata::image& image, pattern_turn& turn,
                                      std::int64_t now_ms);
  /// Goes on with what is not done; what nobody has asked for in a while is forgotten.
  void go_on(const metadata::image& image, pattern_turn& turn, std::int64_t now_ms);
  [[nodiscard]] bool has_more() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }

 private:
  struct job {
    group::topology of;
    bool is_new = false;
    tried_patterns so_far;
    std::int64_t image_version = -1;
    std::int64_t asked_ms = 0;
  };
  static void advance(job& one, const metadata::image& image, pattern_turn& turn);
  [[nodiscard]] job* find_or_add(const question& asked, std::int64_t now_ms);

  std::vector<job> jobs_;
};

}  // namespace weir::actors
