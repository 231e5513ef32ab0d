// Connections over real sockets: order, what closes one and only that one, start and stop.
#include <algorithm>
#include <future>
#include <random>
#include <thread>

#include "connection_fixture.hpp"

namespace weir::server {
namespace {

using testing::client;
using testing::comes_true;
using testing::id_of;
using testing::plain_answer;
using testing::plain_request;
using testing::recorded_sessions;
using testing::operator+;
using connection_test = testing::connection_test;

TEST_F(connection_test, answers_leave_in_request_order_whatever_order_they_are_made_in) {
  start();
  auto c = connect();
  c.send(plain_request(10) + plain_request(11) + plain_request(12));
  ASSERT_TRUE(sessions.wait_for(3));
  sessions.answer(2);
  sessions.answer(0);
  EXPECT_EQ(id_of(c.read_frame()), 10);
  sessions.answer(1);
  EXPECT_EQ(id_of(c.read_frame()), 11);
  EXPECT_EQ(id_of(c.read_frame()), 12);
}

TEST_F(connection_test, order_holds_for_thousands_in_flight_answered_by_two_threads) {
  constexpr std::int32_t count = 4000;
  server_limits limits;
  limits.in_flight_per_connection_max = count;
  start(limits);
  auto c = connect();
  bytes all;
  for (std::int32_t i = 0; i < count; ++i) all = std::move(all) + plain_request(i, "some payload");
  c.send(all);
  ASSERT_TRUE(sessions.wait_for(count));
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, std::mt19937(4));
  const auto answer_half = [&](std::size_t from) {
    for (std::size_t i = from; i < order.size(); i += 2) sessions.answer(order[i]);
  };
  std::thread even(answer_half, 0);
  std::thread odd(answer_half, 1);
  for (std::int32_t i = 0; i < count; ++i) ASSERT_EQ(id_of(c.read_frame()), i);
  even.join();
  odd.join();
}

TEST_F(connection_test, a_batch_beyond_the_limit_in_flight_is_served_to_the_end) {
  sessions.instead = [](const request_in& request) -> result<void> {
    recorded_sessions::answer(request);
    return {};
  };
  start();
  auto c = connect();
  bytes all;
  for (std::int32_t i = 0; i < 20'000; ++i) all = std::move(all) + plain_request(i);
  std::thread sender([&] { c.send(all); });
  for (std::int32_t i = 0; i < 20'000; ++i) ASSERT_EQ(id_of(c.read_frame()), i);
  sender.join();
  EXPECT_EQ(server->stats().requests, 20'000U);
}

TEST_F(connection_test, a_frame_may_come_byte_by_byte) {
  start();
  auto c = connect();
  for (const auto byte : plain_request(5, "abc")) c.send({byte});
  ASSERT_TRUE(sessions.wait_for(1));
  const auto request = sessions.request(0);
  EXPECT_EQ(request.header.correlation_id, 5);
  EXPECT_EQ(std::string(request.body.begin(), request.body.end()), "abc");
  sessions.answer(0);
  EXPECT_EQ(id_of(c.read_frame()), 5);
}

TEST_F(connection_test, large_frames_and_answers_pass) {
  start();
  auto c = connect();
  const std::string payload(3'000'000, 'x');
  std::thread sender([&] { c.send(plain_request(1, payload)); });
  ASSERT_TRUE(sessions.wait_for(1));
  sender.join();
  EXPECT_EQ(sessions.request(0).body.size(), payload.size());
  sessions.answer(0, payload);
  const auto answer = c.read_frame();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->size(), payload.size() + 4);
}

TEST_F(connection_test, an_empty_answer_sends_nothing_and_keeps_the_order) {
  start();
  auto c = connect();
  c.send(plain_request(1) + plain_request(2));
  ASSERT_TRUE(sessions.wait_for(2));
  const auto silent = sessions.request(0);
  sessions.answer(1);
  silent.connection->answer(silent.slot, {});
  EXPECT_EQ(id_of(c.read_frame()), 2);
}

TEST_F(connection_test, the_client_host_is_told_as_java_prints_it) {
  start();
  auto c = connect();
  const auto connection = sessions.connection(0);
  ASSERT_TRUE(connection);
  EXPECT_EQ(connection->info().client_host, "/127.0.0.1");
  EXPECT_EQ(connection->info().local_port, server->port());
  const auto address = [](const char* text) { return java_text(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(address("::1"), "/0:0:0:0:0:0:0:1");
  EXPECT_EQ(address("::ffff:10.1.2.3"), "/10.1.2.3");
}

// ---- what closes a connection, and only that one ----

TEST_F(connection_test, a_frame_above_the_limit_closes_its_own_connection) {
  server_limits limits;
  limits.frame_bytes_max = 100;
  start(limits);
  auto good = connect();
  auto bad = connect();
  bad.send({0, 0, 0, 101, 0});
  EXPECT_TRUE(bad.closed());
  good.send(plain_request(1, std::string(90, 'x')));
  ASSERT_TRUE(sessions.wait_for(1));
  sessions.answer(0);
  EXPECT_EQ(id_of(good.read_frame()), 1);
  EXPECT_EQ(server->stats().protocol_errors, 1U);
}

TEST_F(connection_test, a_negative_length_closes) {
  start();
  auto c = connect();
  c.send({0xFF, 0xFF, 0xFF, 0xFF});
  EXPECT_TRUE(c.closed());
}

TEST_F(connection_test, an_unknown_api_key_closes) {
  start();
  auto c = connect();
  c.send({0, 0, 0, 10, 0x7F, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF});
  EXPECT_TRUE(c.closed());
}

TEST_F(connection_test, a_header_that_ends_too_early_closes) {
  start();
  auto c = connect();
  c.send({0, 0, 0, 3, 0, 18, 0});
  EXPECT_TRUE(c.closed());
}

TEST_F(connection_test, a_session_that_refuses_a_request_closes) {
  sessions.instead = [](const request_in&) -> result<void> { return fail("body does not fit"); };
  start();
  auto c = connect();
  c.send(plain_request(1));
  EXPECT_TRUE(c.closed());
  EXPECT_TRUE(sessions.wait_closed(1));
}

TEST_F(connection_test, what_a_session_throws_ends_its_own_connection_with_one_line_that_says_why) {
  sessions.instead = [](const request_in& request) -> result<void> {
    if (request.header.correlation_id == 1) throw std::bad_alloc();
    if (request.header.correlation_id == 2) throw 7;
    recorded_sessions::answer(request);
    return {};
  };
  start();
  auto good = connect();
  ::testing::internal::CaptureStderr();
  for (const std::int32_t id : {1, 2}) {
    auto bad = connect();
    bad.send(plain_request(id));
    EXPECT_TRUE(bad.closed());
  }
  good.send(plain_request(3));
  EXPECT_EQ(id_of(good.read_frame()), 3);
  const auto lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << lines;
  EXPECT_NE(lines.find("std::bad_alloc"), std::string::npos) << lines;
  EXPECT_TRUE(comes_true([&] { return server->stats().requests_in_flight == 0; })) << "all is given back";
  EXPECT_EQ(server->stats().protocol_errors, 0U) << "the client has done nothing wrong";
}

TEST_F(connection_test, a_session_may_close_from_any_thread) {
  start();
  auto c = connect();
  sessions.connection(0)->close("upstream is gone");
  EXPECT_TRUE(c.closed());
  EXPECT_EQ(server->stats().protocol_errors, 0U) << "the client has done nothing wrong";
}

TEST_F(connection_test, a_client_that_ends_its_side_still_gets_every_answer) {
  server_limits limits;
  limits.in_flight_per_connection_max = 2;
  start(limits);
  auto c = connect();
  bytes all;
  for (std::int32_t i = 0; i < 5; ++i) all = std::move(all) + plain_request(i);
  c.send(all);
  c.end();
  for (std::int32_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(sessions.wait_for(static_cast<std::size_t>(i) + 1));
    sessions.answer(static_cast<std::size_t>(i));
    EXPECT_EQ(id_of(c.read_frame()), i);
  }
  EXPECT_TRUE(c.closed());
  EXPECT_EQ(server->stats().protocol_errors + server->stats().timed_out, 0U);
}

TEST_F(connection_test, a_client_that_ends_its_side_with_nothing_open_is_closed) {
  start();
  auto c = connect();
  c.send({0, 0, 0, 9, 1});
  c.end();
  EXPECT_TRUE(c.closed());
}

TEST_F(connection_test, a_client_that_breaks_off_at_its_limit_is_noticed) {
  server_limits limits;
  limits.in_flight_per_connection_max = 1;
  limits.write_ms = 80;  // deadlines are looked at every quarter of it
  start(limits);
  auto c = connect();
  c.send(plain_request(1) + plain_request(2));
  ASSERT_TRUE(sessions.wait_for(1));
  c.reset();
  EXPECT_TRUE(sessions.wait_closed(1));
  EXPECT_EQ(server->stats().timed_out, 0U);
}

TEST_F(connection_test, a_client_that_ends_its_side_at_its_limit_is_not_waited_for_for_ever) {
  server_limits limits;
  limits.in_flight_per_connection_max = 1;
  limits.write_ms = 80;
  start(limits);
  auto c = connect();
  c.send(plain_request(1));
  ASSERT_TRUE(sessions.wait_for(1));
  c.end();
  EXPECT_TRUE(sessions.wait_closed(1));
  EXPECT_EQ(server->stats().timed_out, 1U);
}

TEST_F(connection_test, answers_after_the_close_go_nowhere_and_free_their_places) {
  server_limits limits;
  limits.in_flight_max = 3;
  start(limits);
  {
    auto c = connect();
    c.send(plain_request(1) + plain_request(2));
    ASSERT_TRUE(sessions.wait_for(2));
    EXPECT_EQ(server->stats().requests_in_flight, 2U);
    c.reset();
  }
  ASSERT_TRUE(sessions.wait_closed(1));
  sessions.answer(0);
  sessions.answer(1);
  sessions.forget();
  auto next = connect();
  next.send(plain_request(3) + plain_request(4) + plain_request(5));
  EXPECT_TRUE(sessions.wait_for(3)) << "both places are free again";
}

// ---- start and stop ----

TEST_F(connection_test, stop_waits_for_held_answers_and_delivers_them) {
  start();
  auto busy = connect();
  busy.send(plain_request(1));
  ASSERT_TRUE(sessions.wait_for(1));
  auto idle = connect();
  ASSERT_TRUE(sessions.connection(1));
  std::thread stopping([&] { server->stop(10'000); });
  EXPECT_TRUE(idle.closed());
  sessions.answer(0);
  EXPECT_EQ(id_of(busy.read_frame()), 1);
  EXPECT_TRUE(busy.closed());
  stopping.join();
}

TEST_F(connection_test, stop_closes_what_is_not_answered_in_time) {
  start();
  auto c = connect();
  c.send(plain_request(1));
  ASSERT_TRUE(sessions.wait_for(1));
  server->stop(20);
  EXPECT_TRUE(c.closed());
  sessions.answer(0);
}

TEST_F(connection_test, a_port_in_use_is_named_with_what_to_do) {
  start();
  recorded_sessions others;
  server_options same{.listeners = {{"127.0.0.1", server->port()}}, .io_threads = 1, .limits = {}};
  const auto second = kafka_server::start(same, others);
  ASSERT_FALSE(second);
  const auto& message = second.error().message;
  const auto address = "cannot listen on 127.0.0.1:" + std::to_string(server->port());
  EXPECT_NE(message.find(address), std::string::npos) << message;
  EXPECT_NE(message.find("`listeners`"), std::string::npos) << message;
}

TEST_F(connection_test, a_limit_out_of_range_is_named) {
  server_limits limits;
  limits.frame_bytes_max = 1;
  server_options options{.listeners = {{"127.0.0.1", 0}}, .io_threads = 1, .limits = limits};
  const auto started = kafka_server::start(options, sessions);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("socket.request.max.bytes is 1"), std::string::npos);
}

}  // namespace
}  // namespace weir::server
