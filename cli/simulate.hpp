// `weir simulate`: an application that is not there. Processes and threads join a group like Kafka Streams would, and
// the assignment is shown as it changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/sim_topology.hpp"

namespace weir::cli {

struct simulate_options {
  std::string group = "weir-simulation";
  std::string host = "127.0.0.1";
  std::uint16_t port = 9092;
  int processes = 2;
  int threads = 2;  ///< of each process
  std::optional<std::string> topology_file;  ///< nothing = word count
  std::optional<std::int64_t> seconds;       ///< nothing = until a signal
};

/// Runs until the time is over or SIGINT or SIGTERM comes, then leaves the group. Prints to standard output. Error: no
/// server, no such file, or every thread had to stop.
result<void> simulate(const simulate_options& options);

}  // namespace weir::cli
