#include "server/handlers/config_editor.hpp"

namespace weir::server {

void config_editor::submit(actors::coordinator& coordinator, std::string group_id, edit change, bool validate_only,
                           actors::reply<outcome> done) {
  auto next = std::make_shared<task>(
      task{&coordinator, std::move(group_id), std::move(change), validate_only, std::move(done)});
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(busy_, true)) {
      waiting_.push_back(std::move(next));
      return;
    }
  }
  run(std::move(next));
}

void config_editor::run(std::shared_ptr<task> next) {
  auto& coordinator = *next->coordinator;
  const auto group_id = next->group_id;
  coordinator.config(group_id, [this, next = std::move(next)](group::overrides set) {
    if (auto edited = next->change(set); !edited) return finish(next, edited);
    if (auto valid = group::check(set, next->coordinator->defaults()->broker); !valid) {
      return finish(next, protocol::refuse(protocol::error_code::invalid_config, std::move(valid.error().message)));
    }
    if (next->validate_only) return finish(next, {});
    write(next, std::move(set));
  });
}

void config_editor::write(const std::shared_ptr<task>& current, group::overrides set) {
  current->coordinator->alter_config(current->group_id, std::move(set), [this, current](const result<void>& written) {
    if (written) return finish(current, {});
    // The set was valid, so it is the log that failed: the client may try again.
    finish(current, protocol::refuse(protocol::error_code::coordinator_not_available, written.error().message));
  });
}

void config_editor::finish(const std::shared_ptr<task>& current, const outcome& result) {
  current->done(result);
  std::shared_ptr<task> next;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      busy_ = false;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  run(std::move(next));
}

}  // namespace weir::server
