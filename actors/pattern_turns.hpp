// Patterns are tried on topics for one turn at a time, so that other groups do not wait (decision 013): a request that
// needs more is refused for now, and the group goes on by itself, a turn at each wake-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
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

/// What one request or wake-up may do. It begins when something is to be tried: until then it costs nothing and takes
/// no lock. If the node has no time for it, it is a short one, enough for ordinary patterns, and only for what has not
/// been tried on the image: those do not wait for large ones.
class pattern_turn {
 public:
  pattern_turn(pattern_budget& budget, std::int64_t now_ms) : budget_(budget), now_ms_(now_ms) {}
  ~pattern_turn();
  pattern_turn(const pattern_turn&) = delete;
  pattern_turn& operator=(const pattern_turn&) = delete;

  /// Begins the turn. Null: it is over, or too short for this. `is_untried`: not tried on the image at all.
  [[nodiscard]] group::match_meter* meter_for(bool is_untried);
  /// False if it has begun and the node had no time for it.
  [[nodiscard]] bool had_time() const noexcept { return !begun_ || begun_->has_time; }

 private:
  struct course {
    bool has_time;
    std::int64_t began_ns;
    group::match_meter meter;
  };
  pattern_budget& budget_;
  std::int64_t now_ms_;
  std::optional<course> begun_;
};

/// How far it has come.
struct tried_patterns {
  bool is_done = false;              ///< all topics of the image have been tried
  std::size_t untried = 0;           ///< topics, until it is done
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
  /// Topics on which the patterns of that topology are not tried; 0 if it is done, or nobody asks for it any longer.
  [[nodiscard]] std::size_t untried(const group::topology& of) const;
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
