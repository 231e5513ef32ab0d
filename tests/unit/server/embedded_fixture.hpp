// An embedded node over real sockets, with a fake coordinator behind it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "client.hpp"
#include "fake_coordinator.hpp"
#include "server/embedded.hpp"
#include "server/server.hpp"
#include "storage/memory_log.hpp"

namespace weir::server::testing {

class embedded_test : public ::testing::Test {
 protected:
  embedded_test() {
    auto opened = catalogue::open({}, log, random, time);
    EXPECT_TRUE(opened);
    topics = std::move(*opened);
    topics->publish_to(coordinator);
    embedded_options options{.node_id = 1, .advertised = {{"weir.example", 0}}, .rack = {}};
    auto producers_opened = transactions::open(log, time);
    EXPECT_TRUE(producers_opened);
    producers = std::move(*producers_opened);
    sessions = make_embedded_sessions({coordinator, *topics, *producers}, time, options);
    auto started = kafka_server::start({.listeners = {{"127.0.0.1", 0}}, .io_threads = 1, .limits = {}}, *sessions);
    EXPECT_TRUE(started);
    server = std::move(*started);
  }

  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version) {
    return connection().template call<Response>(request, version);
  }
  client& connection() {
    if (!client_) client_ = std::make_unique<client>(server->port());
    return *client_;
  }
  uuid make_topic(const std::string& name, std::int32_t partitions, config_map configs = {}) {
    uuid id;
    new_topic topic{
        .name = name, .partitions = partitions, .replication_factor = 1, .configs = std::move(configs), .racks = {}};
    topics->create(std::move(topic), false, [&](const auto& created) {
      ASSERT_TRUE(created) << created.error().message;
      id = (*created)->id;
    });
    return id;
  }

  storage::memory_log log;
  system_random random;
  manual_clock time;
  fake_coordinator coordinator;
  std::unique_ptr<catalogue> topics;
  std::unique_ptr<transactions> producers;
  std::unique_ptr<session_factory> sessions;
  std::unique_ptr<kafka_server> server;
  std::unique_ptr<client> client_;
};

/// The number on the wire, for comparisons.
[[nodiscard]] constexpr std::int16_t number(protocol::error_code code) { return code_of(code); }

}  // namespace weir::server::testing
