// The steady heartbeat, the request a coordinator answers all day.
//
// * work: decode + decide + encode in one thread, with the allocations each makes.
// * loopback/P: the whole path over real sockets with P requests in flight on each of 50 connections, beside a bare
//   Asio echo of the same frames in the same run. Counters: CPU of the server per request in microseconds, for the
//   echo, for Weir with groups decided on the I/O thread, and for Weir as it runs (group actors), and the last two as a
//   ratio to the echo. The server's CPU is that of the process without the thread that makes the load.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "bench/steady_group.hpp"
#include "server/embedded.hpp"
#include "server/server.hpp"
#include "storage/memory_log.hpp"
#include "tests/unit/protocol/counting_allocations.hpp"

namespace weir::bench {
namespace {

using boost::asio::ip::tcp;
using heartbeat_request = protocol::streams_group_heartbeat_request;
using heartbeat_response = protocol::streams_group_heartbeat_response;

constexpr std::int16_t version = 1;
constexpr std::size_t connection_count = 50;
constexpr std::size_t requests_per_measure = 40'000;

bytes frame_of(const heartbeat_request& request) {
  return protocol::encode_request_frame(7, text::view(client_id), request, version);
}

/// One request in one thread, of a member with that many tasks.
void work(benchmark::State& state) {
  steady_group group("bench-application", static_cast<std::int32_t>(state.range(0)));
  const auto frame = frame_of(group.request());
  const auto body = byte_view(frame).subspan(4);
  benchmark::DoNotOptimize(group.serve(body));
  const auto before = protocol::testing::allocations();
  for (auto _ : state) benchmark::DoNotOptimize(group.serve(body));
  const auto made = protocol::testing::allocations() - before;
  state.counters["allocations"] = static_cast<double>(made) / static_cast<double>(state.iterations());
}
BENCHMARK(work)->Arg(8)->Arg(1000);

// ---- load ----

double cpu_us(int whose) {
  rusage used{};
  getrusage(whose, &used);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

/// A blocking connection with a frame to repeat.
struct load_connection {
  tcp::socket socket;
  bytes batch;                   // the frame, as often as requests are in flight
  std::size_t answer_bytes = 0;  // of one answer, its length included
};

bytes read_answer(tcp::socket& socket) {
  bytes answer(4);
  boost::asio::read(socket, boost::asio::buffer(answer));
  const auto size = static_cast<std::size_t>(protocol::wire::reader(answer).int32());
  answer.resize(4 + size);
  boost::asio::read(socket, boost::asio::buffer(answer.data() + 4, size));
  return answer;
}

heartbeat_response ask(tcp::socket& socket, const heartbeat_request& request, bytes& keep) {
  boost::asio::write(socket, boost::asio::buffer(frame_of(request)));
  keep = read_answer(socket);
  const auto opened =
      protocol::open_response(byte_view(keep).subspan(4), protocol::api::streams_group_heartbeat, version);
  return *protocol::decode<heartbeat_response>(opened->body, version);
}

/// Joins a group of its own and acknowledges, so that only steady heartbeats are left to send.
heartbeat_request settle(tcp::socket& socket, const std::string& group_id) {
  bytes keep;
  const auto join = join_of(group_id, "member-1-with-a-name-of-usual-length");
  auto current = acknowledge(join, ask(socket, join, keep));
  while (!current.active_tasks || current.active_tasks->empty()) {
    current = acknowledge(current, ask(socket, current, keep));
  }
  current = acknowledge(current, ask(socket, current, keep));
  return steady_of(current);
}

class load {
 public:
  /// `joins`: whether each connection has to join a group first. Otherwise all send `frame`.
  load(std::uint16_t port, std::size_t in_flight, bool joins, const bytes& frame) {
    for (std::size_t i = 0; i < connection_count; ++i) {
      tcp::socket socket(context_);
      socket.connect({boost::asio::ip::address_v4::loopback(), port});
      socket.set_option(tcp::no_delay(true));
      auto mine = joins ? frame_of(settle(socket, "bench-application-" + std::to_string(i))) : frame;
      boost::asio::write(socket, boost::asio::buffer(mine));
      const auto answer_bytes = read_answer(socket).size();
      bytes batch;
      for (std::size_t n = 0; n < in_flight; ++n) batch.insert(batch.end(), mine.begin(), mine.end());
      connections_.push_back({std::move(socket), std::move(batch), answer_bytes});
    }
    in_flight_ = in_flight;
  }

  /// CPU of everything but the load, per request, in microseconds.
  double measure() {
    const auto rounds = requests_per_measure / (connection_count * in_flight_) + 1;
    const auto all_before = cpu_us(RUSAGE_SELF);
    const auto own_before = cpu_us(RUSAGE_THREAD);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (auto& each : connections_) boost::asio::write(each.socket, boost::asio::buffer(each.batch));
      for (auto& each : connections_) {
        answers_.resize(each.answer_bytes * in_flight_);
        boost::asio::read(each.socket, boost::asio::buffer(answers_));
      }
    }
    const auto own = cpu_us(RUSAGE_THREAD) - own_before;
    const auto all = cpu_us(RUSAGE_SELF) - all_before;
    return (all - own) / static_cast<double>(rounds * connection_count * in_flight_);
  }

 private:
  boost::asio::io_context context_;
  std::vector<load_connection> connections_;
  std::size_t in_flight_ = 1;
  bytes answers_;
};

// ---- servers ----

/// What Asio alone costs: reads what is there and writes it back.
class echo_server {
 public:
  echo_server() {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  echo_server(const echo_server&) = delete;
  echo_server& operator=(const echo_server&) = delete;
  ~echo_server() {
    context_.stop();
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  struct echo : std::enable_shared_from_this<echo> {
    explicit echo(tcp::socket accepted) : socket(std::move(accepted)) {}
    void read() {
      socket.async_read_some(boost::asio::buffer(buffer), [self = shared_from_this()](auto error, std::size_t count) {
        if (!error) self->write(count);
      });
    }
    void write(std::size_t count) {
      boost::asio::async_write(socket, boost::asio::buffer(buffer.data(), count),
                               [self = shared_from_this()](auto error, std::size_t) {
                                 if (!error) self->read();
                               });
    }
    tcp::socket socket;
    bytes buffer = bytes(65536);
  };

  void accept() {
    acceptor_.async_accept([this](auto error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      std::make_shared<echo>(std::move(socket))->read();
      accept();
    });
  }

  boost::asio::io_context context_{1};
  tcp::acceptor acceptor_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

/// Decides on the I/O thread: the listener's own cost and the core's, without actors.
class in_place_sessions final : public server::session_factory {
 public:
  std::unique_ptr<server::connection_session> open(
      const std::shared_ptr<server::client_connection>& /*connection*/) override {
    return std::make_unique<session>();
  }
  [[nodiscard]] static bytes frame() { return frame_of(steady_group("bench-application", 8).request()); }

 private:
  class session final : public server::connection_session {
   public:
    result<void> on_request(server::request_in request) override {
      request.connection->answer(request.slot, group_.serve(*request.frame));
      return {};
    }

   private:
    steady_group group_{"bench-application", 8};
  };
};

server::server_options listen() { return {.listeners = {{"127.0.0.1", 0}}, .io_threads = 1, .limits = {}}; }

/// Weir in embedded mode, its log in memory: steady heartbeats write nothing.
class embedded_node {
 public:
  embedded_node() {
    actors::coordinator_options options;
    options.threads = 1;
    options.broker.initial_rebalance_delay_ms = 0;
    options.broker.assignment_interval_ms = 0;
    topics_ = *server::catalogue::open({}, log_, random_, time_);
    coordinator_ = *actors::coordinator::start(options, log_, *topics_, time_, topics_->current());
    topics_->publish_to(*coordinator_);
    std::promise<void> created;
    topics_->create({.name = "in", .partitions = 8, .replication_factor = 1, .configs = {}, .racks = {}}, false,
                    [&](const auto&) { created.set_value(); });
    created.get_future().wait();
    producers_ = *server::transactions::open(log_, time_);
    sessions_ = server::make_embedded_sessions({*coordinator_, *topics_, *producers_}, time_,
                                               {.node_id = 1, .advertised = {{"127.0.0.1", 0}}, .rack = {}});
    server_ = *server::kafka_server::start(listen(), *sessions_);
  }
  embedded_node(const embedded_node&) = delete;
  embedded_node& operator=(const embedded_node&) = delete;
  ~embedded_node() {
    server_->stop(1000);
    topics_->stop_publishing();
    coordinator_->stop(1000);
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  storage::memory_log log_;
  system_random random_;
  manual_clock time_;  // no session ends
  std::unique_ptr<server::catalogue> topics_;
  std::unique_ptr<actors::coordinator> coordinator_;
  std::unique_ptr<server::transactions> producers_;
  std::unique_ptr<server::session_factory> sessions_;
  std::unique_ptr<server::kafka_server> server_;
};

void loopback(benchmark::State& state) {
  log::configure(log::level::warn, log::format::text);
  const auto in_flight = static_cast<std::size_t>(state.range(0));
  const auto frame = in_place_sessions::frame();
  echo_server echo;
  in_place_sessions in_place;
  const auto direct = *server::kafka_server::start(listen(), in_place);
  embedded_node node;
  load echo_load(echo.port(), in_flight, false, frame);
  load direct_load(direct->port(), in_flight, false, frame);
  load node_load(node.port(), in_flight, true, frame);
  double echo_us = 0;
  double direct_us = 0;
  double node_us = 0;
  for (auto _ : state) {
    echo_us += echo_load.measure();
    direct_us += direct_load.measure();
    const auto now = node_load.measure();
    node_us += now;
    state.SetIterationTime(now / 1e6);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["echo_us"] = echo_us / rounds;
  state.counters["in_place_us"] = direct_us / rounds;
  state.counters["actors_us"] = node_us / rounds;
  state.counters["in_place_ratio"] = direct_us / echo_us;
  state.counters["actors_ratio"] = node_us / echo_us;
}
BENCHMARK(loopback)->Arg(1)->Arg(8)->Iterations(5)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::bench
