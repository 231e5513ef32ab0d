#include "cli/serve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/log.hpp"
#include "cli/file_limit.hpp"
#include "cli/notify.hpp"
#include "cli/settings.hpp"
#include "cli/wiring.hpp"

namespace weir::cli {
namespace {

/// The data file is mapped: a page of it that is not there, or that the disk cannot read, ends the process in the
/// middle of whatever it does.
extern "C" void say_that_data_is_damaged(int /*signal*/) {
  static constexpr std::string_view words =
      "weir: a page of the data file cannot be read: it is cut off or the disk fails. Restore data.dir from a copy, "
      "or import an export of it.\n";
  static_cast<void>(write(STDERR_FILENO, words.data(), words.size()));
  _exit(failed);
}

/// SIGINT and SIGTERM, blocked in this thread and all it starts, so that only wait() takes them.
class stop_signals {
 public:
  stop_signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGBUS, say_that_data_is_damaged);
    std::signal(SIGPIPE, SIG_IGN);  // a peer that hung up is an error code of the write
    std::signal(SIGXFSZ, SIG_IGN);  // so is a limit on the size of files, which is then like a full disk
  }

  void wait() const {
    int got = 0;
    sigwait(&set_, &got);
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);  // the next one is not waited for: it ends the process
  }

 private:
  sigset_t set_{};
};

}  // namespace

exit_status serve(const config_sources& from) {
  auto configuration = configure(from);
  if (!configuration) return report(configuration.error(), wrong_input);
  auto& [values, made] = *configuration;
  log::configure(made.log_level, made.log_format);
  for (const std::string& warning : configuration->warnings()) log::warn(warning);

  const stop_signals signals;
  const auto lowered = fit_to_files(made, raise_file_limit());
  if (!lowered) return report(lowered.error(), failed);
  if (*lowered) log::warn(**lowered);
  const auto running = node::start(made, values);
  if (!running) return report(running.error(), failed);
  fmt::print("weir ready: {}\n", (*running)->where());
  std::fflush(stdout);
  notify("READY=1");
  signals.wait();
  notify("STOPPING=1");
  log::info("stopping");
  (*running)->stop();
  const bool is_quiet = (*running)->is_quiet();
  log::info(is_quiet ? "stopped" : "stopped; a question that was still being worked out is given up");
  if (!is_quiet) {
    std::fflush(nullptr);
    std::_Exit(ended_well);  // a destructor would wait for it
  }
  return ended_well;
}

}  // namespace weir::cli
