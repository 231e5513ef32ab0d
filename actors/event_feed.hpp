// What happens in all groups, as it becomes durable: a ring of the newest events that followers read at their own pace.
// Groups write, the HTTP thread reads; nobody waits for a follower, and one that is too slow finds that it has lost its
// place. Owned by the coordinator; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "group/event.hpp"

namespace weir::actors {

struct feed_entry {
  std::uint64_t number = 0;  ///< rises; grows with the clock, so that it rises over a restart, too
  std::string group_id;
  std::shared_ptr<const group::event> what;
};

class event_feed {
  struct ear {  // one who listens
    std::function<void(std::string_view group_id)> hear;
  };

 public:
  static constexpr std::size_t entries_max = 2'000;
  /// About the memory that the entries may take; the newest one is kept whatever it takes.
  static constexpr std::size_t bytes_max = 32U * 1024 * 1024;

  /// Ends the listening when it goes; after that the function is not called any more.
  class listener {
   public:
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

   private:
    friend event_feed;
    listener(event_feed& from, std::list<ear>::iterator at) : from_(from), at_(at) {}
    event_feed& from_;
    std::list<ear>::iterator at_;
  };

  /// Takes the event; its time decides about its number.
  void publish(std::string_view group_id, std::shared_ptr<const group::event> what);

  /// `hear` is called with the group's id after each event, on the thread of the group, under a lock: it must not block
  /// and not use the feed. The feed must outlive the listener.
  [[nodiscard]] std::unique_ptr<listener> listen(std::function<void(std::string_view group_id)> hear);
  [[nodiscard]] std::size_t listeners() const;

  struct part {
    std::vector<feed_entry> entries;  ///< oldest first
    bool lost = false;                ///< there were more after `after`, which are gone
  };
  /// At most `most` entries with a greater number.
  [[nodiscard]] part read(std::uint64_t after, std::size_t most) const;
  /// The number of the newest entry; before the first one 0.
  [[nodiscard]] std::uint64_t newest() const;

 private:
  void drop_oldest();

  mutable std::mutex mutex_;
  std::deque<feed_entry> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t dropped_ = 0;  // number of the last entry that had to go
  std::list<ear> ears_;
};

}  // namespace weir::actors
