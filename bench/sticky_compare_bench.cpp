// Our half of compare_assignors.py: times `sticky` on the scenarios that it is told.
//
// Each line of standard input is
//     TIES KIND MEMBERS PARTITIONS SUBTOPOLOGIES MEMBERS_PER_PROCESS STANDBYS MILLISECONDS
// with TIES by_id or as_kafka and KIND full or incremental. It runs the case for so long to warm up and so long again,
// and answers "MICROSECONDS CALLS DIGEST LEAST MOST PLACED": median processor time of a call, number of calls, digest
// of the result, least and most active tasks of a member, standbys in all. In an incremental case the group holds what
// Kafka would have given it, whatever TIES are. What is timed is what a group calls: the input is ready, as Kafka's
// maps are, and the plan comes as the group compares it with what is stored (docs/decisions/018).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "assignor/sticky.hpp"
#include "bench/assignor_scenario.hpp"

namespace weir::assignor::bench {
namespace {

constexpr std::size_t calls_min = 5;

std::int64_t processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Times of one call each, for that long. As Kafka's garbage is not counted, neither is what the end of a plan costs.
std::vector<std::int64_t> run(const sticky& assignor, const group_input& input, std::int64_t milliseconds) {
  std::vector<std::int64_t> times;
  const auto end = processor_ns() + milliseconds * 1'000'000;
  while (times.size() < calls_min || processor_ns() < end) {
    const auto begin = processor_ns();
    const auto made = assignor.assign(input);
    times.push_back(processor_ns() - begin);
    if (!made || made->active.tasks.empty()) std::exit(1);
  }
  return times;
}

// FNV-1a of what everybody holds, in the order of ids.
class digest {
 public:
  void add(const std::string& text) {
    for (const char c : text) sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  void add(char role, const task_set& tasks) {
    for (const auto& [subtopology, partitions] : tasks) {
      add(role + subtopology + ':');
      for (const auto partition : partitions) add(std::to_string(partition) + ',');
    }
    add("\n");
  }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

void print_result(const plan& made) {
  digest all;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  std::int64_t placed = 0;
  for (const auto& [member, tasks] : made) {
    all.add(member + '\n');
    all.add('A', tasks.active);
    all.add('S', tasks.standby);
    least = std::min(least, test::count(tasks.active));
    most = std::max(most, test::count(tasks.active));
    placed += test::count(tasks.standby);
  }
  std::cout << std::hex << all.sum() << std::dec << ' ' << least << ' ' << most << ' ' << placed << std::endl;
}

void answer(const std::string& how, const std::string& kind, const scenario_size& size, std::int64_t milliseconds) {
  const sticky kafkas(ties::as_kafka);
  const auto group = kind == "full" ? make_group(size, size.members) : make_grown_group(size, kafkas);
  const sticky assignor(how == "as_kafka" ? ties::as_kafka : ties::by_id);
  const auto input = group.input();
  run(assignor, input, milliseconds);
  auto times = run(assignor, input, milliseconds);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  std::cout << static_cast<double>(*middle) / 1'000 << ' ' << times.size() << ' ';
  print_result(named(assignor.assign(input).value(), input));
}

}  // namespace
}  // namespace weir::assignor::bench

int main() {
  using namespace weir::assignor::bench;
  std::string how;
  std::string kind;
  scenario_size size;
  std::int64_t milliseconds = 0;
  while (std::cin >> how >> kind >> size.members >> size.partitions >> size.subtopologies >>
         size.members_per_process >> size.standbys >> milliseconds) {
    answer(how, kind, size, milliseconds);
  }
}
