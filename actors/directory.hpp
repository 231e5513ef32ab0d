// Group id -> group actor. A concurrent map serves the hot path; a supervising actor replaces group actors that die.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/group_actor.hpp"
#include "actors/restart_pace.hpp"

namespace weir::actors {

/// Any thread. Messages are sent while the shard is locked, so an actor that retires under the exclusive lock and has
/// an empty mailbox then misses none.
class directory {
 public:
  /// Makes the actor of an entry: with a replayed state, with nothing, or by replay.
  using spawner = std::function<actor_handle(const std::shared_ptr<group_entry>&, std::shared_ptr<group::streams_group>,
                                             bool by_replay)>;

  explicit directory(spawner make) : make_(std::move(make)) {}

  /// New actors are announced to it (watch_message). Before the first group.
  void set_supervisor(actor_handle supervisor) { supervisor_ = std::move(supervisor); }

  /// Sends to the group's actor, which is made if there is none. False when stopping: the message is dropped.
  template <class Message>
  bool tell(std::string_view group_id, const Message& message) {
    auto& s = shard_of(group_id);
    {
      const std::shared_lock lock(s.mutex);
      if (send(s, group_id, message)) return true;
    }
    const std::unique_lock lock(s.mutex);
    if (stopped_) return false;
    if (send(s, group_id, message)) return true;
    add(s, std::string(group_id), nullptr);
    return send(s, group_id, message);
  }
  /// Sends only if there is an actor.
  template <class Message>
  bool tell_existing(std::string_view group_id, const Message& message) {
    auto& s = shard_of(group_id);
    const std::shared_lock lock(s.mutex);
    return send(s, group_id, message);
  }
  template <class Message>
  void tell_all(const Message& message) {
    for (auto& s : shards_) {
      const std::shared_lock lock(s.mutex);
      for (const auto& [id, entry] : s.groups) actors::tell(entry->actor, message);
    }
  }

  /// A group found in the log at the start.
  void add_loaded(std::shared_ptr<group::streams_group> state);
  /// none if there is no such group.
  [[nodiscard]] group::group_kind kind_of(std::string_view group_id) const;
  /// Of groups that have an actor, ascending.
  [[nodiscard]] std::vector<std::string> ids() const;
  /// Groups that have an actor, by id: what they show, and those that must be asked.
  struct part {
    std::vector<group::group_summary> rows;
    std::vector<std::string> unknown;
    std::string last;   ///< id of the last one of both; empty: there is none
    bool is_end = false;  ///< no further ones are in the range
  };
  [[nodiscard]] part rows(const group_range& range) const;
  /// Groups that have an actor.
  [[nodiscard]] std::size_t size() const;

  bool retire(const group_entry& entry, const std::function<bool()>& nothing_waits);
  /// The actor of that number died: another takes its place, unless the group has gone meanwhile.
  void replace(std::string_view group_id, actor_number dead);

  /// No actor is made or reached from now on. Returns all there are.
  std::vector<actor_handle> stop();

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const noexcept { return std::hash<std::string_view>{}(key); }
  };
  struct shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<group_entry>, text_hash, std::equal_to<>> groups;
  };
  static constexpr std::size_t shard_count = 64;

  shard& shard_of(std::string_view group_id) { return shards_[text_hash{}(group_id) % shard_count]; }
  [[nodiscard]] const shard& shard_of(std::string_view group_id) const {
    return shards_[text_hash{}(group_id) % shard_count];
  }
  template <class Message>
  static bool send(const shard& in, std::string_view group_id, const Message& message) {
    const auto found = in.groups.find(group_id);
    if (found == in.groups.end()) return false;
    actors::tell(found->second->actor, message);
    return true;
  }
  void add(shard& to, std::string group_id, std::shared_ptr<group::streams_group> state);

  spawner make_;
  actor_handle supervisor_;
  std::atomic<bool> stopped_{false};
  std::array<shard, shard_count> shards_;
  // All in the order of ids, for lists. Locked by who holds a shard exclusively, and for a part of a list: no request
  // waits.
  mutable std::mutex order_mutex_;
  std::map<std::string_view, std::shared_ptr<const group_entry>> order_;
};

/// Watches group actors and has the directory replace those that die by an exception, at the pace of restart_pace.
/// Meanwhile what is sent to such a group is answered NOT_COORDINATOR.
class supervisor_actor final : public base_actor {
 public:
  supervisor_actor(caf::actor_config& config, directory* groups, group_services* services);
  [[nodiscard]] const char* name() const override { return "directory"; }
  message_handlers make_behavior() override;

 private:
  void died(std::string group_id, actor_number who);

  directory* groups_;
  group_services* services_;
  restart_pace pace_;
  std::unordered_map<actor_number, std::string> watched_;
};

}  // namespace weir::actors
