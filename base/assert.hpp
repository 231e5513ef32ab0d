// WEIR_ASSERT: for our own mistakes, on in release builds too. Never for input: input gets an error (base/error.hpp).
#pragma once

namespace weir {

/// Prints where and what failed to standard error, then aborts: a restart replays what is durable.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace weir

#define WEIR_ASSERT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::weir::assertion_failed(#condition, __FILE__, __LINE__))
