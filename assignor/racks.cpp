#include "assignor/racks.hpp"

#include <algorithm>
#include <utility>

#include "assignor/match.hpp"

namespace weir::assignor {

racks::racks(const dense_group& group) : group_(group), rack_of_(group.threads.size(), nobody) {
  for (const auto* member : group.members) {
    if (member->rack_id && !member->rack_id->empty()) names_.push_back(*member->rack_id);
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    const auto& rack = group.members[at(member)]->rack_id;
    auto& known = rack_of_[at(group.process_of[at(member)])];
    if (known == nobody && rack) known = find(*rack);
  }
}

std::int32_t racks::find(std::string_view rack) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), rack);
  return found == names_.end() || *found != rack ? nobody : static_cast<std::int32_t>(found - names_.begin());
}

std::vector<std::int32_t> racks::pair_up(std::span<const std::int32_t> tasks, std::int32_t subtopology,
                                         std::span<const std::int32_t> processes) const {
  std::vector<std::vector<std::int32_t>> in_rack(names_.size() + 1);  // the last: whose rack is not known
  for (auto process = processes.rbegin(); process != processes.rend(); ++process) {
    const auto rack = rack_of_[at(*process)];
    in_rack[rack == nobody ? names_.size() : at(rack)].push_back(*process);
  }
  std::vector<std::int32_t> places;
  for (const auto& listed : in_rack) places.push_back(static_cast<std::int32_t>(listed.size()));
  auto chosen = match_racks(tasks, subtopology, std::move(places));
  const auto take = [](std::vector<std::int32_t>& listed) {
    const auto process = listed.back();
    listed.pop_back();
    return process;
  };
  for (auto& rack : chosen) {
    if (rack != nobody) rack = take(in_rack[at(rack)]);
  }
  auto rest = in_rack.begin();
  for (auto& process : chosen) {
    if (process != nobody) continue;
    while (rest->empty()) ++rest;
    process = take(*rest);
  }
  return chosen;
}

// A rack for as many tasks as possible; so many places in each.
std::vector<std::int32_t> racks::match_racks(std::span<const std::int32_t> tasks, std::int32_t subtopology,
                                             std::vector<std::int32_t> places) const {
  match_choices choices;
  const auto& known = *group_.subtopologies[at(subtopology)].racks;
  for (const auto task : tasks) {
    choices.next();
    const auto partition = at(task - group_.first_task[at(subtopology)]);
    if (partition >= known.size()) continue;
    for (const auto& rack : known[partition]) {
      if (const auto found = find(rack); found != nobody) choices.allow(found);
    }
  }
  return match(choices, places);
}

}  // namespace weir::assignor
