// The CAF actor system: made with the settings we want, ended in order and within a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "actors/caf_api.hpp"

namespace weir::actors {

/// threads: CAF's own, work sharing (never its default work stealing). manual: nothing runs until a test says so.
enum class scheduling : std::uint8_t { threads, manual };

class system {
 public:
  system(scheduling how, std::size_t threads);
  /// As stop() with a limit of seconds, if that has not been called.
  ~system();
  system(const system&) = delete;
  system& operator=(const system&) = delete;

  [[nodiscard]] caf::actor_system& caf() noexcept { return *system_; }
  /// Waits until every actor has ended, then ends the threads. False if some actor would not end: then the actor
  /// system is abandoned, since destroying it would wait for ever.
  bool stop(std::int64_t limit_ms);

  /// Manual scheduling: runs until no actor has work. Moves CAF's clock by small steps, running in between.
  void run();
  void advance(std::int64_t milliseconds);

 private:
  [[nodiscard]] caf::scheduler::test_coordinator& manual();

  struct settings;
  scheduling how_;
  std::shared_ptr<settings> settings_;
  std::shared_ptr<caf::actor_system> system_;
};

}  // namespace weir::actors
