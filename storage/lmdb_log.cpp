#include "storage/lmdb_log.hpp"

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "storage/lmdb_layout.hpp"
#include "storage/replay.hpp"

namespace weir::storage {

namespace {

constexpr std::string_view probe_key = "probe";

/// Failures for want of space or memory. LMDB writes new pages beside the old ones, flushes them, and only then writes
/// the meta page that makes them count, so such a failure of the pages leaves the last committed state whole and the
/// batch can be tried again. That also holds if it is the flush that says so (a file system that finds room late): what
/// it lost are pages of this batch, which no meta page names, and the next batch writes its own. Any other failure of a
/// flush or a write (EIO), and every failure of the meta page, leaves it open what the disk holds.
bool is_shortage(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case MDB_BAD_VALSIZE: return true;
    default: return false;
  }
}

}  // namespace

/// Batches into one write transaction each.
class lmdb_log::store final : public batch_store {
 public:
  explicit store(lmdb_env& env) : env_(env) {}

  write_result write(std::span<const pending_append* const> batch) override {
    return judge(env_.write([&](MDB_txn* txn) {
      for (const auto* append : batch) {
        for (const auto& change : append->changes) {
          if (const int code = write_change(env_, txn, change); code != 0) return code;
        }
      }
      return 0;
    }));
  }

  write_result probe(std::size_t bytes) override {
    const lmdb_change filled{database::meta, std::string(probe_key), std::string(bytes, '\0')};
    const lmdb_change removed{database::meta, std::string(probe_key), std::nullopt};
    auto tried = judge(env_.write([&](MDB_txn* txn) { return write_change(env_, txn, filled); }));
    if (tried.verdict != write_verdict::durable) return tried;
    return judge(env_.write([&](MDB_txn* txn) { return write_change(env_, txn, removed); }));
  }

 private:
  write_result judge(lmdb_env::write_status status) {
    if (status.code == 0) return {};
    auto why = fmt::format("{} ({})", status.short_write ? "no space left, short write" : mdb_strerror(status.code),
                           status.in_commit ? "commit" : "write");
    // A failure of the meta page breaks the environment, whatever its number.
    const bool refused = (status.short_write || is_shortage(status.code)) && !env_.broken();
    return {refused ? write_verdict::refused : write_verdict::unknown, std::move(why)};
  }

  lmdb_env& env_;
};

result<std::unique_ptr<lmdb_log>> lmdb_log::open(lmdb_log_options options) {
  auto env = lmdb_env::open(options.environment);
  if (!env) return tl::unexpected(env.error());
  std::unique_ptr<lmdb_log> log(new lmdb_log());
  log->env_ = std::move(*env);
  log->store_ = std::make_unique<store>(*log->env_);
  log->writer_ = std::make_unique<log_writer>(*log->store_, std::move(options.writer));
  return log;
}

lmdb_log::~lmdb_log() = default;

void lmdb_log::append(append_request request) { writer_->push(encode_append(std::move(request))); }

result<void> lmdb_log::replay(const visitor& visit) {
  return env_->read([&](MDB_txn* txn) { return replay_all(*env_, txn, visit); });
}

result<void> lmdb_log::replay_group(std::string_view group_id, const visitor& visit) {
  if (group_id.size() > id_bytes_max) return {};
  return env_->read([&](MDB_txn* txn) { return replay_one(*env_, txn, group_id, visit); });
}

result<void> lmdb_log::read_table(table from, const std::function<void(std::string_view, std::string_view)>& visit) {
  return env_->read([&](MDB_txn* txn) { return walk_table(*env_, txn, database_of(from), visit); });
}

result<void> lmdb_log::read_back(table from, std::string_view prefix, std::string_view below,
                                 const stopping_visitor& visit) {
  return env_->read([&](MDB_txn* txn) {
    return walk_back(*env_, txn, {.from = database_of(from), .prefix = prefix, .below = below}, visit);
  });
}

result<std::optional<std::string>> lmdb_log::read_value(table from, std::string_view key) {
  std::optional<std::string> found;
  auto looked = env_->read([&](MDB_txn* txn) -> result<void> {
    auto wanted = to_val(key);
    MDB_val value{};
    const int code = mdb_get(txn, env_->handle(database_of(from)), &wanted, &value);
    if (code == 0) found = from_val(value);
    if (code == 0 || code == MDB_NOTFOUND) return {};
    return fail(fmt::format("cannot read the log: {}", mdb_strerror(code)));
  });
  if (!looked) return tl::unexpected(looked.error());
  return found;
}

}  // namespace weir::storage
