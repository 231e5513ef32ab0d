// Time of one assignment on the inputs that the reference's figures were measured with: by `sticky` on the sizes of
// spec 03, 2.4 (threads per process 1 or 4) and the grid of members x partitions with 10 members per process; by
// `highly_available`, and of one step on the way to its target, on the sizes of 2.4.
//
// Arguments: members / partitions / subtopologies / members per process / standbys. Every second subtopology is
// stateful.
// * full: nobody owns anything.
// * incremental: a member of a process of its own joins a group that holds the result for the others.
// * unchanged: the group holds its own result.
// * with_offsets: incremental, and each stateful task is reported by two members.
// * checked: incremental, with the validation that the group room runs on every result.
// * tagged: full, with two tag keys of three and seven values.
// * all_join: all tasks are on standbys + 1 members when the others join.
// * refined: incremental, the step on the way.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "assignor/highly_available.hpp"
#include "assignor/refine.hpp"
#include "assignor/sticky.hpp"
#include "assignor/validate.hpp"
#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

owned_group make_group(const benchmark::State& state, std::int64_t members) {
  owned_group group;
  for (std::int64_t i = 0; i < members; ++i) {
    group.members.push_back({"member-" + std::to_string(i), "process-" + std::to_string(i / state.range(3))});
  }
  for (std::int64_t i = 0; i < state.range(2); ++i) {
    group.subtopologies.push_back(
        {"topic-" + std::to_string(i) + "_subtopology", static_cast<std::int32_t>(state.range(1)), i % 2 == 0});
  }
  std::sort(group.subtopologies.begin(), group.subtopologies.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  group.standby_replicas = static_cast<std::int32_t>(state.range(4));
  return group;
}

// All members but one hold their result; the last one is new.
template <class Assignor>
owned_group make_grown_group(const benchmark::State& state) {
  auto group = make_group(state, state.range(0) - 1);
  group.hold(Assignor{}.assign(group.input()).value());
  group.members.push_back({"newMember", "process-newMember"});
  return group;
}

// For replica 0 and 1 of the t-th stateful task, the member at index t + replica reports (2 - replica) * 1,000,000 + t.
void report_offsets(owned_group& group) {
  const auto old_members = group.members.size() - 1;
  std::vector<std::size_t> by_id(old_members);
  for (std::size_t i = 0; i < old_members; ++i) by_id[i] = i;
  std::sort(by_id.begin(), by_id.end(),
            [&](std::size_t a, std::size_t b) { return group.members[a].id < group.members[b].id; });
  std::size_t task = 0;
  for (const auto& subtopology : group.subtopologies) {
    if (!subtopology.stateful) continue;
    for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition, ++task) {
      for (std::size_t replica = 0; replica < 2; ++replica) {
        group.members[by_id[(task + replica) % old_members]].offsets[subtopology.id][partition] =
            static_cast<std::int64_t>((2 - replica) * 1'000'000 + task);
      }
    }
  }
}

template <class Assignor>
void measure_assign(benchmark::State& state, const owned_group& group) {
  const Assignor assignor;
  const auto input = group.input();
  for (auto _ : state) benchmark::DoNotOptimize(assignor.assign(input));
  state.SetItemsProcessed(state.iterations() * state.range(1) * state.range(2));
}

template <class Assignor>
void full(benchmark::State& state) {
  measure_assign<Assignor>(state, make_group(state, state.range(0)));
}

template <class Assignor>
void incremental(benchmark::State& state) {
  measure_assign<Assignor>(state, make_grown_group<Assignor>(state));
}

template <class Assignor>
void unchanged(benchmark::State& state) {
  auto group = make_group(state, state.range(0));
  group.hold(Assignor{}.assign(group.input()).value());
  measure_assign<Assignor>(state, group);
}

template <class Assignor>
void with_offsets(benchmark::State& state) {
  auto group = make_grown_group<Assignor>(state);
  report_offsets(group);
  measure_assign<Assignor>(state, group);
}

template <class Assignor>
void checked(benchmark::State& state) {
  const auto group = make_grown_group<Assignor>(state);
  const auto input = group.input();
  for (auto _ : state) benchmark::DoNotOptimize(checked_assign(Assignor{}, input));
}

void tagged(benchmark::State& state) {
  auto group = make_group(state, state.range(0));
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    group.members[i].tags = {{"zone", std::to_string(i % 3)}, {"rack", std::to_string(i % 7)}};
  }
  group.rack_aware_tags = {"zone", "rack"};
  measure_assign<highly_available>(state, group);
}

void all_join(benchmark::State& state) {
  auto group = make_group(state, state.range(4) + 1);
  group.hold(highly_available{}.assign(group.input()).value());
  const auto all = make_group(state, state.range(0)).members;
  group.members.insert(group.members.end(), all.begin() + state.range(4) + 1, all.end());
  measure_assign<highly_available>(state, group);
}

void refined(benchmark::State& state) {
  auto group = make_grown_group<highly_available>(state);
  report_offsets(group);
  const auto input = group.input();
  const auto target = highly_available{}.assign(input).value();
  for (auto _ : state) benchmark::DoNotOptimize(refine(target, input));
}

// Spec 03, 2.4: 1,000 x 100 and 10,000 tasks x 1,000 members.
void sizes_of_the_spec(benchmark::internal::Benchmark* bench) {
  bench->Args({100, 500, 2, 1, 1});
  for (const std::int64_t standbys : {0, 1, 2}) bench->Args({1000, 5000, 2, 1, standbys});
  bench->Args({1000, 5000, 2, 4, 1})->Unit(benchmark::kMillisecond);
}

// The reference's own grid: 10 members per process; and its largest with many subtopologies.
void sizes_of_the_grid(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t standbys : {0, 1}) {
    for (const std::int64_t members : {100, 500, 1000}) {
      for (const std::int64_t partitions : {100, 1000, 5000}) bench->Args({members, partitions, 2, 10, standbys});
    }
    bench->Args({1000, 100, 100, 1, standbys})->Args({1000, 100, 100, 50, standbys});
    bench->Args({100, 100, 100, 50, standbys});
  }
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(full, sticky)->Apply(sizes_of_the_spec)->Apply(sizes_of_the_grid);
BENCHMARK_TEMPLATE(unchanged, sticky)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(incremental, sticky)->Apply(sizes_of_the_spec)->Apply(sizes_of_the_grid);
BENCHMARK_TEMPLATE(with_offsets, sticky)->Apply(sizes_of_the_grid);
BENCHMARK_TEMPLATE(checked, sticky)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(full, highly_available)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(unchanged, highly_available)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(incremental, highly_available)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(with_offsets, highly_available)->Apply(sizes_of_the_spec);
BENCHMARK_TEMPLATE(checked, highly_available)->Apply(sizes_of_the_spec);
BENCHMARK(tagged)->Apply(sizes_of_the_spec);
BENCHMARK(all_join)->Apply(sizes_of_the_spec);
BENCHMARK(refined)->Apply(sizes_of_the_spec);

}  // namespace
}  // namespace weir::assignor
