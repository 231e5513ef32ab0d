#include "assignor/standby_places.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace weir::assignor {

namespace {

// Processes looked at among equally loaded ones.
constexpr std::size_t near_ties_max = 8;
// Processes looked at, from either end of the load, for one move of the repair.
constexpr int repair_ends_max = 4;

std::vector<std::int64_t> active_tasks(const dense_group& group, const task_processes& running) {
  std::vector<std::int64_t> counts(group.threads.size(), 0);
  for (const auto process : running.active) ++counts[at(process)];
  return counts;
}

std::vector<std::int32_t> classes_by_tags(const dense_group& group, const tag_groups& groups) {
  std::vector<std::int32_t> classes;
  for (std::int32_t process = 0; process < group.process_count(); ++process) classes.push_back(groups.of(process));
  return classes;
}

std::vector<std::int32_t> stateful_by_process(const dense_group& group, const std::vector<std::int32_t>& active) {
  const auto is_stateful = stateful_tasks(group);
  std::vector<std::int32_t> tasks;
  for (std::int32_t task = 0; task < group.task_count(); ++task) {
    if (is_stateful[at(task)]) tasks.push_back(task);
  }
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](std::int32_t a, std::int32_t b) { return active[at(a)] < active[at(b)]; });
  return tasks;
}

}  // namespace

standby_places::standby_places(const dense_group& group, const replicas& present, const task_processes& running,
                               std::span<const std::string> tags)
    : group_(group),
      present_(present),
      running_(running),
      groups_(group, tags),
      diversity_(groups_),
      best_(at(groups_.size())),
      wanted_(group.standby_replicas_here),
      slots_(at(group.task_count()) * at(wanted_), nobody),
      is_fresh_(slots_.size(), false),
      held_(at(group.task_count()), 0),
      pairs_(group.threads.size(), 0),
      tasks_(stateful_by_process(group, running.active)),
      loads_(active_tasks(group, running), group.threads, classes_by_tags(group, groups_)) {
  if (wanted_ == 0) return;
  for (const auto task : tasks_) keep_or_choose(task);
  fill();
  repair();
}

bool standby_places::holds(std::int32_t task, std::int32_t process) const {
  const auto standbys = of(task);
  return running_.active[at(task)] == process || std::find(standbys.begin(), standbys.end(), process) != standbys.end();
}

void standby_places::hold(std::int32_t task, std::int32_t process, bool is_fresh) {
  const auto slot = first_slot(task) + at(held_[at(task)]++);
  slots_[slot] = process;
  is_fresh_[slot] = is_fresh;
  loads_.change(process, 1);
}

// The task's active and these standbys become what diversity_ tells about.
void standby_places::look_at(std::int32_t task, std::span<const std::int32_t> standbys) {
  diversity_.clear();
  diversity_.add(groups_.of(running_.active[at(task)]));
  for (const auto process : standbys) diversity_.add(groups_.of(process));
}

void standby_places::keep_or_choose(std::int32_t task) {
  std::vector<std::int32_t> standbys;
  const auto among = preferred(task, standbys);
  if (!keep(task, standbys)) choose(task, among);
}

// As many as are wanted, and as different as can be: they stay.
bool standby_places::keep(std::int32_t task, std::span<const std::int32_t> standbys) {
  if (standbys.size() != at(wanted_)) return false;
  if (has_tags()) {
    look_at(task, standbys);
    if (diversity_.value() < best_for(groups_.of(running_.active[at(task)])).value) return false;
  }
  for (const auto process : standbys) hold(task, process, false);
  return true;
}

// Present standbys, the former owner, other copies, each group the best first.
std::vector<std::int32_t> standby_places::preferred(std::int32_t task, std::vector<std::int32_t>& standbys) const {
  const auto active = running_.active[at(task)];
  const auto former = running_.former[at(task)];
  const auto copies = present_.of(task);
  for (const auto& copy : copies) {
    if (copy.standby != nobody && copy.process != active) standbys.push_back(copy.process);
  }
  auto among = standbys;
  if (former != nobody && former != active) among.push_back(former);
  for (const auto& copy : copies) {
    if (copy.standby == nobody && copy.process != active && copy.process != former) among.push_back(copy.process);
  }
  return among;
}

// One by one those whose tags add most. A standby for which there is none of these is left to fill(), but counts as if
// it had been placed where its tags add most.
void standby_places::choose(std::int32_t task, std::span<const std::int32_t> among) {
  look_at(task, of(task));
  for (std::int32_t number = 0; number < wanted_; ++number) {
    const auto groups = groups_of_most_gain(task);
    if (groups.empty()) return;
    const auto most = diversity_.gain(groups.front());
    const auto found = std::find_if(among.begin(), among.end(), [&](std::int32_t process) {
      return !holds(task, process) && diversity_.gain(groups_.of(process)) == most;
    });
    if (found != among.end()) hold(task, *found, false);
    diversity_.add(found != among.end() ? groups_.of(*found) : groups.front());
  }
}

// Tasks of one active process after the other, so that pairs_ need only be known for one.
void standby_places::fill() {
  for (std::size_t i = 0; i < tasks_.size();) {
    const auto active = running_.active[at(tasks_[i])];
    auto end = i;
    std::fill(pairs_.begin(), pairs_.end(), 0);
    for (; end < tasks_.size() && running_.active[at(tasks_[end])] == active; ++end) {
      for (const auto process : of(tasks_[end])) ++pairs_[at(process)];
    }
    for (; i < end; ++i) fill(tasks_[i]);
  }
}

void standby_places::fill(std::int32_t task) {
  look_at(task, of(task));
  while (held_[at(task)] < wanted_) {
    const auto process = least_loaded(task, groups_of_most_gain(task));
    hold(task, process, true);
    ++pairs_[at(process)];
    diversity_.add(groups_.of(process));
  }
  if (has_tags() && diversity_.value() < best_for(groups_.of(running_.active[at(task)])).value) {
    place_in_best_groups(task);
  }
}

// Anew, group by group as best_for() found them: where the task already is in that group, else the least loaded.
void standby_places::place_in_best_groups(std::int32_t task) {
  const auto before = std::vector<std::int32_t>(of(task).begin(), of(task).end());
  for (const auto process : before) {
    loads_.change(process, -1);
    --pairs_[at(process)];
  }
  held_[at(task)] = 0;
  for (const auto tag_group : best_for(groups_.of(running_.active[at(task)])).groups) {
    const auto kept = std::find_if(before.begin(), before.end(), [&](std::int32_t process) {
      return groups_.of(process) == tag_group && !holds(task, process);
    });
    const auto process = kept != before.end() ? *kept : least_loaded(task, {&tag_group, 1});
    hold(task, process, true);
    ++pairs_[at(process)];
  }
}

// Among processes whose threads would hold no more than those of the least loaded one, few of them, that with the
// fewest standbys for the same active process.
std::int32_t standby_places::least_loaded(std::int32_t task, std::span<const std::int32_t> among) const {
  std::vector<load_order::entry> candidates;
  for (const auto tag_group : among) {
    std::size_t looked_at = 0;
    for (const auto& entry : loads_.of_class(tag_group)) {
      if (holds(task, entry.process)) continue;
      candidates.push_back(entry);
      if (++looked_at == near_ties_max) break;
    }
  }
  const auto least = *std::min_element(candidates.begin(), candidates.end());
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& e) { return std::tuple(e.least() > least.least(), pairs_[at(e.process)]); };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
  });
  return best->process;
}

bool standby_places::has_free_process(std::int32_t task, std::int32_t tag_group) const {
  auto used = groups_.of(running_.active[at(task)]) == tag_group ? 1 : 0;
  for (const auto process : of(task)) used += groups_.of(process) == tag_group ? 1 : 0;
  return used < groups_.processes(tag_group);
}

// Tag groups with a process that does not hold the task, and whose tags add most to diversity_.
std::vector<std::int32_t> standby_places::groups_of_most_gain(std::int32_t task) const {
  if (!has_tags()) return {0};
  std::vector<std::int32_t> best;
  std::int64_t most = -1;
  for (std::int32_t tag_group = 0; tag_group < groups_.size(); ++tag_group) {
    const auto gain = diversity_.gain(tag_group);
    if (gain < most || !has_free_process(task, tag_group)) continue;
    if (gain > most) best.clear();
    most = gain;
    best.push_back(tag_group);
  }
  return best;
}

const standby_places::best_groups& standby_places::best_for(std::int32_t active_group) {
  auto& best = best_[at(active_group)];
  if (best.value >= 0) return best;
  diversity reached(groups_);
  reached.add(active_group);
  std::vector<std::int32_t> used(at(groups_.size()), 0);
  ++used[at(active_group)];
  for (std::int32_t number = 0; number < wanted_; ++number) {
    auto chosen = nobody;
    for (std::int32_t tag_group = 0; tag_group < groups_.size(); ++tag_group) {
      if (used[at(tag_group)] == groups_.processes(tag_group)) continue;
      if (chosen == nobody || reached.gain(tag_group) > reached.gain(chosen)) chosen = tag_group;
    }
    ++used[at(chosen)];
    reached.add(chosen);
    best.groups.push_back(chosen);
  }
  best.value = reached.value();
  return best;
}

// Moves single standbys from the most to the least loaded processes until the tasks of their threads differ by no more
// than one, or nothing can be moved. Does not make the places of any task less different.
void standby_places::repair() {
  std::vector<std::int64_t> tasks;
  for (std::int32_t process = 0; process < group_.process_count(); ++process) tasks.push_back(loads_.tasks(process));
  load_order all(tasks, group_.threads, std::vector<std::int32_t>(tasks.size(), 0));
  std::vector<slot_list> slots_of(tasks.size());
  for (const auto task : tasks_) {
    for (auto slot = first_slot(task); slot < first_slot(task) + at(held_[at(task)]); ++slot) {
      auto& mine = slots_of[at(slots_[slot])];
      mine.slots.push_back(slot);
      if (is_fresh_[slot]) ++mine.fresh;
    }
  }
  while (steps_left_ > 0 && move_one(all, slots_of)) {
  }
}

bool standby_places::move_one(load_order& all, std::vector<slot_list>& slots_of) {
  const auto& order = all.of_class(0);
  int sources = 0;
  for (auto from = order.rbegin(); from != order.rend() && sources < repair_ends_max; ++from) {
    --steps_left_;
    if (from->most() - order.begin()->least() < 2) return false;
    if (slots_of[at(from->process)].slots.empty()) continue;
    ++sources;
    int targets = 0;
    for (auto to = order.begin(); to != order.end() && targets < repair_ends_max; ++to, ++targets) {
      if (from->most() - to->least() < 2) break;
      if (!move_between(slots_of[at(from->process)], to->process, slots_of[at(to->process)])) continue;
      const auto [source, target] = std::pair(from->process, to->process);
      all.change(source, -1);
      all.change(target, 1);
      return true;
    }
  }
  return false;
}

bool standby_places::move_between(slot_list& from, std::int32_t to, slot_list& slots_of_to) {
  const auto chosen = slot_to_move(from, to);
  if (chosen == from.slots.size()) return false;
  const auto slot = from.slots[chosen];
  from.slots[chosen] = from.slots.back();
  from.slots.pop_back();
  if (is_fresh_[slot]) --from.fresh;
  slots_[slot] = to;
  is_fresh_[slot] = true;
  slots_of_to.slots.push_back(slot);
  ++slots_of_to.fresh;
  return true;
}

// Place in the list of a standby that the target does not hold; rather of one that was placed only now. The end: none.
std::size_t standby_places::slot_to_move(const slot_list& from, std::int32_t to) {
  const auto end = from.slots.size();
  auto chosen = end;
  auto fresh_left = from.fresh;
  for (std::size_t i = 0; i < end && (chosen == end || fresh_left > 0); ++i) {
    --steps_left_;
    const bool is_fresh = is_fresh_[from.slots[i]];
    if (is_fresh) --fresh_left;
    if ((chosen != end && !is_fresh) || !may_move(from.slots[i], to)) continue;
    chosen = i;
    if (is_fresh) break;
  }
  return chosen;
}

bool standby_places::may_move(std::size_t slot, std::int32_t to) {
  const auto task = static_cast<std::int32_t>(slot / at(wanted_));
  if (holds(task, to)) return false;
  if (!has_tags()) return true;
  look_at(task, of(task));
  const auto before = diversity_.value();
  const auto from = std::exchange(slots_[slot], to);
  look_at(task, of(task));
  slots_[slot] = from;
  return diversity_.value() >= before;
}

}  // namespace weir::assignor
