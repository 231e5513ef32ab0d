// Reading the stored state back: all groups, one group, or a table. Inside a read transaction of lmdb_env.
#pragma once

#include "storage/lmdb_env.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

/// Group by group, in the order of their prefixes; of each group the offsets, then the records in key order.
result<void> replay_all(lmdb_env& env, MDB_txn* txn, const record_log::visitor& visit);
result<void> replay_one(lmdb_env& env, MDB_txn* txn, std::string_view group_id, const record_log::visitor& visit);
result<void> walk_table(lmdb_env& env, MDB_txn* txn, database from,
                        const std::function<void(std::string_view key, std::string_view value)>& visit);

/// Some keys of one table.
struct key_range {
  database from = database::meta;
  std::string_view prefix;  ///< they begin with it
  std::string_view below;   ///< and come before this one; empty: no such limit
};
/// From the greatest key down, until `visit` answers false.
result<void> walk_back(lmdb_env& env, MDB_txn* txn, const key_range& range, const record_log::stopping_visitor& visit);

}  // namespace weir::storage
