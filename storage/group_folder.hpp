// The groups of a data folder that no server has open: for export and import. Owned by the command that works on them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/group_fold.hpp"
#include "storage/lmdb_env.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

class group_folder {
 public:
  /// Whether there is a data folder to open.
  [[nodiscard]] static bool exists(const std::string& folder);
  /// Takes the folder's lock; makes the folder if it is not there. Error: in use by a process, a newer format, ...
  static result<group_folder> open(const std::string& folder);

  /// Every live record, group by group.
  result<void> read(const record_log::visitor& visit);
  /// Those of these ids that the folder knows.
  result<std::vector<std::string>> known_of(const std::vector<folded_group>& groups);
  /// Groups with settings of their own.
  result<std::set<std::string, std::less<>>> configured();
  /// Stores the groups in place of what there is of them, all in one transaction: on an error nothing has changed.
  result<void> replace(const std::vector<folded_group>& groups);

 private:
  explicit group_folder(std::unique_ptr<lmdb_env> env) : env_(std::move(env)) {}

  std::unique_ptr<lmdb_env> env_;
};

}  // namespace weir::storage
