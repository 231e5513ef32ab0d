// offset_order: a fetch of a group's offsets must not overtake a commit that was accepted here and is still on its way
// to the upstream (spec 05, 8.5): the new owner of a task would start from an old offset.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace weir::gateway {

/// Shared by all connections; any thread. Commits are counted through open_commit.
class offset_order {
 public:
  /// Commits in the order they were accepted.
  using ticket = std::uint64_t;

  /// A commit of the group was accepted and goes upstream now.
  [[nodiscard]] ticket commit_started(std::string_view group_id);
  /// Its outcome is known.
  void commit_settled(std::string_view group_id, ticket commit);
  /// The connection broke first: the commit may still arrive, so fetches wait for it until settle_ms from now.
  void commit_lost(std::string_view group_id, ticket commit, std::int64_t now_ms);

  /// Runs `fetch` when no commit that was accepted earlier is open: at once, or later from the thread that settles the
  /// last one. Later commits do not hold it, or a busy group's fetches would never go.
  void when_settled(std::string_view group_id, std::function<void()> fetch);
  /// Lost commits whose time is over count as settled. Called every second or so.
  void expire(std::int64_t now_ms);

  /// How long a commit whose connection broke may still be on its way, ms.
  static constexpr std::int64_t settle_ms = 10'000;

 private:
  using action = std::function<void()>;
  struct waiting_fetch {
    ticket before;  ///< waits for the commits below
    action fetch;
  };
  struct open_commits {
    std::set<ticket> open;
    std::map<ticket, std::int64_t> lost_until_ms;  // a part of the open ones
    std::deque<waiting_fetch> waiting;             // in the order of `before`
  };
  using group_map = std::map<std::string, open_commits, std::less<>>;
  static void release(open_commits& group, std::vector<action>& ready);

  std::mutex mutex_;
  ticket next_ = 0;
  group_map groups_;  // only groups with open commits
};

/// One commit from its acceptance on. However its request ends, also by being dropped with its connection, the commit
/// ends in the order: as settled, or else as lost.
class open_commit {
 public:
  /// Both outlive it.
  open_commit(offset_order& order, clock& time, std::string group_id)
      : order_(order), clock_(time), group_id_(std::move(group_id)) {
    ticket_ = order_.commit_started(group_id_);
  }
  ~open_commit() {
    if (!settled_) order_.commit_lost(group_id_, ticket_, clock_.now_ms());
  }
  open_commit(const open_commit&) = delete;
  open_commit& operator=(const open_commit&) = delete;

  void settle() {
    settled_ = true;
    order_.commit_settled(group_id_, ticket_);
  }

 private:
  offset_order& order_;
  clock& clock_;
  std::string group_id_;
  offset_order::ticket ticket_ = 0;
  bool settled_ = false;
};

}  // namespace weir::gateway
