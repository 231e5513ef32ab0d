// Log lines for a reader at night: one event, a stable message, fields. To standard error, as text for people or JSON
// for machines. Never on the steady heartbeat path above debug.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
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

/// The line as it is printed, without the line end; timestamp in UTC (`2026-01-02T03:04:05.678Z`). For tests.
[[nodiscard]] std::string render(format form, level at, std::string_view timestamp, std::string_view message,
                                 fields with);

}  // namespace weir::log
