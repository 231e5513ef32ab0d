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

/// For the end of a part that the process cannot do without, for instance because requests would wait for ever:
/// everything answered is durable, and a restart goes on from there.
[[noreturn]] inline void end_process(std::string_view part, std::string_view reason) {
  log::error("a part that nothing works without has ended; ending, a restart goes on from the log",
             {{"part", part}, {"reason", reason}});
  std::_Exit(EXIT_FAILURE);
}

/// Runs `work`, the whole life of a thread that the process cannot do without: what it throws ends the process.
template <class Work>
void indispensable_thread(std::string_view name, Work&& work) noexcept {
  guarded(std::forward<Work>(work), [name](const char* what) { end_process(name, what); });
}

}  // namespace weir
