// Tells the service manager how far we are: systemd's notification protocol, one datagram.
#pragma once

#include <string_view>

namespace weir::cli {

/// Sends `READY=1`, `STOPPING=1`, ... to the socket named by NOTIFY_SOCKET; nothing happens if there is none.
void notify(std::string_view state) noexcept;

}  // namespace weir::cli
