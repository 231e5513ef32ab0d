// A Kafka listener with one I/O thread, and sessions that keep what they are asked.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "client.hpp"
#include "recorded_sessions.hpp"
#include "server/server.hpp"

namespace weir::server::testing {

/// Whether the condition holds within ten seconds.
template <class Condition>
[[nodiscard]] bool comes_true(Condition holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return holds();
}

class connection_test : public ::testing::Test {
 protected:
  void start(server_limits limits = {}) {
    server_options options{.listeners = {{"127.0.0.1", 0}}, .io_threads = 1, .limits = limits};
    auto started = kafka_server::start(options, sessions);
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }
  client connect() { return client(server->port()); }
  /// A round trip: what the server's only thread had to do before has been done.
  void pass_by() {
    auto other = connect();
    const auto before = sessions.kept();
    other.send(plain_request(1));
    ASSERT_TRUE(sessions.wait_for(before + 1));
    sessions.answer(before);
    EXPECT_EQ(id_of(other.read_frame()), 1);
  }

  recorded_sessions sessions;
  std::unique_ptr<kafka_server> server;
};

}  // namespace weir::server::testing
