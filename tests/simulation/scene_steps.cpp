// What the plan does to the world: threads, topics, the coordinator and its disk.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "group/topology/topology.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/scene.hpp"

namespace weir::simulation {
namespace {

constexpr std::uint64_t for_disk = 1000;  // what a draw is for; threads have their own number
constexpr std::uint64_t for_creation = 1001;
constexpr std::uint64_t for_process = 1002;
constexpr int partitions_max = 150;

}  // namespace

void scene::carry_out(const step& s) {
  trace_.add(now_ms_, [&] { return "STEP " + in_words(s); });
  const auto who = static_cast<std::size_t>(s.who);
  switch (s.what) {
    case action::start_process: return start_process(s.who);
    case action::crash_process:
      for (auto& a : actors_) {
        if (a.setup->process == s.who) end_thread(a);
      }
      return;
    case action::deploy: return deploy(s.who, static_cast<std::size_t>(s.value - 1), s.length_ms);
    case action::add_partitions:
    case action::delete_topic:
    case action::create_topic: return disturb_topics(s);
    case action::set_config:
    case action::fail_writes:
    case action::stall_log:
    case action::restart_node:
    case action::refuse_creation:
    case action::delete_group: return disturb_node(s);
    default: return disturb_thread(actors_[who], s);
  }
}

void scene::disturb_thread(actor& a, const step& s) {
  switch (s.what) {
    case action::crash_thread: return end_thread(a);
    case action::leave: return leave(a, s.value == 1);
    case action::lose_request: a.loses_request = true; return;
    case action::lose_answer: a.loses_answer = true; return;
    case action::copy_request: a.copies_after_ms = s.length_ms; return;
    case action::cut_off: a.cut_until_ms = now_ms_ + s.length_ms; return;
    case action::slow_down: a.slow_ms = s.length_ms; return;
    case action::move_host: ++a.host; return;
    case action::ask_shutdown: return ask_shutdown(a);
    case action::remove_member: return remove_member(a);
    default: return commit_offsets(a);
  }
}

/// Nobody starts a thread again that was shut down, but another step of the plan.
void scene::ask_shutdown(actor& a) {
  if (!a.machine.is_up()) return;
  a.asks_shutdown = true;
  for (auto& other : actors_) other.stays_down = true;
}

void scene::remove_member(const actor& a) {
  if (!is_node_up_ || !a.machine.is_up()) return;
  node_.remove_member(std::string(a.machine.names().member_id), now_ms_);
  after_node();
}

/// A process that starts afresh may have lost its state directory, and with it its id.
void scene::start_process(int process) {
  bool is_fresh = true;
  for (const auto& a : actors_) is_fresh = is_fresh && (a.setup->process != process || !a.machine.is_up());
  if (is_fresh && draw(for_process, 0, 3) == 0) ++process_lives_[static_cast<std::size_t>(process)];
  for (auto& a : actors_) {
    if (a.setup->process != process) continue;
    a.stays_down = false;
    start_thread(a);
  }
}

/// A process that is to run another version: its threads stop in order and start again.
void scene::deploy(int process, std::size_t version, int length_ms) {
  for (auto& a : actors_) {
    if (a.setup->process != process) continue;
    a.next_version = version;
    if (!a.machine.is_up() || a.running_version == version) continue;
    leave(a, false);
    const auto life = a.life;
    a.is_restarting = true;
    after(length_ms + draw(index_of(a), 20, 200), [this, &a, life] {
      if (a.life != life) return;
      a.is_restarting = false;
      if (!a.stays_down) start_thread(a);
    });
  }
}

void scene::disturb_topics(const step& s) {
  const auto who = static_cast<std::size_t>(s.who);
  if (s.what == action::delete_topic) {
    const auto is_source = who < plan_.sources.size();
    return remove_topic(is_source ? plan_.sources[who].name : plan_.internal_topics[who - plan_.sources.size()]);
  }
  const auto& name = plan_.sources[who].name;
  const auto* known = node_.image()->find(name);
  if (s.what == action::create_topic) {
    if (known == nullptr) put_topic(name, s.value);
    return;
  }
  if (known == nullptr || known->partition_count() > partitions_max) return;
  put_topic(name, known->partition_count() + s.value);
  if (s.length_ms % 2 == 0) return;
  for (const auto& topic : plan_.internal_topics) remove_topic(topic);
}

void scene::put_topic(const std::string& name, int partitions) {
  const auto* known = node_.image()->find(name);
  metadata::topic made;
  made.id = known != nullptr ? known->id : uuid{1, ++topics_made_};
  made.name = name;
  made.partition_racks.resize(static_cast<std::size_t>(partitions));
  metadata::image_builder next(node_.image());
  next.put_topic(std::move(made));
  node_.set_image(next.build(node_.image()->version() + 1));
}

void scene::remove_topic(const std::string& name) {
  metadata::image_builder next(node_.image());
  next.remove_topic(name);
  node_.set_image(next.build(node_.image()->version() + 1));
}

void scene::disturb_node(const step& s) {
  switch (s.what) {
    case action::set_config: {
      const auto change = change_of(s, plan_.broker);
      trace_.add(now_ms_, [&] { return change.key + " = " + change.value; });
      return node_.configure(change.key, change.value);
    }
    case action::fail_writes: writes_to_fail_ = s.value; return;
    case action::stall_log: stalled_until_ms_ = now_ms_ + s.length_ms; return;
    case action::refuse_creation: creation_refused_until_ms_ = now_ms_ + s.length_ms; return;
    case action::delete_group:
      if (is_node_up_) node_.delete_group();
      return after_node();
    default: break;
  }
  if (!is_node_up_) return;
  is_node_up_ = false;
  const auto life = ++node_lives_;
  after(s.length_ms, [this, life] {
    if (node_lives_ != life) return;
    node_.restart(now_ms_);
    is_node_up_ = true;
    trace_.add(now_ms_, [] { return std::string("the coordinator is back"); });
  });
}

/// Of what it processes; one topic for each of its tasks.
void scene::commit_offsets(const actor& a) {
  if (!a.machine.is_up() || a.machine.epoch() == 0 || !is_node_up_ || is_cut(a)) return;
  group::commit_check asked{.member_id = a.machine.names().member_id,
                            .instance_id = a.machine.names().instance_id,
                            .member_epoch = a.machine.epoch(),
                            .partitions = {}};
  for (const auto& [subtopology, partitions] : a.machine.held().active) {
    const auto& topics = read_by(a, subtopology);
    if (topics.empty()) continue;
    for (auto p : partitions) asked.partitions.emplace_back(topics.front(), p);
  }
  node_.commit(asked, now_ms_);
  after_node();
}

void scene::after_node() {
  arm_disk();
  if (is_creation_armed_) return;
  auto missing = node_.take_missing_topics();
  if (missing.empty() || now_ms_ < creation_refused_until_ms_) return;
  is_creation_armed_ = true;
  after(draw(for_creation, 20, 400), [this, missing = std::move(missing)] {
    is_creation_armed_ = false;
    for (const auto& [name, topic] : missing) {
      if (node_.image()->find(name) == nullptr) put_topic(name, topic.partitions);
    }
  });
}

void scene::arm_disk() {
  if (is_disk_armed_ || !node_.has_unwritten()) return;
  is_disk_armed_ = true;
  const auto delay_ms = std::max<std::int64_t>(draw(for_disk, -4, 4), stalled_until_ms_ - now_ms_);
  after(std::max<std::int64_t>(0, delay_ms), [this] {
    is_disk_armed_ = false;
    if (!is_node_up_ || !node_.has_unwritten()) return;
    const bool fails = writes_to_fail_ > 0;
    if (fails) --writes_to_fail_;
    if (fails) trace_.add(now_ms_, [] { return std::string("a write fails"); });
    fails ? node_.not_written(now_ms_) : node_.written();
    after_node();
  });
}

}  // namespace weir::simulation
