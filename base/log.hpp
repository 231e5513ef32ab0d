// Log lines for a reader at night: one event, a stable message, fields. To standard error, as text for people or JSON
// for machines. Never on the steady heartbeat path above debug.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

namespace weir::log {

enum class level { debug, info, warn, error };
enum class format { text, json };

/// One `key=value` of a line. Built from anything fmt prints; numbers and booleans stay bare in JSON.
struct field {
  template <class Value>
  field(std::string_view name, const Value& v) : key(name), value(fmt::format("{}", v)), bare(is_bare<Value>) {}

  std::string_view key;
  std::string value;
  bool bare;

 private:
  template <class Value>
  static constexpr bool is_bare = std::is_arithmetic_v<Value> && !std::is_same_v<Value, char>;
};

using fields = std::initializer_list<field>;

/// Called once by main(), before the first line. Any thread may log afterwards (and before: info, text).
void configure(level least, format form);
[[nodiscard]] bool enabled(level at) noexcept;
void write(level at, std::string_view message, fields with);

inline void debug(std::string_view message, fields with = {}) { write(level::debug, message, with); }
inline void info(std::string_view message, fields with = {}) { write(level::info, message, with); }
inline void warn(std::string_view message, fields with = {}) { write(level::warn, message, with); }
inline void error(std::string_view message, fields with = {}) { write(level::error, message, with); }

/// For a line that strangers can provoke: at most `lines` of them in each `period_ms`, and how many were left out is
/// told when the next one is due. Any thread.
class flood_guard {
 public:
  flood_guard(std::uint32_t lines, std::int64_t period_ms) : lines_(lines), period_ms_(period_ms) {}

  void write(level at, std::string_view message, fields with);
  /// Whether a line may be written at that (monotonic) time. `left_out` becomes the number of those that were refused
  /// in the period that has just ended, else 0.
  [[nodiscard]] bool admit(std::int64_t now_ms, std::uint64_t& left_out);

 private:
  const std::uint32_t lines_;
  const std::int64_t period_ms_;
  std::mutex mutex_;
  std::int64_t began_ms_ = 0;
  std::uint32_t written_ = 0;
  std::uint64_t left_out_ = 0;
};

/// The line as it is printed, without the line end; timestamp in UTC (`2026-01-02T03:04:05.678Z`). For tests.
[[nodiscard]] std::string render(format form, level at, std::string_view timestamp, std::string_view message,
                                 fields with);

}  // namespace weir::log
