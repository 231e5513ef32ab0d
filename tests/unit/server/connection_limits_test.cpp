// What connections may hold, over real sockets: who is above a limit waits or is closed, and nobody else is.
#include <algorithm>
#include <future>
#include <thread>

#include "connection_fixture.hpp"

namespace weir::server {
namespace {

using testing::client;
using testing::comes_true;
using testing::id_of;
using testing::plain_request;
using testing::recorded_sessions;
using testing::operator+;
using connection_limits_test = testing::connection_test;

TEST_F(connection_limits_test, reading_stops_while_too_many_requests_are_unanswered) {
  server_limits limits;
  limits.in_flight_per_connection_max = 4;
  start(limits);
  auto c = connect();
  bytes all;
  for (std::int32_t i = 0; i < 10; ++i) all = std::move(all) + plain_request(i);
  c.send(all);
  ASSERT_TRUE(sessions.wait_for(4));
  pass_by();
  EXPECT_EQ(sessions.kept(), 5U) << "four of the batch and the one that passed by";
  sessions.answer(0);
  EXPECT_EQ(id_of(c.read_frame()), 0);
  ASSERT_TRUE(sessions.wait_for(6));
  for (std::size_t i = 1; i < 11; ++i) {
    ASSERT_TRUE(sessions.wait_for(i + 1));
    if (i != 4) sessions.answer(i);
  }
  for (std::int32_t i = 1; i < 10; ++i) EXPECT_EQ(id_of(c.read_frame()), i);
}

TEST_F(connection_limits_test, the_process_limit_holds_a_request_back_until_another_is_answered) {
  server_limits limits;
  limits.in_flight_max = 2;
  start(limits);
  auto first = connect();
  first.send(plain_request(1) + plain_request(2));
  ASSERT_TRUE(sessions.wait_for(2));
  auto second = connect();
  second.send(plain_request(3));
  ASSERT_TRUE(sessions.connection(1));
  EXPECT_EQ(sessions.kept(), 2U);
  sessions.answer(0);
  ASSERT_TRUE(sessions.wait_for(3));
  sessions.answer(2);
  EXPECT_EQ(id_of(second.read_frame()), 3);
}

TEST_F(connection_limits_test, unfinished_frames_are_limited_in_bytes_together_and_all_come_to_their_end) {
  constexpr std::int32_t count = 8;
  const std::string payload(1'000'000, 'x');
  const std::size_t first = 300'000;
  server_limits limits;
  limits.unfinished_bytes_max = 1'000'000;
  start(limits);
  std::vector<client> clients;
  for (std::int32_t i = 0; i < count; ++i) {
    clients.push_back(connect());
    const auto frame = plain_request(i, payload);
    clients.back().send(bytes(frame.begin(), frame.begin() + first));
  }
  auto small = connect();
  while (server->stats().held_back == 0) {  // small frames pass meanwhile
    const auto before = sessions.kept();
    small.send(plain_request(count));
    ASSERT_TRUE(sessions.wait_for(before + 1));
    sessions.answer(before);
    ASSERT_EQ(id_of(small.read_frame()), count);
  }
  EXPECT_LT(server->stats().unfinished_bytes, 2 * limits.unfinished_bytes_max) << "the last one to grow may double";
  sessions.forget();
  std::vector<std::thread> senders;
  for (std::int32_t i = 0; i < count; ++i) {
    senders.emplace_back([&, i] {
      const auto frame = plain_request(i, payload);
      clients[static_cast<std::size_t>(i)].send(bytes(frame.begin() + first, frame.end()));
    });
  }
  EXPECT_TRUE(sessions.wait_for(count));
  for (auto& each : senders) each.join();
  EXPECT_TRUE(comes_true([&] { return server->stats().unfinished_bytes == 0; }));
}

TEST_F(connection_limits_test, the_memory_of_a_large_frame_is_given_back_although_the_next_has_begun) {
  server_limits limits;
  limits.unfinished_bytes_max = 200'000;
  start(limits);
  const auto large = plain_request(1, std::string(600'000, 'x'));
  const auto small = plain_request(2);
  auto first = connect();
  first.send(large + bytes(small.begin(), small.begin() + 1));
  ASSERT_TRUE(sessions.wait_for(1));
  EXPECT_TRUE(comes_true([&] { return server->stats().unfinished_bytes == 0; }));
  auto second = connect();
  second.send(large);
  EXPECT_TRUE(sessions.wait_for(2)) << "nobody is favoured any longer";
  first.send(bytes(small.begin() + 1, small.end()));
  EXPECT_TRUE(sessions.wait_for(3)) << "the byte of the next frame was kept";
}

TEST_F(connection_limits_test, who_holds_memory_for_a_frame_that_never_ends_loses_it_to_those_who_wait) {
  const auto frame = plain_request(7, std::string(600'000, 'x'));
  server_limits limits;
  limits.unfinished_bytes_max = 200'000;
  limits.frame_read_ms = 1'000;
  start(limits);
  std::vector<client> greedy;
  for (int i = 0; i < 4; ++i) {
    greedy.push_back(connect());
    greedy.back().send(bytes(frame.begin(), frame.begin() + 150'000));
  }
  ASSERT_TRUE(comes_true([&] { return server->stats().held_back > 0; }));
  EXPECT_FALSE(greedy.front().readable(static_cast<int>(limits.frame_read_ms / 2))) << "good's deadline is later";
  auto good = connect();
  std::thread sender([&] { good.send(frame); });
  EXPECT_TRUE(sessions.wait_for(1));
  sender.join();
  for (auto& each : greedy) EXPECT_TRUE(each.closed());
  EXPECT_EQ(server->stats().timed_out, greedy.size());
  EXPECT_TRUE(comes_true([&] { return server->stats().unfinished_bytes == 0; }));
}

TEST_F(connection_limits_test, connections_above_the_limit_are_closed_at_once) {
  server_limits limits;
  limits.connections_max = 2;
  start(limits);
  auto first = connect();
  auto second = connect();
  ASSERT_TRUE(sessions.connection(1));
  auto third = connect();
  EXPECT_TRUE(third.closed());
  EXPECT_EQ(server->stats().refused, 1U);
  first.close();
  ASSERT_TRUE(sessions.wait_closed(1));
  auto fourth = connect();
  fourth.send(plain_request(4));
  ASSERT_TRUE(sessions.wait_for(1));
}

TEST_F(connection_limits_test, an_idle_connection_is_closed_and_a_waiting_one_is_not) {
  server_limits limits;
  limits.idle_ms = 60;
  start(limits);
  auto waiting = connect();
  waiting.send(plain_request(1));
  ASSERT_TRUE(sessions.wait_for(1));
  auto idle = connect();
  EXPECT_TRUE(idle.closed());
  sessions.answer(0);
  EXPECT_EQ(id_of(waiting.read_frame()), 1);
  EXPECT_EQ(server->stats().timed_out, 1U);
}

TEST_F(connection_limits_test, a_slow_sender_is_cut_however_many_bytes_it_sends) {
  server_limits limits;
  limits.frame_read_ms = 80;
  start(limits);
  auto c = connect();
  const auto frame = plain_request(1, std::string(10'000, 'x'));
  bool open = true;
  for (std::size_t i = 0; i < frame.size() && open; ++i) open = c.try_send({frame[i]}) && !c.readable(10);
  EXPECT_FALSE(open);
  EXPECT_EQ(sessions.kept(), 0U);
  EXPECT_EQ(server->stats().timed_out, 1U);
}

TEST_F(connection_limits_test, a_client_that_takes_no_answers_is_cut) {
  server_limits limits;
  limits.write_ms = 80;
  start(limits);
  auto c = connect();
  c.send(plain_request(1));
  ASSERT_TRUE(sessions.wait_for(1));
  sessions.answer(0, std::string(64'000'000, 'x'));
  EXPECT_TRUE(sessions.wait_closed(1));
  EXPECT_EQ(server->stats().timed_out, 1U);
}

TEST_F(connection_limits_test, a_client_that_pipelines_and_never_reads_costs_two_turns_of_answers_and_delays_nobody) {
  constexpr std::int32_t count = 400;
  const std::string payload(std::size_t{256} * 1024, 'x');
  sessions.instead = [&](const request_in& request) -> result<void> {
    recorded_sessions::answer(request, request.header.correlation_id < count ? payload : std::string());
    return {};
  };
  start();
  auto greedy = connect();
  bytes all;
  for (std::int32_t i = 0; i < count; ++i) all = std::move(all) + plain_request(i);
  greedy.send(all);
  auto other = connect();
  std::uint64_t taken = 0;
  std::uint64_t before = 0;
  std::uint64_t trips = 0;
  do {  // until a round trip finds that nothing more was taken
    before = std::exchange(taken, 0);
    other.send(plain_request(count));
    ASSERT_EQ(id_of(other.read_frame()), count);
    taken = server->stats().requests - ++trips;
  } while (taken != before || taken == 0);
  EXPECT_LE(server->stats().requests_in_flight, 65U) << "two turns of 32, and one that has just passed by";
  EXPECT_LT(taken, static_cast<std::uint64_t>(count)) << "the rest waits in the client's socket";
  for (std::int32_t i = 0; i < count; ++i) ASSERT_EQ(id_of(greedy.read_frame()), i);
}

TEST_F(connection_limits_test, answers_that_wait_for_an_earlier_one_are_limited_in_bytes) {
  constexpr std::int32_t count = 20;
  const std::string payload(std::size_t{1} << 20, 'x');
  std::promise<request_in> first;
  sessions.instead = [&](const request_in& request) -> result<void> {
    const auto id = request.header.correlation_id;
    id == 0 ? first.set_value(request) : recorded_sessions::answer(request, id < count ? payload : std::string());
    return {};
  };
  server_limits limits;
  limits.untaken_bytes_per_connection_max = 4 * payload.size();
  start(limits);
  auto greedy = connect();
  bytes all;
  for (std::int32_t i = 0; i < count; ++i) all = std::move(all) + plain_request(i);
  greedy.send(all);
  const auto slow = first.get_future().get();
  auto other = connect();
  other.send(plain_request(count));
  ASSERT_EQ(id_of(other.read_frame()), count) << "one thread: what it could take of the others it has taken";
  EXPECT_EQ(server->stats().requests, 6U) << "the slow one, four that wait for it, and the one of the other client";
  recorded_sessions::answer(slow);
  for (std::int32_t i = 0; i < count; ++i) ASSERT_EQ(id_of(greedy.read_frame()), i) << "goes on once they are taken";
}

}  // namespace
}  // namespace weir::server
