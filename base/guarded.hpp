// guarded: where an exception must not get out of, because its thread serves others too.
#pragma once

#include <exception>
#include <utility>

namespace weir {

/// Runs `work`. What it throws is given to `failed` as text. What `failed` throws is dropped: then there is no memory
/// for a log line either, so it does first what has to be done.
template <class Work, class Failed>
void guarded(Work&& work, Failed&& failed) noexcept {
  try {
    try {
      std::forward<Work>(work)();
    } catch (const std::exception& fault) {
      failed(fault.what());
    } catch (...) {
      failed("an exception of an unknown kind");
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): see above
  }
}

}  // namespace weir
