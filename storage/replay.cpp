#include "storage/replay.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "storage/lmdb_layout.hpp"

namespace weir::storage {

namespace {

/// Walks one database in key order.
class cursor {
 public:
  cursor(lmdb_env& env, MDB_txn* txn, database from) : from_(from) {
    code_ = mdb_cursor_open(txn, env.handle(from), &cursor_);
  }
  ~cursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  cursor(const cursor&) = delete;
  cursor& operator=(const cursor&) = delete;

  void first() { move(MDB_FIRST); }
  void last() { move(MDB_LAST); }
  void next() { move(MDB_NEXT); }
  void previous() { move(MDB_PREV); }
  /// To the greatest key that is below.
  void seek_below(std::string_view key) {
    seek(key);
    move(valid() ? MDB_PREV : MDB_LAST);
  }
  /// To the first key that is not below.
  void seek(std::string_view key) {
    key_ = to_val(key);
    move(MDB_SET_RANGE);
  }
  [[nodiscard]] bool valid() const noexcept { return code_ == 0; }
  [[nodiscard]] std::string_view key() const noexcept { return from_val(key_); }
  [[nodiscard]] std::string_view value() const noexcept { return from_val(value_); }
  [[nodiscard]] database from() const noexcept { return from_; }
  /// Whether the walk ended at the end, not at an error.
  [[nodiscard]] result<void> state() const {
    if (code_ == 0 || code_ == MDB_NOTFOUND) return {};
    return fail(fmt::format("cannot read the log: {}", mdb_strerror(code_)));
  }

 private:
  void move(MDB_cursor_op op) {
    if (cursor_ != nullptr) code_ = mdb_cursor_get(cursor_, &key_, &value_, op);
  }

  database from_;
  MDB_cursor* cursor_ = nullptr;
  MDB_val key_{};
  MDB_val value_{};
  int code_ = 0;
};

/// Visits the entries from the cursor on that belong to the prefix.
result<void> visit_group(cursor& at, std::string_view prefix, const record_log::visitor& visit) {
  for (; at.valid() && at.key().starts_with(prefix); at.next()) {
    auto r = decode_entry(at.from(), at.key(), at.value());
    if (!r) return tl::unexpected(r.error());
    visit(group_of(prefix), std::move(*r));
  }
  return at.state();
}

/// The smaller prefix of the two cursors' groups; a copy, since the cursors move on.
std::string next_prefix(const cursor& a, const cursor& b) {
  if (!a.valid()) return std::string(prefix_of(b.key()));
  if (!b.valid()) return std::string(prefix_of(a.key()));
  return std::string(std::min(prefix_of(a.key()), prefix_of(b.key())));
}

/// The least key above all that begin with the prefix; empty if there is none.
std::string end_of(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace

result<void> replay_all(lmdb_env& env, MDB_txn* txn, const record_log::visitor& visit) {
  cursor offsets(env, txn, database::offsets);
  cursor records(env, txn, database::records);
  offsets.first();
  records.first();
  while (offsets.valid() || records.valid()) {
    const auto prefix = next_prefix(offsets, records);
    if (prefix.empty()) return fail("the log has an entry with a short key");
    for (auto* at : {&offsets, &records}) {
      if (auto visited = visit_group(*at, prefix, visit); !visited) return visited;
    }
  }
  if (auto state = offsets.state(); !state) return state;
  return records.state();
}

result<void> replay_one(lmdb_env& env, MDB_txn* txn, std::string_view group_id, const record_log::visitor& visit) {
  const auto prefix = group_prefix(group_id);
  for (const auto from : {database::offsets, database::records}) {
    cursor at(env, txn, from);
    at.seek(prefix);
    if (auto visited = visit_group(at, prefix, visit); !visited) return visited;
  }
  return {};
}

result<void> walk_table(lmdb_env& env, MDB_txn* txn, database from,
                        const std::function<void(std::string_view, std::string_view)>& visit) {
  cursor at(env, txn, from);
  for (at.first(); at.valid(); at.next()) visit(at.key(), at.value());
  return at.state();
}

result<void> walk_back(lmdb_env& env, MDB_txn* txn, const key_range& range, const record_log::stopping_visitor& visit) {
  cursor at(env, txn, range.from);
  const auto end = range.below.empty() ? end_of(range.prefix) : std::string(range.below);
  end.empty() ? at.last() : at.seek_below(end);
  for (; at.valid() && at.key().starts_with(range.prefix); at.previous()) {
    if (!visit(at.key(), at.value())) return {};
  }
  return at.state();
}

}  // namespace weir::storage
