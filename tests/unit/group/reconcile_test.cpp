// The table of spec 01, 8.4, row by row: member at epoch 10, target at epoch 11, one subtopology.
#include "group/heartbeat/reconcile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "group/heartbeat/holders.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

/// "A0,1 S2 W3" -> tasks of subtopology 0.
role_tasks roles(const std::string& text) {
  role_tasks set;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    auto& role = word[0] == 'A' ? set.active : word[0] == 'S' ? set.standby : set.warmup;
    role = tasks("0:" + word.substr(1));
  }
  return set;
}

assigned_tasks assigned(const std::string& text, std::int32_t epoch) {
  const auto set = roles(text);
  assigned_tasks with_epochs{.active = {}, .standby = set.standby, .warmup = set.warmup};
  for (const auto& [subtopology, partitions] : set.active) {
    for (auto partition : partitions) with_epochs.active[subtopology][partition] = epoch;
  }
  return with_epochs;
}

struct row {
  const char* label;
  member_state state;
  const char* assigned;
  const char* target;
  std::optional<std::string> owned;   // nothing: lists are null
  const char* held_elsewhere;         // by a member of another process
  const char* held_by_sibling;        // by another member of the process
  const char* result;                 // "STABLE 11/10 A1,2", "unchanged"
  const char* pending = "";           // before
  std::int32_t member_epoch = 10;
  std::int32_t target_epoch = 11;
};

void PrintTo(const row& r, std::ostream* out) { *out << r.label; }

class table_8_4 : public ::testing::TestWithParam<row> {};

std::string shown(const assigned_tasks& tasks) {
  const auto list = [](char role, const task_set& set) {
    std::string text;
    for (const auto& [subtopology, partitions] : set) {
      for (auto partition : partitions) text += (text.empty() ? "" : ",") + std::to_string(partition);
    }
    return text.empty() ? "" : " " + std::string(1, role) + text;
  };
  return list('A', without_epochs(tasks.active)) + list('S', tasks.standby) + list('W', tasks.warmup);
}

TEST_P(table_8_4, row) {
  const auto& r = GetParam();
  current_assignment current{.member_epoch = r.member_epoch,
                             .previous_member_epoch = r.member_epoch,
                             .state = r.state,
                             .assigned = assigned(r.assigned, 5),
                             .pending_revocation = assigned(r.pending, 5)};
  holders held;
  hold(held, "P", current);
  current_assignment other;
  other.assigned = assigned(r.held_elsewhere, 5);
  hold(held, "Q", other);
  other.assigned = assigned(r.held_by_sibling, 5);
  hold(held, "P", other);
  std::optional<owned_report> owned;
  if (r.owned) owned = owned_report{.tasks = roles(*r.owned)};

  const std::string process = "P";
  const auto target = roles(r.target);
  const auto result = reconcile({.current = current,
                                 .process_id = process,
                                 .target = target,
                                 .target_epoch = r.target_epoch,
                                 .owned = owned,
                                 .held = held});
  ASSERT_TRUE(result);
  std::string text = "unchanged";
  if (*result) {
    const auto& next = **result;
    text = next.state == member_state::stable            ? "STABLE"
           : next.state == member_state::unrevoked_tasks ? "UNREVOKED"
                                                         : "UNRELEASED";
    text += " " + std::to_string(next.member_epoch) + "/" + std::to_string(next.previous_member_epoch);
    text += shown(next.assigned);
    if (!next.pending_revocation.empty()) text += " pending" + shown(next.pending_revocation);
    for (const auto& [partition, epoch] : next.assigned.active.contains("0") ? next.assigned.active.at("0")
                                                                            : std::map<std::int32_t, std::int32_t>()) {
      const bool is_kept = contains(current.assigned.active, "0", partition);
      EXPECT_EQ(epoch, is_kept ? 5 : r.target_epoch) << "task " << partition;
    }
  }
  EXPECT_EQ(text, r.result);
}

constexpr auto stable = member_state::stable;
constexpr auto unrevoked = member_state::unrevoked_tasks;
constexpr auto unreleased = member_state::unreleased_tasks;
const std::optional<std::string> no_report;

INSTANTIATE_TEST_SUITE_P(
    spec01, table_8_4,
    ::testing::Values(
        row{"keep", stable, "A1,2", "A1,2", no_report, "", "", "STABLE 11/10 A1,2"},
        row{"add", stable, "A1,2", "A1,2,4", no_report, "", "", "STABLE 11/10 A1,2,4"},
        row{"drop and add", stable, "A1,2", "A2,3", no_report, "", "", "UNREVOKED 10/10 A2 pending A1"},
        row{"drop all", stable, "A1,2", "", no_report, "", "", "UNREVOKED 10/10 pending A1,2"},
        row{"wait", stable, "A1,2", "A1,2,4", no_report, "A4", "", "UNRELEASED 11/10 A1,2"},
        row{"drop released and wait", stable, "A3,4", "A3,5", "", "A5", "", "UNRELEASED 11/10 A3"},
        row{"released", unrevoked, "A2,3", "A2,3", "A2,3", "", "", "STABLE 11/10 A2,3", "A1"},
        row{"no report", unrevoked, "A2,3", "A2,3", no_report, "", "", "unchanged", "A1"},
        row{"still owned", unrevoked, "A2,3", "A2,3", "A1,2,3", "", "", "unchanged", "A1"},
        row{"chained", unrevoked, "A2,3", "A3", "A2,3", "", "", "UNREVOKED 11/10 A3 pending A2", "A1", 10, 12},
        row{"released and wait", unrevoked, "A2", "A2,3", "A2", "A3", "", "UNRELEASED 11/10 A2", "A1"},
        row{"free now", unreleased, "A2", "A2,3", no_report, "", "", "STABLE 11/11 A2,3", "", 11},
        row{"one free, one held", unreleased, "A2", "A2,3,4", no_report, "A4", "", "UNRELEASED 11/11 A2,3", "", 11},
        row{"newer target", unreleased, "A2,3", "A3", no_report, "", "", "UNREVOKED 11/11 A3 pending A2", "", 11, 12},
        row{"warm-up waits for active", stable, "W0", "A0", no_report, "A0", "", "UNRELEASED 11/10 W0"},
        row{"warm-up becomes active", stable, "W0", "A0", no_report, "", "", "STABLE 11/10 A0"},
        row{"sibling warms up", stable, "", "A0", no_report, "", "W0", "UNRELEASED 11/10"},
        row{"warm-up kept while revoking", stable, "A1 W0", "A0", no_report, "", "", "UNREVOKED 10/10 W0 pending A1"},
        row{"demotion", stable, "A0", "S0", no_report, "", "", "UNREVOKED 10/10 S0 pending A0"},
        row{"demotion acknowledged", unrevoked, "S0", "S0", "S0", "", "", "STABLE 11/10 S0", "A0"},
        row{"demotion blocked by sibling", stable, "A0", "S0", no_report, "", "S0", "UNREVOKED 10/10 pending A0"},
        row{"standby to warm-up", stable, "S0", "W0", no_report, "", "", "STABLE 11/10 W0"},
        row{"standby to warm-up blocked", stable, "S0", "W0", no_report, "", "W0", "UNREVOKED 10/10 pending S0"},
        // Beyond the table: the mirror image, and 8.2 and 8.3 in words.
        row{"warm-up to standby", stable, "W0", "S0", no_report, "", "", "STABLE 11/10 S0"},
        row{"standby becomes active", stable, "S0", "A0", no_report, "", "", "STABLE 11/10 A0"},
        row{"standby waits for active", stable, "S0", "A0", no_report, "A0", "", "UNRELEASED 11/10 S0"},
        row{"standby elsewhere blocks nobody", stable, "", "S0", no_report, "S0", "", "STABLE 11/10 S0"},
        row{"sibling's active blocks standby", stable, "", "S0", no_report, "", "A0", "UNRELEASED 11/10"},
        row{"active elsewhere, standby here", stable, "", "S0", no_report, "A0", "", "STABLE 11/10 S0"},
        row{"given back while pending", unrevoked, "A2", "A1,2", "A2", "", "", "UNRELEASED 11/10 A2", "A1"},
        row{"reconciled", stable, "A1", "A1", no_report, "", "", "unchanged", "", 11},
        row{"nothing new while waiting", unreleased, "A1", "A1,2", no_report, "A2", "", "unchanged", "", 11}),
    [](const ::testing::TestParamInfo<row>& tested) {
      std::string name = tested.param.label;
      std::ranges::replace_if(name, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); }, '_');
      return name;
    });

}  // namespace
}  // namespace weir::group
