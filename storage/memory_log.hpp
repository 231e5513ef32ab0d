// A log in memory, for tests, simulations and groups that need not survive: it can delay, fail and lose what is not yet
// durable. Encodes and decodes as the real one does.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "storage/record_log.hpp"

namespace weir::storage {

class memory_log final : public record_log {
 public:
  /// Appends are durable at once, inside append(), unless hold() was called.
  void append(append_request request) override;
  result<void> replay(const visitor& visit) override;
  result<void> replay_group(std::string_view group_id, const visitor& visit) override;
  result<void> read_table(table from, const std::function<void(std::string_view, std::string_view)>& visit) override;
  result<void> read_back(table from, std::string_view prefix, std::string_view below,
                         const stopping_visitor& visit) override;
  result<std::optional<std::string>> read_value(table from, std::string_view key) override;
  [[nodiscard]] bool full() const noexcept override { return full_; }
  [[nodiscard]] std::optional<std::string> not_writable() const override { return std::nullopt; }
  [[nodiscard]] std::size_t queued() const noexcept override;

  /// From now on appends wait for release().
  void hold();
  /// The oldest `count` waiting appends become durable, or fail if told so. Calls their done().
  void release(std::size_t count = SIZE_MAX);
  /// Ends hold() and releases all.
  void resume();
  /// The next `count` appends that are written fail with this reason, and what depends on them.
  void fail_next(std::size_t count, std::string reason);
  /// A crash: what waits is gone, its done() is never called.
  void lose_undurable();
  /// What full() says; appends are taken all the same.
  void set_full(bool full) { full_ = full; }

 private:
  using key_values = std::map<std::string, std::string, std::less<>>;

  result<void> store(const append_request& request);
  result<void> visit_group(std::string_view group_id, const key_values& entries, const visitor& visit);

  std::recursive_mutex settling_;  // keeps done() calls in order; a done() may append
  mutable std::mutex mutex_;
  std::deque<append_request> waiting_;
  bool holding_ = false;
  std::size_t failures_ = 0;
  std::string failure_reason_;
  std::atomic<bool> full_{false};
  std::map<std::string, std::uint64_t, std::less<>> failed_groups_;
  std::map<std::string, key_values, std::less<>> groups_;  // group -> Kafka key -> Kafka value
  std::map<table, key_values> tables_;
};

}  // namespace weir::storage
