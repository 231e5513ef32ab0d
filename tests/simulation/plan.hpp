// What a seed decides: the application and its surroundings, and the steps that disturb them. Everything else (who
// heartbeats when, how long a message travels) follows from the plan and mix(seed, ...), so a shorter plan can be run
// again: that is how a failure is shrunk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "group/config.hpp"
#include "group/topology/topology.hpp"

namespace weir::simulation {

/// What a step does; `who`, `value` and `length_ms` mean what the comment says.
enum class action : std::uint8_t {
  start_process,    ///< who: process; its threads that are down start
  crash_process,    ///< who: process
  crash_thread,     ///< who: thread
  leave,            ///< who: thread; value 1: for good even if static
  lose_request,     ///< who: thread; its next request never arrives
  lose_answer,      ///< who: thread; the next answer to it never arrives
  copy_request,     ///< who: thread; its next request arrives once more, length_ms later
  cut_off,          ///< who: thread; nothing passes for length_ms
  slow_down,        ///< who: thread; from now on a reconciliation takes length_ms
  move_host,        ///< who: thread; its requests come from another address
  ask_shutdown,     ///< who: thread; its next heartbeat asks for shutdown of the application
  add_partitions,   ///< who: source topic; value: how many; length_ms odd: internal topics are deleted
  delete_topic,     ///< who: topic, sources first, then internal ones
  create_topic,     ///< who: source topic; value: partitions
  set_config,       ///< who: which key; value: which value
  fail_writes,      ///< value: how many writes fail
  stall_log,        ///< nothing becomes durable for length_ms
  restart_node,     ///< down for length_ms; what is not durable is lost
  refuse_creation,  ///< internal topics are not created for length_ms
  delete_group,     ///< DeleteGroups
  remove_member,    ///< who: thread; by an administrator
  commit_offsets,   ///< who: thread; commits what it processes
  deploy,           ///< who: process; value: version of the application + 1; its threads restart within length_ms
};

struct step {
  std::int64_t at_ms = 0;
  action what = action::start_process;
  int who = 0;
  int value = 0;
  int length_ms = 0;
};

[[nodiscard]] std::string in_words(const step& s);

/// The processes of the application and what each thread is like.
struct thread_setup {
  int process = 0;
  bool is_static = false;
  bool has_endpoint = false;
  bool has_tag = false;
  std::int16_t version = 1;
  std::int32_t rebalance_timeout_ms = 30'000;
  int restored_each_heartbeat = -1;  ///< offsets by which its copies come nearer to the end; -1: it reports none
};

struct source_topic {
  std::string name;
  int partitions = 1;
};

/// Subtopology -> the source and repartition source topics that its tasks read.
using input_topics = std::map<std::string, std::vector<std::string>, std::less<>>;

struct plan {
  std::uint64_t seed = 0;
  bool strict_kafka = false;
  std::int32_t max_size = 2'147'483'647;
  group::broker_config broker;
  std::vector<group::topology> versions;  ///< of the application, by epoch; threads start with the first
  std::vector<input_topics> inputs;       ///< of each version; of patterns, whatever `sources` has for them
  bool has_long_turns = false;            ///< patterns are tried for a while after each change of topics
  std::vector<source_topic> sources;
  std::vector<std::string> internal_topics;
  int processes = 0;
  std::vector<thread_setup> threads;
  std::vector<step> steps;  ///< ascending by time
};

[[nodiscard]] plan make_plan(std::uint64_t seed);

/// Tasks of that version once all topics are as planned.
[[nodiscard]] std::size_t tasks_of(const plan& p, std::size_t version);

/// `streams.*` key and value of a set_config step.
struct config_change {
  std::string key;
  std::string value;
};
[[nodiscard]] config_change change_of(const step& s, const group::broker_config& broker);

}  // namespace weir::simulation
