#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "cli/kafka_client.hpp"
#include "cli/sim_board.hpp"
#include "cli/sim_member.hpp"
#include "http/json_writer.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/api_versions_response.hpp"
#include "protocol/messages/create_topics_request.hpp"
#include "protocol/messages/create_topics_response.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/find_coordinator_response.hpp"

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::int16_t create_topics_version = 5;
constexpr std::int16_t find_coordinator_version = 3;
constexpr std::int16_t api_versions_version = 3;
constexpr auto back_off = 200ms;
constexpr timespec board_pause{0, 200'000'000};

/// The highest heartbeat version both sides know. Error: the server has no streams groups.
result<std::int16_t> heartbeat_version(kafka_client& client) {
  protocol::api_versions_request request;
  request.client_software_name = "weir-simulate";
  request.client_software_version = "1";
  const auto answer = client.call<protocol::api_versions_response>(request, api_versions_version);
  if (!answer) return tl::unexpected(answer.error());
  using heartbeat = protocol::streams_group_heartbeat_request;
  for (const auto& offered : answer->api_keys) {
    if (offered.api_key == heartbeat::api_key) return std::min(offered.max_version, heartbeat::max_version);
  }
  return fail("the server does not offer streams groups; is it a Kafka broker without Weir in front?");
}

result<void> create_topics(kafka_client& client, const std::vector<sim_topic>& topics) {
  if (topics.empty()) return {};
  protocol::create_topics_request request;
  for (const sim_topic& topic : topics) {
    auto& wanted = request.topics.emplace_back();
    wanted.name = text::view(topic.name);
    wanted.num_partitions = std::max(topic.partitions, 1);
    wanted.replication_factor = -1;
  }
  const auto answer = client.call<protocol::create_topics_response>(request, create_topics_version);
  if (!answer) return tl::unexpected(answer.error());
  for (const auto& topic : answer->topics) {
    const auto code = static_cast<protocol::error_code>(topic.error_code);
    if (code == protocol::error_code::none || code == protocol::error_code::topic_already_exists) continue;
    return fail(fmt::format("cannot create topic '{}': {} {}", topic.name.view(), protocol::name(code),
                            topic.error_message ? topic.error_message->view() : ""));
  }
  return {};
}

/// One stream thread: a connection to the coordinator, and the member's steps at their times.
class sim_thread {
 public:
  sim_thread(const simulate_options& options, const sim_topology& topology, sim_identity identity, std::int16_t version)
      : options_(options), group_id_(identity.group_id), member_(std::move(identity), topology), version_(version) {}

  void run(const std::stop_token& stop, sim_board& board, sim_board::place place) {
    const auto show = [&] { board.set(place, row()); };
    while (!stop.stop_requested()) {
      const next_step next = heartbeat();
      show();
      if (next == next_step::stop) break;
      if (next == next_step::find_coordinator) coordinator_.reset();
      if (next == next_step::back_off) pause(stop, back_off);
      if (next == next_step::wait) pause(stop, std::chrono::milliseconds(member_.interval_ms()));
    }
    leave();
    board.set(place, {member_.why().empty() ? "left" : "stopped: " + member_.why(), member_.epoch(), {}, {}, {}});
  }

  [[nodiscard]] bool stopped_by_error() const { return !member_.why().empty(); }

 private:
  next_step heartbeat() {
    if (!coordinator_ && !find_coordinator()) return member_.on_failure();
    const auto answer =
        coordinator_->call<protocol::streams_group_heartbeat_response>(member_.next_request(), version_);
    if (answer) return member_.on_answer(*answer);
    coordinator_.reset();
    return member_.on_failure();
  }

  bool find_coordinator() {
    auto bootstrap = kafka_client::connect(options_.host, options_.port, "weir-simulate");
    if (!bootstrap) return false;
    protocol::find_coordinator_request request;
    request.key = text::view(group_id_);
    const auto found = bootstrap->call<protocol::find_coordinator_response>(request, find_coordinator_version);
    if (!found || found->error_code != 0) return false;
    auto open =
        kafka_client::connect(found->host.str(), static_cast<std::uint16_t>(found->port), "weir-simulate");
    if (open) coordinator_ = std::make_unique<kafka_client>(*std::move(open));
    return coordinator_ != nullptr;
  }

  /// Fire and forget, like the shipped client.
  void leave() {
    if (!coordinator_ || member_.epoch() == 0) return;
    (void)coordinator_->call<protocol::streams_group_heartbeat_response>(member_.leave_request(), version_);
  }

  void pause(const std::stop_token& stop, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, time, [] { return false; });
  }

  [[nodiscard]] sim_row row() const {
    const sim_assignment& owned = member_.owned();
    return {member_.state(), member_.epoch(), to_string(owned.active), to_string(owned.standby),
            to_string(owned.warmup)};
  }

  const simulate_options& options_;
  std::string group_id_;
  sim_member member_;
  std::int16_t version_;
  std::unique_ptr<kafka_client> coordinator_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
};

/// All threads of all processes. SIGINT and SIGTERM are blocked while it lives, only the main thread takes them.
class simulation {
 public:
  simulation(const simulate_options& options, const sim_topology& topology, std::int16_t version) : options_(options) {
    system_random random;
    for (int process = 1; process <= options.processes; ++process) {
      const std::string process_id = uuid::random(random).to_string();
      for (int thread = 1; thread <= options.threads; ++thread) {
        sim_identity identity{options.group, uuid::random(random).to_string(), process_id};
        members_.push_back(std::make_unique<sim_thread>(options, topology, std::move(identity), version));
        places_.emplace_back(process, thread);
      }
    }
  }

  result<void> run(const sigset_t& signals) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) {
        members_[i]->run(stop, board_, places_[i]);
        ++finished_;
      });
    }
    watch(signals);
    for (auto& thread : threads_) thread.request_stop();
    threads_.clear();
    show();
    const auto stopped = [](const auto& member) { return member->stopped_by_error(); };
    if (std::all_of(members_.begin(), members_.end(), stopped)) return fail("every thread had to stop");
    return {};
  }

 private:
  void watch(const sigset_t& signals) {
    const std::int64_t end_ms = options_.seconds ? time_.now_ms() + *options_.seconds * 1000 : 0;
    while (finished_ < members_.size() && (!options_.seconds || time_.now_ms() < end_ms)) {
      if (sigtimedwait(&signals, nullptr, &board_pause) > 0) return;
      show();
    }
  }

  void show() {
    const std::string changed = board_.take_changed();
    if (changed.empty()) return;
    fmt::print("\n{}  group {}\n{}", http::utc_time(time_.now_ms()), options_.group, changed);
    std::fflush(stdout);
  }

  const simulate_options& options_;
  system_clock time_;
  sim_board board_;
  std::vector<std::unique_ptr<sim_thread>> members_;
  std::vector<sim_board::place> places_;
  std::atomic<std::size_t> finished_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace

result<void> simulate(const simulate_options& options) {
  const auto topology = options.topology_file ? read_topology(*options.topology_file) : word_count(options.group);
  if (!topology) return tl::unexpected(topology.error());
  auto client = kafka_client::connect(options.host, options.port, "weir-simulate");
  if (!client) return fail(fmt::format("{}; is Weir running? (weir serve)", client.error().message));
  const auto version = heartbeat_version(*client);
  if (!version) return tl::unexpected(version.error());
  if (const auto created = create_topics(*client, topology->topics); !created) return created;

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  fmt::print("{} processes x {} threads join group '{}' at {}:{}; Ctrl-C makes them leave\n", options.processes,
             options.threads, options.group, options.host, options.port);
  return simulation(options, *topology, *version).run(signals);
}

}  // namespace weir::cli
