// The writer thread of the log: gathers appends while the last batch is written and writes them as one (group commit).
// Knows nothing of LMDB; owned by lmdb_log.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "storage/lmdb_layout.hpp"

namespace weir::storage {

/// How a batch ended.
enum class write_verdict : std::uint8_t {
  durable,  ///< all of it
  refused,  ///< nothing of it, and the store is as before: a full disk
  unknown,  ///< a flush failed: what the disk holds can only be found out by starting again
};

struct write_result {
  write_verdict verdict = write_verdict::durable;
  std::string why;  ///< unless durable
};

/// Port: where batches go. Called by the writer thread only.
class batch_store {
 public:
  virtual ~batch_store() = default;
  virtual write_result write(std::span<const pending_append* const> batch) = 0;
  /// Writes so many bytes of no consequence and gives their room back: can a batch of that size be written again?
  virtual write_result probe(std::size_t bytes) = 0;
};

struct log_writer_options {
  std::size_t queue_appends_max = 65'536;
  std::size_t queue_bytes_max = std::size_t{256} << 20;
  std::size_t batch_appends_max = 256;
  std::size_t batch_bytes_max = std::size_t{1} << 20;
  std::int64_t probe_interval_ms = 1'000;  ///< after a refused batch, until there is room again
  /// Called with the reason after write_verdict::unknown; must not return. Default: a log line, then the process ends.
  std::function<void(const std::string&)> end_process = {};
};

class log_writer {
 public:
  log_writer(batch_store& store, log_writer_options options);
  /// Writes what is queued, then ends the thread.
  ~log_writer();
  log_writer(const log_writer&) = delete;
  log_writer& operator=(const log_writer&) = delete;

  /// Any thread; never waits for the disk. A full queue refuses through done(), in order; of each group it keeps one
  /// refusal and drops what the group appends behind it. Without a group there is no order to keep: refused at once.
  void push(pending_append append);
  /// Writes what is queued and ends the thread; later pushes are refused at once. Not from done().
  void stop();

  /// Why a batch was refused, until there is room for one of its size and for the largest gathered one
  /// (batch_bytes_max): that a small one fits means nothing to those who have more to write.
  [[nodiscard]] std::optional<std::string> not_writable() const;
  /// Whether the queue has reached a limit.
  [[nodiscard]] bool full() const noexcept { return full_; }
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  /// Groups whose failure they do not know of yet.
  [[nodiscard]] std::size_t failed_groups() const noexcept { return failed_count_; }

 private:
  using batch = std::vector<pending_append>;

  std::optional<std::string> enqueue(pending_append& append);
  bool refuse_for_room(pending_append& append);
  void measure() noexcept;
  void run();
  bool wait_for_work();
  batch take_batch();
  void write(batch taken);
  void refuse_dependents(batch& taken);
  void settle(batch& taken, const write_result& outcome);
  void note(const write_result& outcome, std::size_t bytes);

  batch_store& store_;
  const log_writer_options options_;
  mutable std::mutex mutex_;  // guards what follows, up to what the writer thread has to itself
  std::condition_variable work_;
  std::deque<pending_append> queue_;
  std::size_t queue_bytes_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> refused_;  // by group: incarnation of its refusal in the queue
  bool stopping_ = false;
  std::optional<std::string> not_writable_;
  // Writer thread only: groups with a failed append, and the incarnation that failed. A group leaves with the first
  // append of its next incarnation, which every group makes when it has been rebuilt.
  std::map<std::string, std::uint64_t, std::less<>> failed_groups_;
  std::atomic<bool> full_{false};
  std::atomic<std::size_t> failed_count_{0};
  std::size_t room_wanted_ = 0;  // writer thread only: bytes that must fit before the log is writable again; 0: it is
  std::chrono::steady_clock::time_point next_probe_;
  std::atomic<std::size_t> queued_{0};
  std::thread thread_;  // last: everything else is there when it starts
};

}  // namespace weir::storage
