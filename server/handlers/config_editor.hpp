// config_editor: one change of group configuration after the other. A change reads what is set and writes it back
// whole, so two at the same time would lose one.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "actors/coordinator.hpp"
#include "protocol/error_codes.hpp"

namespace weir::server {

/// Any thread. The coordinator must answer everything before the editor ends.
class config_editor {
 public:
  using outcome = protocol::kafka_result<void>;
  /// Changes the set in place, or refuses.
  using edit = std::function<outcome(group::overrides& set)>;

  /// Reads the overrides of the group, edits them, checks the result, and writes it unless `validate_only`.
  void submit(actors::coordinator& coordinator, std::string group_id, edit change, bool validate_only,
              actors::reply<outcome> done);

 private:
  struct task {
    actors::coordinator* coordinator = nullptr;
    std::string group_id;
    edit change;
    bool validate_only = false;
    actors::reply<outcome> done;
  };
  void run(std::shared_ptr<task> next);
  void write(const std::shared_ptr<task>& current, group::overrides set);
  void finish(const std::shared_ptr<task>& current, const outcome& result);

  std::mutex mutex_;
  std::deque<std::shared_ptr<task>> waiting_;
  bool busy_ = false;
};

}  // namespace weir::server
