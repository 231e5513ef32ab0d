// A whole node under manual scheduling: the actors, a log in memory and a clock that the test moves. Requests go in
// as the server sends them, answers come back as frames.
#pragma once

#include <gtest/gtest.h>
#include <algorithm>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "actors/node.hpp"
#include "protocol/codec.hpp"
#include "protocol/framing.hpp"
#include "protocol/headers.hpp"
#include "storage/memory_log.hpp"

namespace weir::actors {

using response = protocol::streams_group_heartbeat_response;

/// A connection that keeps what it is given, by slot.
class answer_book final : public answer_sink {
 public:
  void answer(std::uint64_t slot, bytes frame) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto kept = protocol::keep(byte_view(frame).subspan(sizeof(std::int32_t)));
    EXPECT_TRUE(frames_.emplace(slot, kept).second) << "slot " << slot << " answered twice";
    order_.push_back(slot);
    answered_.notify_all();
  }
  /// Nothing while unanswered.
  std::optional<response> find(std::uint64_t slot) {
    const std::lock_guard lock(mutex_);
    const auto found = frames_.find(slot);
    if (found == frames_.end()) return std::nullopt;
    const auto opened = protocol::open_response(*found->second, protocol::api::streams_group_heartbeat, 1);
    EXPECT_TRUE(opened);
    auto decoded = protocol::decode<response>(opened->body, 1);
    EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().message);
    return *decoded;
  }
  /// With real threads: blocks until the slot is answered.
  response wait(std::uint64_t slot) {
    {
      std::unique_lock lock(mutex_);
      answered_.wait(lock, [&] { return frames_.contains(slot); });
    }
    return *find(slot);
  }
  std::vector<std::uint64_t> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<std::uint64_t, shared_frame> frames_;
  std::vector<std::uint64_t> order_;
};

/// Remembers what was asked for.
class topic_wishes final : public internal_topics {
 public:
  std::vector<std::pair<std::string, std::string>> ensure(
      std::string_view /*group_id*/, const std::map<std::string, group::internal_topic, std::less<>>& topics,
      std::int32_t /*heartbeat_interval_ms*/) override {
    for (const auto& [name, topic] : topics) asked.push_back(name);
    return errors;
  }
  std::vector<std::string> asked;
  std::vector<std::pair<std::string, std::string>> errors;
};

inline metadata::image_ptr image_with(const metadata::image_ptr& base, const std::string& topic, std::size_t partitions,
                                      std::uint64_t id = 7) {
  metadata::image_builder builder(base);
  metadata::topic t;
  t.id = uuid{1, id};
  t.name = topic;
  t.partition_racks.resize(partitions);
  builder.put_topic(std::move(t));
  return builder.build(base ? base->version() + 1 : 1);
}

inline metadata::image_ptr image_without(const metadata::image_ptr& base, const std::string& topic) {
  metadata::image_builder builder(base);
  builder.remove_topic(topic);
  return builder.build(base->version() + 1);
}

/// No initial delay and no assignment interval, so a join gets its tasks at once.
inline coordinator_options quick_options() {
  coordinator_options options;
  options.broker.initial_rebalance_delay_ms = 0;
  options.broker.assignment_interval_ms = 0;
  return options;
}

/// A heartbeat of a member of group g; a join (epoch 0) brings an application that reads foo.
inline protocol::streams_group_heartbeat_request heartbeat_request(const std::string& member, int epoch,
                                                                   const std::string& group_id = "g") {
  protocol::streams_group_heartbeat_request r;
  r.group_id = text(group_id);
  r.member_id = text(member);
  r.member_epoch = epoch;
  r.endpoint_information_epoch = -1;
  r.rebalance_timeout_ms = -1;
  if (epoch != 0) return r;
  r.rebalance_timeout_ms = 30'000;
  r.process_id = text("process-" + member);
  r.active_tasks.emplace();
  r.standby_tasks.emplace();
  r.warmup_tasks.emplace();
  auto& app = r.topology.emplace();
  auto& part = app.subtopologies.emplace_back();
  part.subtopology_id = "0";
  part.source_topics.emplace_back("foo");
  return r;
}

/// The overrides are these and no others.
inline config_edit replaced_by(group::overrides wanted) {
  return [wanted = std::move(wanted)](group::overrides& set) {
    set = wanted;
    return protocol::kafka_result<void>();
  };
}

inline heartbeat_call call_of(protocol::streams_group_heartbeat_request request, std::shared_ptr<answer_sink> sink,
                              std::uint64_t slot) {
  heartbeat_call call;
  call.frame = std::make_shared<const bytes>();
  call.request = std::move(request);
  call.context = {.version = 1, .client_id = "client", .client_host = "/127.0.0.1"};
  call.correlation_id = 1;
  call.sink = std::move(sink);
  call.slot = slot;
  return call;
}

class world {
 public:
  explicit world(coordinator_options options = quick_options(), scheduling how = scheduling::manual)
      : how_(how), options_(std::move(options)), image_(image_with(nullptr, "foo", 4)) {
    start();
  }
  ~world() { stop(); }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  storage::memory_log log;
  manual_clock time;
  topic_wishes topics;
  std::shared_ptr<answer_book> answers = std::make_shared<answer_book>();
  std::unique_ptr<node> coordinator;

  void start() {
    auto started = node::start(options_, {log, topics, time}, image_, how_);
    ASSERT_TRUE(started) << started.error().message;
    coordinator = std::move(*started);
    run();
  }
  void stop() {
    if (coordinator) coordinator->stop(10'000);
    coordinator.reset();
  }
  void run() {
    if (how_ == scheduling::manual) coordinator->system().run();
  }
  /// Time passes, for the rules and for CAF.
  /// Both clocks go in step: a wake-up must not find the time of the end of the pause.
  void pass(std::int64_t ms) {
    constexpr std::int64_t step_ms = 10;
    for (std::int64_t left = ms; left > 0; left -= step_ms) {
      const auto step = std::min(left, step_ms);
      time.advance(step);
      coordinator->system().advance(step);
    }
  }
  std::uint64_t send(protocol::streams_group_heartbeat_request request) {
    coordinator->heartbeat(call_of(std::move(request), answers, ++slot_));
    run();
    return slot_;
  }
  std::uint64_t send(const std::string& member, int epoch) { return send(heartbeat_request(member, epoch)); }
  /// Sends and expects the answer at once.
  response beat(const std::string& member, int epoch) {
    const auto answer = answers->find(send(member, epoch));
    EXPECT_TRUE(answer) << "no answer for " << member;
    return answer.value_or(response{});
  }
  void publish(const metadata::image_ptr& image) {
    bool told = false;
    coordinator->publish_image(image, [&] { told = true; });
    run();
    EXPECT_TRUE(told);
    image_ = image;
  }
  void delete_topic(const std::string& topic) { publish(image_without(image_, topic)); }
  [[nodiscard]] const metadata::image_ptr& image() const noexcept { return image_; }

  /// Asks and waits for the one answer.
  template <class Answer, class Ask>
  Answer ask(Ask call) {
    std::optional<Answer> got;
    call([&](Answer answer) {
      EXPECT_FALSE(got) << "answered twice";
      got = std::move(answer);
    });
    run();
    EXPECT_TRUE(got) << "not answered";
    return got ? std::move(*got) : Answer{};
  }
  /// IncrementalAlterConfigs that leaves group g these overrides.
  protocol::kafka_result<void> alter(group::overrides set) {
    return ask<protocol::kafka_result<void>>(
        [&](auto done) { coordinator->alter_config("g", replaced_by(std::move(set)), done); });
  }
  /// Null unless the group answers.
  std::shared_ptr<const group::group_view> view(const std::string& id = "g") {
    return ask<viewed_group>([&](auto done) { coordinator->view(id, done); }).value_or(nullptr);
  }
  protocol::error_code commit(const std::string& member, int epoch, std::int64_t offset) {
    commit_request request;
    request.group_id = "g";
    request.member_id = member;
    request.member_epoch = epoch;
    request.entries.push_back({"foo", 0, {}});
    request.entries.back().value.offset = offset;
    return ask<protocol::error_code>([&](auto done) { coordinator->commit(request, done); });
  }
  fetched_offsets fetch(const std::string& id = "g") {
    fetch_request request;
    request.group_id = id;
    return ask<fetched_offsets>([&](auto done) { coordinator->fetch(request, done); });
  }

 private:
  scheduling how_;
  coordinator_options options_;
  metadata::image_ptr image_;
  std::uint64_t slot_ = 0;
};

inline int error_of(const response& r) { return r.error_code; }
inline std::size_t active_tasks(const response& r) {
  std::size_t tasks = 0;
  if (r.active_tasks) {
    for (const auto& part : *r.active_tasks) tasks += part.partitions.size();
  }
  return tasks;
}

}  // namespace weir::actors
