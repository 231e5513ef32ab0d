#include "server/limits.hpp"

#include <fmt/format.h>

namespace weir::server {
namespace {

result<void> in_range(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return fail(fmt::format("{} is {}; it must be within {} and {}", name, value, least, most));
}

constexpr std::uint64_t connections_limit = 1'000'000;
constexpr std::uint64_t in_flight_limit = 10'000'000;
constexpr std::uint64_t untaken_bytes_limit = std::uint64_t{1} << 40;
constexpr std::uint64_t unfinished_bytes_limit = std::uint64_t{1} << 40;
constexpr std::int64_t day_ms = 86'400'000;

}  // namespace

result<void> server_limits::check() const {
  if (idle_ms < 1 || frame_read_ms < 1 || write_ms < 1) return fail("time limits of connections must be at least 1 ms");
  const auto day = static_cast<std::uint64_t>(day_ms) * 365;
  for (const auto& checked :
       {in_range("socket.request.max.bytes", frame_bytes_max, 64, limits::frame_bytes_max),
        in_range("queued.max.request.bytes", unfinished_bytes_max, 1, unfinished_bytes_limit),
        in_range("max.connections", connections_max, 1, connections_limit),
        in_range("max.connections of a listener", connections_per_listener_max, 1, connections_limit),
        in_range("requests in flight of a connection", in_flight_per_connection_max, 1, in_flight_limit),
        in_range("requests in flight", in_flight_max, 1, in_flight_limit),
        in_range("bytes of untaken answers of a connection", untaken_bytes_per_connection_max, 1, untaken_bytes_limit),
        in_range("connections.max.idle.ms", static_cast<std::uint64_t>(idle_ms), 1, day),
        in_range("time to read a request, ms", static_cast<std::uint64_t>(frame_read_ms), 1, day),
        in_range("time to write an answer, ms", static_cast<std::uint64_t>(write_ms), 1, day)}) {
    if (!checked) return checked;
  }
  return {};
}

}  // namespace weir::server
