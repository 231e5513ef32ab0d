// The one source of random numbers. Rules (group/, metadata/, assignor/) never draw; shells pass drawn values in.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>

namespace weir {

/// Port. Implementations say whether they may be shared between threads.
class random_source {
 public:
  virtual ~random_source() = default;
  virtual std::uint64_t next() = 0;
};

/// Seeded from the system; any thread may draw.
class system_random final : public random_source {
 public:
  std::uint64_t next() override;

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_{std::random_device{}()};
};

/// For tests and simulations: equal seeds draw equal numbers. One thread.
class seeded_random final : public random_source {
 public:
  explicit seeded_random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weir
