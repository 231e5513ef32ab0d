// The actor of one group: takes messages off its mailbox and hands them to the shell.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "actors/group_shell.hpp"

namespace weir::actors {

/// A group's place in the directory; the actor keeps `kind` and the row current.
struct group_entry {
  std::string id;
  actor_handle actor;  // guarded by the directory
  std::atomic<group::group_kind> kind{group::group_kind::none};

  /// What lists show of the group as long as it is like that; null: the actor must be asked. Any thread.
  [[nodiscard]] std::shared_ptr<const group::group_summary> row() const {
    const std::lock_guard lock(row_mutex_);
    return row_;
  }
  void show(std::shared_ptr<const group::group_summary> row) {
    const std::lock_guard lock(row_mutex_);
    row_.swap(row);
  }

 private:
  mutable std::mutex row_mutex_;
  std::shared_ptr<const group::group_summary> row_;
};

/// What a group actor is made from.
struct group_seed {
  group_services* services = nullptr;
  std::shared_ptr<group_entry> entry;
  std::shared_ptr<group::streams_group> state;  ///< replayed; null: nothing is stored, or `by_replay`
  bool by_replay = false;
  /// Asks the directory to forget the group; it does if nothing_waits() still holds while nobody can send.
  std::function<bool(const group_entry&, const std::function<bool()>& nothing_waits)> retire;
};

class group_actor final : public base_actor, public group_host {
 public:
  group_actor(caf::actor_config& config, group_seed seed);
  [[nodiscard]] const char* name() const override { return "group"; }
  message_handlers make_behavior() override;
  void on_exit() override;

 private:
  void wake_in(std::int64_t milliseconds, std::uint64_t token) override {
    wake_me_in(milliseconds, wake_up_message{token});
  }
  void kind_changed(group::group_kind kind) override { seed_.entry->kind = kind; }
  void show(std::shared_ptr<const group::group_summary> row) override { seed_.entry->show(std::move(row)); }
  void retire_if_over();

  group_seed seed_;
  std::unique_ptr<group_shell> shell_;
};

}  // namespace weir::actors
