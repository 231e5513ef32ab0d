#include "tests/simulation/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/simulation/dice.hpp"

namespace weir::simulation {
namespace {

void choose_broker(plan& p, dice& roll);
void choose_app(plan& p, dice& roll);
void choose_threads(plan& p, dice& roll);
void choose_steps(plan& p, dice& roll);
void choose_warm_up(plan& p, dice& roll);
void choose_versions(plan& p, dice& roll);
void choose_patterns(plan& p, dice& roll);
void note_inputs(plan& p);
step disturb(const plan& p, dice& roll);

struct action_row {
  action what;
  std::string_view name;
  int weight;  // of the random steps
};
constexpr std::array<action_row, 23> actions{{
    {action::start_process, "start process", 12},
    {action::crash_process, "crash process", 4},
    {action::crash_thread, "crash thread", 5},
    {action::leave, "leave: thread", 8},
    {action::lose_request, "lose the next request of thread", 6},
    {action::lose_answer, "lose the next answer to thread", 12},
    {action::copy_request, "copy the next request of thread", 7},
    {action::cut_off, "cut off thread", 5},
    {action::slow_down, "slow down thread", 8},
    {action::move_host, "move host of thread", 2},
    {action::ask_shutdown, "ask for shutdown: thread", 1},
    {action::add_partitions, "add partitions to source", 3},
    {action::delete_topic, "delete topic", 3},
    {action::create_topic, "create source topic", 4},
    {action::set_config, "set config", 8},
    {action::fail_writes, "fail writes", 6},
    {action::stall_log, "stall the log", 4},
    {action::restart_node, "restart the coordinator", 4},
    {action::refuse_creation, "refuse creation of internal topics", 2},
    {action::delete_group, "delete the group", 1},
    {action::remove_member, "remove member: thread", 2},
    {action::commit_offsets, "commit offsets: thread", 4},
    {action::deploy, "deploy to process", 0},  // see choose_versions()
}};

}  // namespace

plan make_plan(std::uint64_t seed) {
  dice roll(seed);
  plan p;
  p.seed = seed;
  p.strict_kafka = roll.chance(25);
  choose_broker(p, roll);
  choose_app(p, roll);
  choose_threads(p, roll);
  choose_steps(p, roll);
  choose_warm_up(p, roll);
  choose_versions(p, roll);
  choose_patterns(p, roll);
  std::ranges::stable_sort(p.steps, {}, &step::at_ms);
  note_inputs(p);
  return p;
}

std::size_t tasks_of(const plan& p, std::size_t version) {
  std::size_t tasks = 0;
  for (const auto& part : p.versions[version].subtopologies) {
    const auto& topics = p.inputs[version].at(part.id);
    int partitions = 0;
    for (const auto& source : p.sources) {
      // A repartition topic is as wide as what it is made from, which is always "in".
      const bool is_read = std::ranges::find(topics, source.name) != topics.end() ||
                           (part.source_topics.empty() && part.source_topic_regex.empty() && source.name == "in");
      if (is_read) partitions = std::max(partitions, source.partitions);
    }
    tasks += static_cast<std::size_t>(partitions);
  }
  return tasks;
}

std::string in_words(const step& s) {
  const auto row = std::ranges::find(actions, s.what, &action_row::what);
  return fmt::format("at {} ms: {} {}, value {}, length {} ms", s.at_ms, row->name, s.who, s.value, s.length_ms);
}

config_change change_of(const step& s, const group::broker_config& broker) {
  constexpr std::array<std::string_view, 3> tags{"", "zone", "zone,cluster"};
  switch (s.who % 6) {
    case 0: return {"streams.num.standby.replicas", std::to_string(s.value % 3)};
    case 1: return {"streams.assignment.interval.ms", std::to_string(s.value % 3 * 1000)};
    case 2: return {"streams.initial.rebalance.delay.ms", std::to_string(s.value % 3 * 1500)};
    case 3: return {"streams.rack.aware.assignment.tags", std::string(tags[static_cast<std::size_t>(s.value % 3)])};
    case 4: return {"streams.session.timeout.ms", std::to_string(broker.min_session_timeout_ms + s.value % 3 * 2000)};
    default:
      return {"streams.heartbeat.interval.ms", std::to_string(broker.min_heartbeat_interval_ms + s.value % 3 * 500)};
  }
}

namespace {

/// Session time-outs shorter than Kafka's, so that more of them happen in a story.
void choose_broker(plan& p, dice& roll) {
  auto& broker = p.broker;
  broker.session_timeout_ms = broker.min_session_timeout_ms = roll.between(8, 15) * 1000;
  broker.max_session_timeout_ms = 60'000;
  broker.heartbeat_interval_ms = broker.min_heartbeat_interval_ms = roll.between(2, 4) * 500;
  broker.num_standby_replicas = roll.between(0, 2);
  broker.initial_rebalance_delay_ms = roll.chance(50) ? 0 : roll.between(1, 3) * 1000;
  broker.assignment_interval_ms = roll.chance(50) ? 0 : roll.between(1, 2) * 1000;
  if (roll.chance(10)) p.max_size = roll.between(2, 5);
}

/// One subtopology, or one that joins two sources, or a chain over a repartition topic; with and without state.
void choose_app(plan& p, dice& roll) {
  const int shape = roll.between(0, 3);
  const bool is_stateful = roll.chance(70);
  p.sources.push_back({"in", roll.between(1, 8)});
  auto& app = p.versions.emplace_back();
  auto& first = app.subtopologies.emplace_back();
  first.id = "0";
  first.source_topics = {"in"};
  if (shape == 1) {
    p.sources.push_back({"side", p.sources[0].partitions});
    first.source_topics.emplace_back("side");
    if (roll.chance(50)) {
      first.copartition_groups.push_back(
          {.source_topics = {0, 1}, .source_topic_regex = {}, .repartition_source_topics = {}});
    }
  }
  if (is_stateful) {
    first.state_changelog_topics.push_back({.name = "0-changelog", .configs = {}});
    p.internal_topics.emplace_back("0-changelog");
  }
  if (shape < 2) return;
  first.repartition_sink_topics = {"1-repartition"};
  auto& second = app.subtopologies.emplace_back();
  second.id = "1";
  second.repartition_source_topics.push_back({.name = "1-repartition", .configs = {}});
  p.internal_topics.emplace_back("1-repartition");
  if (roll.chance(60)) {
    second.state_changelog_topics.push_back({.name = "1-changelog", .configs = {}});
    p.internal_topics.emplace_back("1-changelog");
  }
}

/// After the other choices, so that those of a seed stay what they were without it.
void choose_warm_up(plan& p, dice& roll) {
  if (p.strict_kafka) return;
  if (roll.chance(60)) p.broker.assignors = {"highly_available", "sticky"};
  p.broker.num_warmup_replicas = roll.between(0, 3);
  p.broker.assignor_keep_old_standbys = roll.chance(30);
  if (roll.chance(30)) return;
  p.broker.task_offset_interval_ms = p.broker.min_task_offset_interval_ms = roll.between(1, 5) * 1000;
  for (auto& t : p.threads) t.restored_each_heartbeat = t.version < 1 ? -1 : roll.between(1, 4) * 3000;
}

/// Numbers move, as they do in Kafka Streams: what was subtopology 0 is then subtopology 1. Sometimes nothing changes.
group::topology next_version(plan& p, dice& roll) {
  auto next = p.versions.back();
  ++next.epoch;
  auto& first = next.subtopologies[0];
  const int kind = roll.between(0, 4);
  if (kind == 0) return next;
  if (kind == 1) first.state_changelog_topics.clear();
  if (next.subtopologies.size() == 2) {  // the ids change places
    std::swap(first.id, next.subtopologies[1].id);
    return next;
  }
  first.id = "1";
  group::subtopology added;
  added.id = "0";
  if (first.source_topics.size() == 2) {  // one becomes two
    first.source_topics.pop_back();
    first.copartition_groups.clear();
    added.source_topics = {"side"};
  } else {
    p.sources.push_back({"extra", roll.between(1, 4)});
    added.source_topics = {"extra"};
  }
  next.subtopologies.push_back(std::move(added));
  return next;
}

/// Upgrades of the processes in some order, some only later or never; and now and then a way back.
void choose_versions(plan& p, dice& roll) {
  if (p.strict_kafka || roll.chance(40)) return;
  p.versions.push_back(next_version(p, roll));
  const int end_ms = p.steps.empty() ? 0 : static_cast<int>(p.steps.back().at_ms);
  const int deployments = roll.between(1, 2 * std::min(p.processes, 6));
  std::int64_t now_ms = roll.between(0, end_ms);
  for (int i = 0; i < deployments; ++i) {
    now_ms += roll.between(0, roll.chance(50) ? 800 : 6000);
    p.steps.push_back({.at_ms = now_ms,
                       .what = action::deploy,
                       .who = roll.between(0, p.processes - 1),
                       .value = roll.chance(80) ? 2 : 1,
                       .length_ms = roll.between(10, 3000)});
  }
}

void read_by_pattern(group::topology& version) {
  for (auto& part : version.subtopologies) {
    if (std::erase(part.source_topics, "in") == 0) continue;
    part.source_topic_regex = {"in(-[0-9]+)?"};
    for (auto& together : part.copartition_groups) {
      together.source_topics = {0};
      together.source_topic_regex = {0};
    }
  }
}

/// "in" is read by a pattern that another topic matches, too. Topics come and go.
void choose_patterns(plan& p, dice& roll) {
  if (p.strict_kafka || roll.chance(60)) return;
  const auto second_topic = static_cast<int>(p.sources.size());
  p.sources.push_back({"in-2", p.sources[0].partitions});
  for (auto& version : p.versions) {
    if (&version == &p.versions.back() || roll.chance(70)) read_by_pattern(version);
  }
  const int end_ms = p.steps.empty() ? 0 : static_cast<int>(p.steps.back().at_ms);
  for (int i = roll.between(1, 5); i > 0; --i) {
    p.steps.push_back({.at_ms = roll.between(0, end_ms),
                       .what = roll.chance(50) ? action::delete_topic : action::create_topic,
                       .who = second_topic,
                       .value = roll.chance(70) ? p.sources[0].partitions : roll.between(1, 8),
                       .length_ms = 0});
  }
  p.has_long_turns = roll.chance(30);
}

void note_inputs(plan& p) {
  for (const auto& version : p.versions) {
    auto& inputs = p.inputs.emplace_back();
    for (const auto& part : version.subtopologies) {
      auto& topics = inputs[part.id];
      topics = part.source_topics;
      if (!part.source_topic_regex.empty()) topics.insert(topics.end(), {"in", "in-2"});
      for (const auto& info : part.repartition_source_topics) topics.push_back(info.name);
    }
  }
}

void choose_threads(plan& p, dice& roll) {
  const bool is_crowd = roll.between(1, 500) == 1;
  p.processes = is_crowd ? roll.between(20, 60) : roll.between(1, 4);
  if (is_crowd) p.sources[0].partitions = roll.between(40, 120);
  if (is_crowd && p.sources.size() > 1) p.sources[1].partitions = p.sources[0].partitions;
  const int static_percent = roll.between(0, 2) * 50;
  for (int process = 0; process < p.processes; ++process) {
    const int threads = roll.between(1, is_crowd ? 5 : 3);
    for (int i = 0; i < threads; ++i) {
      thread_setup t;
      t.process = process;
      t.is_static = roll.chance(static_percent);
      t.has_endpoint = !p.strict_kafka && roll.chance(30);  // X1: in Kafka endpoints fail while topics are missing
      t.has_tag = roll.chance(50);
      t.version = roll.chance(80) ? std::int16_t{1} : std::int16_t{0};
      t.rebalance_timeout_ms = roll.between(2, 20) * 1000;
      p.threads.push_back(t);
    }
  }
}

void choose_steps(plan& p, dice& roll) {
  for (int process = 0; process < p.processes; ++process) {
    if (process > 0 && roll.chance(20)) continue;
    step start;
    start.at_ms = roll.between(0, 3) * 700;
    start.who = process;
    p.steps.push_back(start);
  }
  std::int64_t now_ms = 0;
  const int count = roll.between(5, 45);
  for (int i = 0; i < count; ++i) {
    const int pace = roll.between(1, 10);
    now_ms += roll.between(0, pace <= 4 ? 60 : pace <= 8 ? 900 : 6000);
    auto next = disturb(p, roll);
    next.at_ms = now_ms;
    p.steps.push_back(next);
  }
  std::ranges::stable_sort(p.steps, {}, &step::at_ms);
}

int length_for(action what, dice& roll) {
  switch (what) {
    case action::copy_request: return roll.chance(60) ? roll.between(0, 40) : roll.between(40, 6000);
    case action::slow_down: return roll.chance(30) ? 0 : roll.between(10, roll.chance(50) ? 2000 : 25'000);
    case action::cut_off: return roll.between(500, 20'000);
    case action::stall_log: return roll.between(10, 5000);
    case action::restart_node: return roll.between(1, 3000);
    case action::refuse_creation: return roll.between(500, 8000);
    default: return roll.between(0, 1);
  }
}

step disturb(const plan& p, dice& roll) {
  int all = 0;
  for (const auto& row : actions) all += row.weight;
  int ticket = roll.between(1, all);
  const auto* row = actions.begin();
  while (ticket > row->weight) ticket -= (row++)->weight;

  step s;
  s.what = row->what;
  switch (s.what) {
    case action::start_process:
    case action::crash_process: s.who = roll.between(0, p.processes - 1); break;
    case action::add_partitions:
    case action::create_topic: s.who = roll.between(0, static_cast<int>(p.sources.size()) - 1); break;
    case action::delete_topic:
      s.who = roll.between(0, static_cast<int>(p.sources.size() + p.internal_topics.size()) - 1);
      break;
    case action::set_config: s.who = roll.between(0, 5); break;
    default: s.who = roll.between(0, static_cast<int>(p.threads.size()) - 1);
  }
  s.value = roll.between(1, s.what == action::create_topic ? 8 : 3);
  s.length_ms = length_for(s.what, roll);
  return s;
}

}  // namespace
}  // namespace weir::simulation
