// Runs seeds and stops at the first that breaks a promise: its shortest story and the command that repeats it are
// printed. `--self-test` shows that every promise can be seen to break.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "tests/simulation/scene.hpp"
#include "tests/simulation/shrink.hpp"

namespace weir::simulation {
namespace {

struct options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1000;
  defect broken = defect::none;
  std::string_view broken_name;
  bool is_self_test = false;
  bool is_traced = false;
};

constexpr std::string_view usage =
    "weir_simulation [--seeds N] [--first SEED] [--seed SEED] [--trace] [--break DEFECT] [--self-test]\n";
constexpr std::uint64_t self_test_seeds = 400;

/// What an assertion of the core leaves behind; written by a signal handler.
char repeat_command[160];

void say_seed(int) {
  [[maybe_unused]] const auto ignored = std::fwrite(repeat_command, 1, std::strlen(repeat_command), stderr);
  std::_Exit(1);
}

std::string command_for(std::uint64_t seed, std::string_view broken_name) {
  auto command = fmt::format("weir_simulation --seed {}", seed);
  return broken_name.empty() ? command : command + fmt::format(" --break {}", broken_name);
}

void tell(const plan& p, const options& o, const failure& found) {
  fmt::print("seed {}: {}\n", p.seed, found.what);
  const auto shortest = shrink(p, o.broken, found.promise);
  const auto again = run(shortest, o.broken, true);
  fmt::print("{} of {} steps are enough{}:\n", shortest.steps.size(), p.steps.size(),
             p.strict_kafka ? ", strict.kafka" : "");
  for (const auto& s : shortest.steps) fmt::print("  {}\n", in_words(s));
  if (again) {
    fmt::print("the story:\n");
    for (const auto& line : again->told) fmt::print("  {}\n", line);
    fmt::print("  {}\n", again->what);
  }
  fmt::print("repeat: {}\n", command_for(p.seed, o.broken_name));
}

/// Whether all seeds kept every promise.
bool run_seeds(const options& o) {
  system_clock clock;
  const auto started_ms = clock.now_ms();
  std::uint64_t heartbeats = 0;
  for (std::uint64_t seed = o.first; seed < o.first + o.seeds; ++seed) {
    const auto line = fmt::format("repeat: {}\n", command_for(seed, o.broken_name));
    line.copy(repeat_command, sizeof repeat_command - 1);
    repeat_command[line.size()] = 0;
    const auto p = make_plan(seed);
    scene story(p, o.broken, o.is_traced);
    try {
      heartbeats += story.run().heartbeats;
    } catch (const violation& v) {
      tell(p, o, {v.promise(), v.what(), {}});
      fmt::print("{} passed, 1 failed\n", seed - o.first);
      return false;
    }
    for (const auto& told : story.told().lines()) fmt::print("{}\n", told);
  }
  const auto took_ms = std::max<std::int64_t>(1, clock.now_ms() - started_ms);
  fmt::print("{} seeds, {} heartbeats, {} seeds per second\n", o.seeds, heartbeats,
             o.seeds * 1000 / static_cast<std::uint64_t>(took_ms));
  fmt::print("{} passed, 0 failed\n", o.seeds);
  return true;
}

/// The first seed in which the mistake breaks its promise.
std::optional<std::pair<plan, failure>> notice(const defect_row& row) {
  for (std::uint64_t seed = 1; seed <= self_test_seeds; ++seed) {
    auto p = make_plan(seed);
    auto found = run(p, row.what);
    if (found && found->promise == row.promise) return std::pair(std::move(p), std::move(*found));
  }
  return std::nullopt;
}

bool self_test() {
  int failed = 0;
  for (const auto& row : defects) {
    const auto noticed = notice(row);
    if (!noticed) {
      ++failed;
      fmt::print("FAILED {}: nothing noticed\n", row.name);
      continue;
    }
    const auto shortest = shrink(noticed->first, row.what, noticed->second.promise);
    fmt::print("noticed {}: seed {}, {} steps, {} are enough: {}\n", row.name, noticed->first.seed,
               noticed->first.steps.size(), shortest.steps.size(), noticed->second.what);
  }
  fmt::print("{} passed, {} failed\n", static_cast<int>(defects.size()) - failed, failed);
  return failed == 0;
}

/// Whether there is such an option, and the value is one for it.
bool set_option(options& o, std::string_view word, const char* value) {
  if (word == "--break") {
    const auto broken = defect_named(value);
    if (broken) o.broken = *broken;
    o.broken_name = value;
    return broken.has_value();
  }
  char* end = nullptr;
  const auto number = std::strtoull(value, &end, 10);
  if (*value == 0 || *end != 0) return false;
  if (word == "--seeds") o.seeds = number;
  if (word == "--first" || word == "--seed") o.first = number;
  if (word == "--seed") o.seeds = 1;
  return word == "--seeds" || word == "--first" || word == "--seed";
}

std::optional<options> parse(int count, char** words) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--self-test") {
      o.is_self_test = true;
    } else if (word == "--trace") {
      o.is_traced = true;
    } else if (i + 1 == count || !set_option(o, word, words[++i])) {
      return std::nullopt;
    }
  }
  return o;
}

}  // namespace
}  // namespace weir::simulation

int main(int count, char** words) {
  using namespace weir::simulation;
  std::signal(SIGABRT, say_seed);
  const auto o = parse(count, words);
  if (!o) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  return (o->is_self_test ? self_test() : run_seeds(*o)) ? 0 : 1;
}
