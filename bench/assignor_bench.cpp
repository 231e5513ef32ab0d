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

#include <cstdint>
#include <string>

#include "assignor/highly_available.hpp"
#include "assignor/refine.hpp"
#include "assignor/sticky.hpp"
#include "assignor/validate.hpp"
#include "bench/assignor_scenario.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

bench::scenario_size size_of(const benchmark::State& state) {
  return {state.range(0), state.range(1), state.range(2), state.range(3), state.range(4)};
}

owned_group make_group(const benchmark::State& state, std::int64_t members) {
  return bench::make_group(size_of(state), members);
}

template <class Assignor>
owned_group make_grown_group(const benchmark::State& state) {
  return bench::make_grown_group(size_of(state), Assignor{});
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
  group.hold(test::assigned(Assignor{}, group).value());
  measure_assign<Assignor>(state, group);
}

template <class Assignor>
void with_offsets(benchmark::State& state) {
  auto group = make_grown_group<Assignor>(state);
  bench::report_offsets(group);
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
  group.hold(test::assigned(highly_available{}, group).value());
  const auto all = make_group(state, state.range(0)).members;
  group.members.insert(group.members.end(), all.begin() + state.range(4) + 1, all.end());
  measure_assign<highly_available>(state, group);
}

void refined(benchmark::State& state) {
  auto group = make_grown_group<highly_available>(state);
  bench::report_offsets(group);
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
