#include "server/listener.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/v6_only.hpp>
#include <chrono>
#include <utility>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"

namespace weir::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using socket_error = boost::system::error_code;

/// How long to wait after a failed accept (no file handle left).
constexpr std::chrono::milliseconds accept_pause{100};

result<tcp::endpoint> resolve(const listen_address& address) {
  if (address.host.empty()) return tcp::endpoint(tcp::v6(), address.port);
  socket_error error;
  const auto literal = asio::ip::make_address(address.host, error);
  if (!error) return tcp::endpoint(literal, address.port);
  asio::io_context context;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    return fail(fmt::format("cannot listen on {}: the host is not known ({}); {}", address.to_string(), error.message(),
                            "set an address of this machine in `listeners`"));
  }
  return found.begin()->endpoint();
}

std::string advice(const socket_error& error) {
  if (error == asio::error::address_in_use) {
    return "another process uses the port: stop it, or set another one in `listeners`";
  }
  if (error == asio::error::access_denied) return "ports below 1024 need privileges: set another one in `listeners`";
  return "set an address of this machine in `listeners`";
}

template <class Acceptor>
socket_error bind_to(Acceptor& acceptor, const tcp::endpoint& endpoint) {
  socket_error error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && endpoint.protocol() == tcp::v6() && endpoint.address().is_unspecified()) {
    acceptor.set_option(asio::ip::v6_only(false), error);
  }
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    socket_error ignored;
    acceptor.close(ignored);
  }
  return error;
}

}  // namespace

std::string listen_address::to_string() const {
  const bool colons = host.find(':') != std::string::npos;
  return colons ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

result<std::unique_ptr<listener>> listener::open(const listen_address& address, parts with) {
  auto endpoint = resolve(address);
  if (!endpoint) return tl::unexpected(endpoint.error());
  std::unique_ptr<listener> made(new listener(std::move(with)));
  auto error = bind_to(made->acceptor_, *endpoint);
  const bool no_ipv6 = error == asio::error::address_family_not_supported;
  if (address.host.empty() && no_ipv6) error = bind_to(made->acceptor_, tcp::endpoint(tcp::v4(), address.port));
  if (error) {
    return fail(fmt::format("cannot listen on {}: {}; {}", address.to_string(), error.message(), advice(error)));
  }
  made->port_ = made->acceptor_.local_endpoint().port();
  return made;
}

listener::listener(parts with)
    : with_(std::move(with)), acceptor_(with_.threads.front()->context()), pause_(with_.threads.front()->context()) {}

void listener::accept() {
  auto on = with_.threads[next_thread_++ % with_.threads.size()];
  auto socket = std::make_shared<plain_socket>(on->context());
  auto& target = *socket;
  acceptor_.async_accept(target, [this, on = std::move(on), socket = std::move(socket)](const socket_error& error) {
    if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (error) {
      metrics::all().accept_failures.with({"kafka"}).add();
      failures_.write(log::level::error, "cannot accept connections", {{"port", port_}, {"reason", error.message()}});
      return accept_later();
    }
    guarded([&] { accepted(on, std::move(*socket)); },
            [this](const char* what) {
              failures_.write(log::level::error, "cannot serve a connection", {{"port", port_}, {"reason", what}});
            });
    accept();
  });
}

void listener::accepted(const std::shared_ptr<io_thread>& on, plain_socket socket) {
  socket_error gone;
  const auto peer = socket.remote_endpoint(gone);
  if (gone) return;
  connection_info info{.listener = with_.index,
                       .local_port = port_,
                       .client_host = java_text(peer.address()),
                       .peer = fmt::format("{}:{}", peer.address().to_string(), peer.port())};
  if (!count_in()) {
    with_.shared->totals.refused.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  with_.shared->totals.accepted.fetch_add(1, std::memory_order_relaxed);
  auto closed = [open = with_.open, index = with_.index] {
    --*open->per_listener[index];
    --open->total;
    open->on_close();
  };
  try {
    auto bytes = make_plain_transport(std::move(socket));
    auto made = std::make_shared<connection>(on, with_.shared, std::move(info), std::move(bytes), closed);
    on->post([made = std::move(made)] { made->start(); });
  } catch (...) {
    closed();
    throw;
  }
}

/// False at a limit.
bool listener::count_in() {
  auto& mine = *with_.open->per_listener[with_.index];
  const auto& most = with_.shared->limits;
  if (with_.open->total < most.connections_max && mine < most.connections_per_listener_max) {
    ++with_.open->total;
    ++mine;
    return true;
  }
  refusals_.write(log::level::warn, "connections refused: limit reached",
                  {{"port", port_}, {"open", with_.open->total.load()}});
  return false;
}

void listener::accept_later() {
  pause_.expires_after(accept_pause);
  pause_.async_wait([this](const socket_error& error) {
    if (!error && acceptor_.is_open()) accept();
  });
}

void listener::stop() {
  socket_error ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

std::string java_text(const asio::ip::address& address) {
  if (address.is_v4()) return "/" + address.to_string();
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return "/" + asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  const auto raw = v6.to_bytes();
  std::string out;
  for (std::size_t i = 0; i < raw.size(); i += 2) {
    out += fmt::format("{}{:x}", i == 0 ? "/" : ":", raw[i] << 8 | raw[i + 1]);
  }
  return out;
}

}  // namespace weir::server
