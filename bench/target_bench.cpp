// What a new target costs the group that asks for it: from the heartbeat of one member more to the records, events and
// the first step, and the same without the heartbeat around it.
//
// The group has members of one process each and as many subtopologies as given, every second one stateful; its members
// hold their target. Arguments: members / partitions / subtopologies / standbys / assignor (0 sticky, 1
// highly_available) / strict_kafka.
// * joined: the heartbeat of one member more.
// * unchanged: the target of the group as it is.
// * full: the first target of the group: nobody holds anything.
// * all_join: the target when one member holds all tasks and the others have just come.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "bench/steady_group.hpp"
#include "group/heartbeat/settle_target.hpp"

namespace weir::bench {
namespace {

struct group_size {
  std::int64_t members;
  std::int64_t partitions;
  std::int64_t subtopologies;
  std::int64_t standbys;
};

std::string name_of(std::int64_t subtopology) { return "topic-" + std::to_string(subtopology); }

/// Ids as clients make them.
std::string uuid_of(std::int64_t member, std::uint64_t kind) {
  const auto mixed = (static_cast<std::uint64_t>(member) * 2 + kind + 1) * 0x9e3779b97f4a7c15ULL;
  static constexpr char digits[] = "0123456789abcdef";
  std::string made;
  for (int shift = 0; shift < 32; ++shift) {
    if (shift == 8 || shift == 12 || shift == 16 || shift == 20) made += '-';
    made += digits[(mixed >> (shift * 4 % 60)) & 15];
  }
  return made;
}

/// A group whose members hold their target.
class settled_group {
 public:
  settled_group(const group_size& size, std::string_view assignor, bool strict)
      : assignors_(assignor::registry::make(std::array{std::string(assignor)},
                                            strict ? assignor::ties::as_kafka : assignor::ties::by_id)
                       .value()),
        strict_(strict) {
    image_ = image_for(size);
    config_.initial_rebalance_delay_ms = 0;
    config_.assignment_interval_ms = 0;
    config_.num_standby_replicas = static_cast<std::int32_t>(size.standbys);
    group_.id = "bench";
    apply(join(join_for(size, uuid_of(0, 0), uuid_of(0, 1))));
    const auto first = group_.members.begin()->second;
    for (std::int64_t i = 1; i < size.members - 1; ++i) {
      auto metadata = first.metadata;
      metadata.process_id = uuid_of(i, 1);
      group::apply(group_, group::member_metadata_record{uuid_of(i, 0), std::move(metadata)});
    }
    apply(join(join_for(size, uuid_of(size.members - 1, 0), uuid_of(size.members - 1, 1))));
    settle();
    next_ = join_for(size, uuid_of(size.members, 0), uuid_of(size.members, 1));
  }

  /// Nobody holds anything any more.
  void forget() {
    for (const auto& [id, unused] : group_.members) {
      group::apply(group_, group::current_assignment_record{id, group::current_assignment()});
    }
    group_.targets.clear();
  }

  /// All tasks, and nobody else holds any.
  void give_all_to_one() {
    forget();
    group::current_assignment current;
    for (const auto& [subtopology, part] : *group_.soft.configured->subtopologies) {
      for (std::int32_t partition = 0; partition < part.tasks; ++partition) {
        current.assigned.active[subtopology][partition] = 1;
      }
    }
    group::apply(group_, group::current_assignment_record{group_.members.begin()->first, std::move(current)});
  }

  group::heartbeat_outcome join_next() { return join(next_); }

  group::computed_target compute() {
    auto made = group::compute_target({.group = group_},
                                      {.configured = group_.soft.configured.get(),
                                       .assignment_configs = group_.metadata.assignment_configs,
                                       .group_epoch = group_.metadata.epoch + 1},
                                      world());
    WEIR_ASSERT(made);
    return *std::move(made);
  }

 private:
  using heartbeat_request = protocol::streams_group_heartbeat_request;

  static metadata::image_ptr image_for(const group_size& size) {
    metadata::image_builder builder(nullptr);
    for (std::int64_t i = 0; i < size.subtopologies; ++i) {
      for (const auto* role : {"-source", "-changelog"}) {
        metadata::topic made{.id = {static_cast<std::uint64_t>(i) + 1, role[1] == 's' ? 1U : 2U},
                             .name = name_of(i) + role,
                             .partition_racks = {}};
        made.partition_racks.resize(static_cast<std::size_t>(size.partitions));
        builder.put_topic(std::move(made));
      }
    }
    return builder.build(1);
  }

  static heartbeat_request join_for(const group_size& size, const std::string& member, const std::string& process) {
    auto made = join_of("bench", member);
    made.member_id = text(member);
    made.process_id = text(process);
    made.topology->subtopologies.clear();
    for (std::int64_t i = 0; i < size.subtopologies; ++i) {
      auto& part = made.topology->subtopologies.emplace_back();
      part.subtopology_id = text(std::to_string(i));
      part.source_topics.push_back(text(name_of(i) + "-source"));
      if (i % 2 != 0) continue;
      auto& changelog = part.state_changelog_topics.emplace_back();
      changelog.name = text(name_of(i) + "-changelog");
    }
    return made;
  }

  group::world world() { return {*image_, hashes_, config_, 1'000'000, assignors_, strict_, ++now_ms_}; }

  group::heartbeat_outcome join(const heartbeat_request& request) {
    auto outcome = group::heartbeat(
        group_, request, {.version = 1, .client_id = text::view(client_id), .client_host = "/127.0.0.1"}, world());
    WEIR_ASSERT(outcome.answer.error_code == 0);
    return outcome;
  }

  void apply(const group::heartbeat_outcome& outcome) {
    for (const auto& record : outcome.records) group::apply(group_, record);
    group::apply(group_, outcome.soft);
  }

  /// Everybody holds its target.
  void settle() {
    const auto targets = group_.targets;
    for (const auto& [id, target] : targets) {  // nobody holds what another one is to get
      group::apply(group_, group::current_assignment_record{id, group::current_assignment()});
    }
    for (const auto& [id, target] : targets) {
      group::current_assignment current;
      current.member_epoch = group_.metadata.epoch;
      for (const auto& [subtopology, partitions] : target.active) {
        for (const auto partition : partitions) current.assigned.active[subtopology][partition] = 1;
      }
      current.assigned.standby = target.standby;
      group::apply(group_, group::current_assignment_record{id, std::move(current)});
    }
  }

  metadata::image_ptr image_;
  metadata::hash_cache hashes_;
  group::group_config config_;
  assignor::registry assignors_;
  bool strict_;
  group::streams_group group_;
  heartbeat_request next_;
  std::int64_t now_ms_ = 1'000'000;
};

settled_group group_of(const benchmark::State& state) {
  return settled_group({state.range(0), state.range(1), state.range(2), state.range(3)},
                       state.range(4) == 0 ? "sticky" : "highly_available", state.range(5) != 0);
}

void joined(benchmark::State& state) {
  auto group = group_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(group.join_next());
}

void unchanged(benchmark::State& state) {
  auto group = group_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(group.compute());
}

void full(benchmark::State& state) {
  auto group = group_of(state);
  group.forget();
  for (auto _ : state) benchmark::DoNotOptimize(group.compute());
}

void all_join(benchmark::State& state) {
  auto group = group_of(state);
  group.give_all_to_one();
  for (auto _ : state) benchmark::DoNotOptimize(group.compute());
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t standbys : {0, 1}) {
    bench->Args({100, 10, 10, standbys, 0, 0});
    for (const std::int64_t assignor : {0, 1}) bench->Args({1000, 100, 100, standbys, assignor, 0});
    bench->Args({1000, 100, 100, standbys, 0, 1});
  }
  bench->Unit(benchmark::kMicrosecond);
}

BENCHMARK(joined)->Apply(sizes);
BENCHMARK(unchanged)->Apply(sizes);
BENCHMARK(full)->Apply(sizes);
BENCHMARK(all_join)->Apply(sizes);

}  // namespace
}  // namespace weir::bench
