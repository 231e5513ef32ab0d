#include "actors/group_actor.hpp"

#include <chrono>
#include <utility>

#include "base/metrics.hpp"

namespace weir::actors {

group_actor::group_actor(caf::actor_config& config, group_seed seed) : base_actor(config), seed_(std::move(seed)) {
  group::streams_group state;
  if (seed_.state) state = std::move(*std::exchange(seed_.state, nullptr));
  state.id = seed_.entry->id;
  shell_ = std::make_unique<group_shell>(*seed_.services, *this, std::move(state));
}

message_handlers group_actor::make_behavior() {
  if (seed_.by_replay) {
    shell_->start_by_replay(seed_.entry->kind);
  } else {
    shell_->start();
  }
  auto& times = metrics::all().processing_time;
  const auto timed = [this](auto& into, auto&& handled) {
    const auto began = std::chrono::steady_clock::now();
    handled();
    into.observe(metrics::microseconds_since(began));
    retire_if_over();
  };
  const auto then = [timed, &other = times.with({"other"})](auto&& handled) { timed(other, handled); };
  auto& heartbeats = times.with({"StreamsGroupHeartbeat"});
  auto& commits = times.with({"OffsetCommit"});
  return {
      [=, this, &heartbeats](const heartbeat_message& m) {
        m.request->begun();
        timed(heartbeats, [&] { shell_->heartbeat(m); });
      },
      [=, this](const log_progress_message& m) { then([&] { shell_->log_progress(m); }); },
      [=, this](const wake_up_message& m) { then([&] { shell_->wake_up_fired(m); }); },
      [=, this](const image_message&) { then([&] { shell_->image_changed(); }); },
      [=, this](const topics_deleted_message&) { then([&] { shell_->topics_deleted(); }); },
      [=, this, &commits](const commit_message& m) { timed(commits, [&] { shell_->commit(m); }); },
      [=, this](const fetch_message& m) { then([&] { shell_->fetch(m); }); },
      [=, this](const describe_message& m) { then([&] { shell_->describe(m); }); },
      [=, this](const view_message& m) { then([&] { shell_->view(m); }); },
      [=, this](const probe_message& m) { then([&] { shell_->probe(m); }); },
      [=, this](const timeline_message& m) { then([&] { shell_->tell_timeline(m); }); },
      [=, this](const summary_message& m) { then([&] { shell_->summarise(m); }); },
      [=, this](const delete_message& m) { then([&] { shell_->remove(m); }); },
      [=, this](const delete_offsets_message& m) { then([&] { shell_->delete_offsets(m); }); },
      [=, this](const end_transaction_message& m) { then([&] { shell_->end_transaction(m); }); },
      [=, this](const description_message& m) { then([&] { shell_->update_description(m); }); },
      [=, this](const join_message& m) { then([&] { shell_->join_classic(m); }); },
      [=, this](const sync_message& m) { then([&] { shell_->sync_classic(m); }); },
      [=, this](const beat_message& m) { then([&] { shell_->beat_classic(m); }); },
      [=, this](const leave_message& m) { then([&] { shell_->leave_classic(m); }); },
      [=, this](const describe_classic_message& m) { then([&] { shell_->describe_classic(m); }); },
      [=, this](const consumer_message& m) { then([&] { shell_->heartbeat_consumer(m); }); },
      [=, this](const describe_consumers_message& m) { then([&] { shell_->describe_consumers(m); }); },
      [=, this](const let_go_message&) { then([&] { shell_->let_go(protocol::error_code::not_coordinator); }); },
      [=, this](const clean_up_message&) { then([&] { shell_->clean_up(); }); },
      [=, this](const alter_config_message& m) { then([&] { shell_->alter_config(m); }); },
      [=, this](const admin_message& m) { then([&] { shell_->administer(m); }); },
      [=, this](const defaults_message& m) { then([&] { shell_->follow_defaults(m); }); },
  };
}

/// Runs also when an exception ends the actor. Wake-ups that are still due keep the object alive, so the state goes
/// now.
void group_actor::on_exit() {
  shell_.reset();
  if (seed_.entry) seed_.entry->show(nullptr);
  seed_ = {};
}

void group_actor::retire_if_over() {
  if (!shell_->is_over() || !seed_.retire) return;
  if (seed_.retire(*seed_.entry, [this] { return nothing_waits(); })) quit();
}

}  // namespace weir::actors
