// The LMDB environment of a data folder: locked against other processes, checked for its format, growing by itself.
// One per folder and process; owned by lmdb_log. The only file that opens LMDB.
#pragma once

#include <lmdb.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace weir::storage {

/// Named databases inside the environment.
enum class database : std::uint8_t { records, offsets, topics, group_configs, timeline, meta };
inline constexpr std::size_t database_count = 6;

/// What this version reads and writes. A folder of a newer format is refused.
inline constexpr int format_version = 1;

struct lmdb_options {
  std::string folder;                            ///< made if it does not exist
  std::size_t map_bytes = std::size_t{1} << 30;  ///< address space to start with; the file grows as it is used
  std::size_t map_bytes_max = std::size_t{1} << 44;
  bool flush = true;                             ///< false loses the last commits with the power: for tests only
};

/// Closes a file descriptor; the lock of the `owner` file goes with it.
class owned_file {
 public:
  owned_file() = default;
  explicit owned_file(int descriptor) noexcept : descriptor_(descriptor) {}
  owned_file(owned_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  owned_file& operator=(owned_file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~owned_file();
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Makes the folder if it is missing (what is made is for its owner only; a folder that is open to others is warned
/// about), takes the exclusive lock on its `owner` file and writes our process id there. Error: in use
/// (names the process if the file does), or no access.
result<owned_file> lock_folder(const std::string& folder);

class lmdb_env {
 public:
  /// Errors say which folder and why: locked by another process, a newer format, not a data folder, no permission.
  static result<std::unique_ptr<lmdb_env>> open(const lmdb_options& options);
  ~lmdb_env();
  lmdb_env(const lmdb_env&) = delete;
  lmdb_env& operator=(const lmdb_env&) = delete;

  [[nodiscard]] MDB_dbi handle(database which) const noexcept { return handles_[static_cast<std::size_t>(which)]; }

  /// Which call of a write transaction failed, besides its LMDB or system error number.
  struct write_status {
    int code = 0;  ///< 0 = durable
    bool in_commit = false;
    /// LMDB answers EIO also when the system wrote less than asked: the disk is full, no call failed.
    bool short_write = false;
  };
  /// Runs `body` in a write transaction and commits if it answers 0. A full map is made larger and the whole is
  /// repeated, so body may run more than once. One thread at a time, and not inside read().
  write_status write(const std::function<int(MDB_txn*)>& body);
  /// Whether the environment refuses all further work after a failed flush (LMDB remembers that).
  [[nodiscard]] bool broken();

  /// Runs `body` in a read transaction. Error: LMDB's, or body's. Any thread; keep it short, the file grows meanwhile.
  result<void> read(const std::function<result<void>(MDB_txn*)>& body);


 private:
  lmdb_env() = default;
  result<void> open_environment(const lmdb_options& options);
  result<void> open_databases();
  write_status write_once(const std::function<int(MDB_txn*)>& body);
  int grow();

  owned_file owner_;
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, database_count> handles_{};
  std::shared_mutex map_mutex_;  // shared: a transaction runs; exclusive: the map is replaced
  std::size_t map_bytes_ = 0;
  std::size_t map_bytes_max_ = 0;
};

/// LMDB's view of bytes we keep, and back.
[[nodiscard]] inline MDB_val to_val(std::string_view data) noexcept {
  return {data.size(), const_cast<char*>(data.data())};
}
[[nodiscard]] inline std::string_view from_val(const MDB_val& value) noexcept {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

}  // namespace weir::storage
