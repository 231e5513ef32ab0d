#include "cli/file_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace weir::cli {
namespace {

/// For the log, listeners, connections to the upstream of the process's own, and one more.
constexpr std::size_t files_of_the_process = 58;
/// Of an event loop.
constexpr std::size_t files_of_a_thread = 3;
/// With fewer connections than these, or than configured, Weir is of no use: members of one group would keep each other
/// out.
constexpr std::size_t clients_least = 16;
constexpr std::size_t probes_least = 4;

}  // namespace

std::size_t raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return std::numeric_limits<std::size_t>::max();
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

result<std::optional<std::string>> fit_to_files(settings& made, std::size_t files) {
  // A client of the gateway has a connection of its own to the upstream.
  const std::size_t per_client = made.mode == run_mode::gateway ? 2 : 1;
  auto& clients = made.kafka.limits.connections_max;
  auto& probes = made.http.connections_max;
  const std::size_t own = files_of_the_process + files_of_a_thread * made.kafka.io_threads;
  const std::size_t least = own + per_client * std::min(clients, clients_least) + std::min(probes, probes_least);
  if (files < least) {
    return fail(
        fmt::format("the process may have only {} file descriptors, and needs {} at the least: raise the limit "
                    "(ulimit -n, or LimitNOFILE of the systemd unit)",
                    files, least));
  }
  const std::size_t free = files - own;
  if (clients * per_client + probes <= free) return std::nullopt;
  probes = std::min(probes, std::max(free / 4, probes_least));
  clients = std::min(clients, (free - probes) / per_client);
  made.kafka.limits.connections_per_listener_max = std::min(made.kafka.limits.connections_per_listener_max, clients);
  return fmt::format(
      "connections limited to {} (max.connections) and {} (http.max.connections): the process may have only "
      "{} file descriptors; raise the limit (ulimit -n, LimitNOFILE)",
      clients, probes, files);
}

}  // namespace weir::cli
