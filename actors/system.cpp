#include "actors/system.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "base/assert.hpp"

namespace weir::actors {

namespace {

constexpr std::int64_t default_limit_ms = 5'000;
constexpr std::int64_t step_ms = 10;
constexpr std::int64_t messages_per_turn = 300;  // so that one busy group does not keep a thread from the others

}  // namespace

struct system::settings : caf::actor_system_config {
  settings(scheduling how, std::size_t threads) {
    // The policy is an atom: with a string CAF keeps work stealing.
    if (how == scheduling::manual) {
      set("scheduler.policy", caf::atom("testing"));
      return;
    }
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max<std::size_t>(1, threads));
    set("scheduler.max-throughput", messages_per_turn);
  }
};

system::system(scheduling how, std::size_t threads)
    : how_(how),
      settings_(std::make_shared<settings>(how, threads)),
      system_(std::make_shared<caf::actor_system>(*settings_)) {
  system_->await_actors_before_shutdown(false);
  forget_system();
  if (how == scheduling::manual) manual().clock().current_time += std::chrono::hours(1);  // time 0 is special to CAF
}

system::~system() {
  if (system_) stop(default_limit_ms);
}

bool system::stop(std::int64_t limit_ms) {
  if (how_ == scheduling::manual) {
    run();
    system_.reset();
    return true;
  }
  // The wait cannot be interrupted, so it has a thread of its own that keeps what it waits for alive.
  std::promise<void> all_done;
  auto ended = all_done.get_future();
  std::thread waiter([system = system_, settings = settings_, done = std::move(all_done)]() mutable {
    system->await_all_actors_done();
    done.set_value();
  });
  if (ended.wait_for(std::chrono::milliseconds(limit_ms)) == std::future_status::ready) {
    waiter.join();
    system_.reset();
    return true;
  }
  log::error("actors did not end in time; abandoned", {{"limit_ms", limit_ms}});
  waiter.detach();
  static_cast<void>(new std::shared_ptr<caf::actor_system>(std::move(system_)));  // never destroyed, on purpose
  static_cast<void>(new std::shared_ptr<struct settings>(std::move(settings_)));
  return false;
}

void system::run() { manual().run(); }

void system::advance(std::int64_t milliseconds) {
  for (auto left = milliseconds; left > 0; left -= step_ms) {
    manual().clock().advance_time(std::chrono::milliseconds(std::min(left, step_ms)));
    manual().run();
  }
}

caf::scheduler::test_coordinator& system::manual() {
  auto* coordinator = dynamic_cast<caf::scheduler::test_coordinator*>(&system_->scheduler());
  WEIR_ASSERT(coordinator != nullptr);
  return *coordinator;
}

}  // namespace weir::actors
