#include "storage/group_folder.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "storage/lmdb_layout.hpp"
#include "storage/replay.hpp"

namespace weir::storage {

namespace {

int remove_group(lmdb_env& env, MDB_txn* txn, database from, std::string_view prefix) {
  MDB_cursor* opened = nullptr;
  if (const int code = mdb_cursor_open(txn, env.handle(from), &opened); code != 0) return code;
  const std::unique_ptr<MDB_cursor, decltype(&mdb_cursor_close)> at(opened, &mdb_cursor_close);
  for (;;) {
    auto key = to_val(prefix);
    MDB_val value{};
    const int found = mdb_cursor_get(at.get(), &key, &value, MDB_SET_RANGE);
    if (found == MDB_NOTFOUND || (found == 0 && !from_val(key).starts_with(prefix))) return 0;
    if (found != 0) return found;
    if (const int code = mdb_cursor_del(at.get(), 0); code != 0) return code;
  }
}

int store_group(lmdb_env& env, MDB_txn* txn, const pending_append& group) {
  const auto prefix = group_prefix(group.group_id);
  for (const auto from : {database::offsets, database::records}) {
    if (const int code = remove_group(env, txn, from, prefix); code != 0) return code;
  }
  for (const auto& change : group.changes) {
    if (const int code = write_change(env, txn, change); code != 0) return code;
  }
  return 0;
}

}  // namespace

bool group_folder::exists(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder + "/data.mdb", ignored);
}

result<group_folder> group_folder::open(const std::string& folder) {
  auto env = lmdb_env::open({.folder = folder});
  if (!env) return tl::unexpected(env.error());
  return group_folder(std::move(*env));
}

result<void> group_folder::read(const record_log::visitor& visit) {
  return env_->read([&](MDB_txn* txn) { return replay_all(*env_, txn, visit); });
}

result<std::vector<std::string>> group_folder::known_of(const std::vector<folded_group>& groups) {
  std::vector<std::string> out;
  auto looked = env_->read([&](MDB_txn* txn) -> result<void> {
    for (const auto& group : groups) {
      bool found = false;
      auto visited = replay_one(*env_, txn, group.id, [&](std::string_view, const group::record&) { found = true; });
      if (!visited) return visited;
      if (found) out.push_back(group.id);
    }
    return {};
  });
  if (!looked) return tl::unexpected(looked.error());
  return out;
}

result<std::set<std::string, std::less<>>> group_folder::configured() {
  std::set<std::string, std::less<>> out;
  auto looked = env_->read([&](MDB_txn* txn) {
    const auto visit = [&](std::string_view id, std::string_view) { out.emplace(id); };
    return walk_table(*env_, txn, database::group_configs, visit);
  });
  if (!looked) return tl::unexpected(looked.error());
  return out;
}

result<void> group_folder::replace(const std::vector<folded_group>& groups) {
  std::vector<pending_append> encoded;
  encoded.reserve(groups.size());
  for (const auto& group : groups) {
    append_request request;
    request.group_id = group.id;
    request.records = group.records;
    encoded.push_back(encode_append(std::move(request)));
    if (encoded.back().refused) return fail(fmt::format("group '{}': {}", group.id, *encoded.back().refused));
  }
  const auto status = env_->write([&](MDB_txn* txn) {
    for (const auto& group : encoded) {
      if (const int code = store_group(*env_, txn, group); code != 0) return code;
    }
    return 0;
  });
  if (status.code == 0) return {};
  const auto* const why = status.short_write ? "no space left" : mdb_strerror(status.code);
  return fail(fmt::format("the data folder cannot be written, nothing was imported: {}", why));
}

}  // namespace weir::storage
