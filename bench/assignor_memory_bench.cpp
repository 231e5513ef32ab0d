// Memory of one assignment by `highly_available`, of a step on the way to it, and of a group's state, at sizes that
// double: bytes for each task or standby should stay as they are.
//
//     build/bench/bin/weir_assignor_memory_bench
//
// working: most that is in use at a time, less what is returned. result: what is returned. group: a group whose members
// hold the result, with targets and reported offsets. Counted as glibc's allocator hands it out: in chunks of 16 bytes,
// of which 8 are its own.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "assignor/highly_available.hpp"
#include "bench/assignor_scenario.hpp"
#include "group/streams_group.hpp"

namespace {

std::size_t in_use = 0;  // one thread
std::size_t peak = 0;

// Stands before what is handed out.
constexpr std::size_t header = alignof(std::max_align_t);

std::size_t chunk(std::size_t size) { return std::max<std::size_t>(32, (size + 8 + 15) / 16 * 16); }

void* counted(std::size_t size) {
  auto* memory = static_cast<std::byte*>(std::malloc(header + size));
  if (memory == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(memory) = size;
  in_use += chunk(size);
  peak = std::max(peak, in_use);
  return memory + header;
}

void discounted(void* memory) {
  if (memory == nullptr) return;
  auto* begin = static_cast<std::byte*>(memory) - header;
  in_use -= chunk(*reinterpret_cast<std::size_t*>(begin));
  std::free(begin);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { discounted(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { discounted(memory); }

namespace weir::assignor::bench {
namespace {

struct footprint {
  std::size_t working = 0;
  std::size_t result = 0;
};

template <class Make>
footprint measure(Make make) {
  const auto before = in_use;
  peak = in_use;
  const auto made = make();
  if (!made) std::abort();
  return {.working = peak - in_use, .result = in_use - before};
}

std::size_t group_bytes(const test::owned_group& from) {
  const auto before = in_use;
  group::streams_group group;
  group.id = "bench";
  for (const auto& member : from.members) {
    group::current_assignment current;
    for (const auto& [id, partitions] : member.active) {
      for (const auto partition : partitions) current.assigned.active[id][partition] = 1;
    }
    current.assigned.standby = member.standby;
    group::member_metadata about;
    about.process_id = member.process;
    group::apply(group, group::member_metadata_record{member.id, std::move(about)});
    group::apply(group, group::target_member_record{member.id, group::role_tasks{member.active, member.standby, {}}});
    group::apply(group, group::current_assignment_record{member.id, std::move(current)});
    group::soft_update soft;
    soft.member_id = text(member.id);
    soft.offsets = member.offsets;
    group::apply(group, soft);
  }
  return in_use - before;
}

void print(const char* what, const scenario_size& size, const footprint& found) {
  const auto tasks = size.partitions * size.subtopologies;
  const auto copies = tasks + tasks / 2 * size.standbys;
  std::printf("%-12s %6ld tasks %5ld members %ld standbys: working %9zu bytes, %3zu a copy; result %9zu bytes, %3zu\n",
              what, tasks, size.members, size.standbys, found.working, found.working / static_cast<std::size_t>(copies),
              found.result, found.result / static_cast<std::size_t>(copies));
}

void measure_all(const scenario_size& size) {
  const highly_available assignor;
  const auto fresh = make_group(size, size.members);
  print("full", size, measure([&] { return assignor.assign(fresh.input()); }));
  auto grown = make_grown_group(size, assignor);
  print("incremental", size, measure([&] { return assignor.assign(grown.input()); }));
  report_offsets(grown);
  const auto target = assignor.assign(grown.input()).value();
  print("step", size, measure([&] { return refine(target, grown.input()); }));
  print("group", size, {.working = 0, .result = group_bytes(grown)});
}

}  // namespace
}  // namespace weir::assignor::bench

int main() {
  for (const long members : {500, 1000, 2000}) {
    weir::assignor::bench::measure_all({members, members * 5, 2, 1, 1});
  }
}
