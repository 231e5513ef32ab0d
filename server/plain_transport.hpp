// plain_transport: a TCP socket without encryption.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "server/transport.hpp"

namespace weir::server {

/// Sockets name their executor type: the type-erased default costs an allocation per operation.
using plain_socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

/// Takes a connected socket; makes it non-blocking, without delay and with keep-alive.
[[nodiscard]] std::unique_ptr<transport> make_plain_transport(plain_socket socket);

}  // namespace weir::server
