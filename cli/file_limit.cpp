#include "cli/file_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace weir::cli {
namespace {

/// For the log, event loops, listeners, connections to the upstream of the process's own, and one more.
constexpr std::size_t files_of_the_process = 64;

}  // namespace

std::size_t raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return std::numeric_limits<std::size_t>::max();
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

std::optional<std::string> fit_to_files(settings& made, std::size_t files) {
  // A client of the gateway has a connection of its own to the upstream.
  const std::size_t per_client = made.mode == run_mode::gateway ? 2 : 1;
  auto& clients = made.kafka.limits.connections_max;
  auto& probes = made.http.connections_max;
  const std::size_t free = files > files_of_the_process ? files - files_of_the_process : 0;
  if (clients * per_client + probes <= free) return std::nullopt;
  probes = std::min(probes, std::max<std::size_t>(free / 4, 1));
  const std::size_t left = free > probes ? (free - probes) / per_client : 0;
  clients = std::min(clients, std::max<std::size_t>(left, 1));
  made.kafka.limits.connections_per_listener_max = std::min(made.kafka.limits.connections_per_listener_max, clients);
  return fmt::format(
      "connections limited to {} (max.connections) and {} (http.max.connections): the process may have only "
      "{} file descriptors; raise the limit (ulimit -n, LimitNOFILE)",
      clients, probes, files);
}

}  // namespace weir::cli
