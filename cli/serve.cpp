#include "cli/serve.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>

#include "base/log.hpp"
#include "cli/notify.hpp"
#include "cli/settings.hpp"
#include "cli/wiring.hpp"

namespace weir::cli {
namespace {

/// SIGINT and SIGTERM, blocked in this thread and all it starts, so that only wait() takes them.
class stop_signals {
 public:
  stop_signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
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

/// Each connection is a file descriptor; the soft limit is often 1024.
void raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

exit_status refuse(const error& why, exit_status status) {
  fmt::print(stderr, "weir: {}\n", why.message);
  return status;
}

}  // namespace

exit_status serve(const config_sources& from) {
  const auto loaded = config::load(from);
  if (!loaded) return refuse(loaded.error(), wrong_input);
  const auto settled = settle(*loaded);
  if (!settled) return refuse(settled.error(), wrong_input);
  log::configure(settled->log_level, settled->log_format);
  for (const std::string& warning : loaded->warnings()) log::warn(warning);

  const stop_signals signals;
  raise_file_limit();
  const auto running = node::start(*settled, *loaded);
  if (!running) return refuse(running.error(), failed);
  fmt::print("weir ready: {}\n", (*running)->where());
  std::fflush(stdout);
  notify("READY=1");
  signals.wait();
  notify("STOPPING=1");
  log::info("stopping");
  (*running)->stop();
  log::info("stopped");
  return ended_well;
}

}  // namespace weir::cli
