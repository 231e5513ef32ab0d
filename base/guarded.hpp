// guarded: where an exception must not get out of, because its thread serves others too; and where one ends the
// process, because nobody would go on with the thread's work.
#pragma once

#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include "base/log.hpp"

namespace weir {

/// Runs `work`. What it throws is given to `failed` as text. If that throws too there is no memory to clean up with,
/// and the process ends (std::terminate): everything answered is durable, and a restart goes on from there.
template <class Work, class Failed>
void guarded(Work&& work, Failed&& failed) noexcept {
  try {
    std::forward<Work>(work)();
  } catch (const std::exception& fault) {
    failed(fault.what());
  } catch (...) {
    failed("an exception of an unknown kind");
  }
}

/// Runs `work`, the whole life of a thread that the process cannot do without: what it throws ends the process.
template <class Work>
void indispensable_thread(std::string_view name, Work&& work) noexcept {
  guarded(std::forward<Work>(work), [name](const char* what) {
    log::error("a thread that nothing works without has failed; ending, a restart goes on from the log",
               {{"thread", name}, {"reason", what}});
    std::_Exit(EXIT_FAILURE);
  });
}

}  // namespace weir
