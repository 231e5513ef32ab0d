#include "group/what_if.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/java_hash.hpp"
#include "base/saturated.hpp"
#include "group/heartbeat/assignor_input.hpp"
#include "group/heartbeat/settle_target.hpp"
#include "group/restore_lookup.hpp"
#include "group/topology/patterns.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using protocol::kafka_result;

/// The world in which the question is answered.
struct supposed {
  streams_group group;
  group_config config;
  metadata::image_ptr image;
  configured_topology configured;
};

kafka_result<group_config> suppose_config(const what_if_question& asked, const what_if_basis& basis);
std::optional<refusal> suppose_members(const what_if_question& asked, supposed& to);
std::optional<refusal> check_processes(const what_if_question& asked, const streams_group& group);
kafka_result<configured_topology> suppose_topics(const what_if_question& asked, const what_if_basis& basis,
                                                 supposed& to);
kafka_result<what_if_answer> plan_for(const supposed& then, const what_if_basis& basis);
void add_moves(const assignor::plan& before, const supposed& then, const what_if_basis& basis, what_if_answer& answer);
void warn(const what_if_question& asked, const supposed& then, const what_if_basis& basis, what_if_answer& answer);

}  // namespace

kafka_result<what_if_answer> what_if(const what_if_question& asked, const what_if_basis& basis) {
  const auto& now = basis.view.group;
  if (now.kind != group_kind::streams || !now.topology) {
    return refuse(error_code::invalid_request, "nothing can be planned: the group has no topology yet");
  }
  supposed then{.group = now, .config = {}, .image = basis.image, .configured = {}};
  auto config = suppose_config(asked, basis);
  if (!config) return tl::unexpected(std::move(config.error()));
  then.config = *std::move(config);
  if (auto refused = suppose_members(asked, then)) return tl::unexpected(*std::move(refused));
  auto configured = suppose_topics(asked, basis, then);
  if (!configured) return tl::unexpected(std::move(configured.error()));
  then.configured = *std::move(configured);
  auto answer = plan_for(then, basis);
  if (answer) warn(asked, then, basis, *answer);
  return answer;
}

namespace {

kafka_result<group_config> suppose_config(const what_if_question& asked, const what_if_basis& basis) {
  const auto set = overrides_after(basis.view.own_config, asked.config, basis.broker);
  if (!set) return tl::unexpected(set.error());
  auto config = effective(*set, basis.broker);
  config.drained_processes = basis.view.config.drained_processes;
  for (const auto& [process_id, is_on] : asked.drains) {
    if (is_on) {
      if (auto refused = check_drain(basis.view.group, config, process_id)) return tl::unexpected(*std::move(refused));
      config.drained_processes.insert(mark_of(basis.view.group, process_id));
    } else {
      config.drained_processes.erase(process_id);
    }
  }
  if (asked.assignor.empty()) return config;
  const auto known = assignor::registry::built_in();
  if (auto found = known.find(asked.assignor); !found) {
    return refuse(error_code::invalid_config, found.error().message);
  }
  config.assignor_name = asked.assignor;
  return config;
}

/// A member of that process as it would be just after its join.
member newcomer(const std::string& id, const added_members& like, const streams_group& group) {
  member made;
  made.id_hash = java_hash(id);
  made.process_hash = java_hash(like.process_id);
  made.metadata.process_id = like.process_id;
  made.metadata.rack_id = like.rack_id;
  made.metadata.client_tags = like.client_tags;
  made.metadata.topology_epoch = group.topology->epoch;
  made.metadata_seen = made.current_seen = true;
  return made;
}

std::optional<refusal> suppose_members(const what_if_question& asked, supposed& to) {
  if (auto refused = check_processes(asked, to.group)) return refused;
  const std::set<std::string_view> gone_processes(asked.removed_processes.begin(), asked.removed_processes.end());
  const std::set<std::string_view> gone(asked.removed_members.begin(), asked.removed_members.end());
  for (const auto& id : asked.removed_members) {
    if (!to.group.members.contains(id)) return refusal{error_code::unknown_member_id, "there is no member " + id};
  }
  std::erase_if(to.group.members, [&](const auto& entry) {
    return gone.contains(entry.first) ||
           gone_processes.contains(entry.second.metadata.process_id);
  });
  std::int64_t added = 0;
  for (const auto& more : asked.added) {
    added += more.count;
    if (more.count < 1 || added > added_members_max) {
      return refusal{error_code::invalid_request,
                     "members to add must be 1 to " + std::to_string(added_members_max) + " in all"};
    }
    for (std::int32_t i = 1, made = 0; made < more.count; ++i) {
      const auto id = "new-" + more.process_id + "-" + std::to_string(i);
      if (to.group.members.emplace(id, newcomer(id, more, to.group)).second) ++made;
    }
  }
  to.group.members_by_topology = count_versions(to.group.members);
  std::erase_if(to.group.targets, [&](const auto& entry) { return !to.group.members.contains(entry.first); });
  std::erase_if(to.group.soft.members, [&](const auto& entry) { return !to.group.members.contains(entry.first); });
  if (!to.group.members.empty()) return std::nullopt;
  return refusal{error_code::invalid_request, "nothing can be planned: no member would be left"};
}

std::optional<refusal> check_processes(const what_if_question& asked, const streams_group& group) {
  for (const auto& process_id : asked.removed_processes) {
    const bool is_here = std::ranges::any_of(
        group.members, [&](const auto& entry) { return entry.second.metadata.process_id == process_id; });
    if (is_here) continue;
    return refusal{error_code::unknown_member_id, "no member of the group has process id " + process_id};
  }
  return std::nullopt;
}

/// The image with other partition counts. They can only grow, as in Kafka.
std::optional<refusal> suppose_partitions(const what_if_question& asked, const streams_group& group,
                                          metadata::image_ptr& image) {
  if (asked.partitions.empty()) return std::nullopt;
  const auto required = required_topics(resolve(*group.topology, group.soft.matches.get()).plain);
  metadata::image_builder builder(image);
  for (const auto& [name, count] : asked.partitions) {
    if (!required.contains(name)) {
      return refusal{error_code::invalid_request, "topic " + name + " is not one that the group reads or keeps"};
    }
    const auto* known = image == nullptr ? nullptr : image->find(name);
    metadata::topic next = known == nullptr ? metadata::topic() : *known;
    if (count < std::max(1, next.partition_count())) {
      return refusal{error_code::invalid_request, "topic " + name + " has " + std::to_string(next.partition_count()) +
                                                      " partitions; it can have more, not " + std::to_string(count)};
    }
    next.name = name;
    next.partition_racks.resize(static_cast<std::size_t>(count));
    builder.put_topic(std::move(next));
  }
  image = builder.build(image == nullptr ? 0 : image->version() + 1);
  return std::nullopt;
}

kafka_result<configured_topology> suppose_topics(const what_if_question& asked, const what_if_basis& basis,
                                                 supposed& to) {
  if (to.group.reads_patterns && !to.group.soft.matches) {
    return refuse(error_code::invalid_request, "nothing can be planned yet: the patterns of source topics are being "
                                               "tried on the topics there are; ask again in a moment");
  }
  if (auto refused = suppose_partitions(asked, to.group, to.image)) return tl::unexpected(*std::move(refused));
  if (to.image == nullptr) to.image = std::make_shared<const metadata::image>();
  auto configured = configure(*to.group.topology, *to.image, to.group.metadata.metadata_hash,
                              {.strict_kafka = basis.strict_kafka, .matches = to.group.soft.matches.get()});
  if (!configured) return tl::unexpected(configured.error());
  if (!configured->ready()) {
    return refuse(error_code::invalid_request, "nothing can be planned: " + configured->problem->detail);
  }
  return *std::move(configured);
}

/// Every built-in assignor, deciding ties as this node does.
assignor::registry all_assignors(bool strict_kafka) {
  std::vector<std::string> names;
  for (const auto name : assignor::registry::built_in().names()) names.emplace_back(name);
  return *assignor::registry::make(names, strict_kafka ? assignor::ties::as_kafka : assignor::ties::by_id);
}

/// The parts of those members that the input has, which is what statistics are about.
assignor::plan targets_of(const std::map<std::string, role_tasks, std::less<>>& all,
                          const assignor::group_input& input) {
  assignor::plan out;
  for (const auto& m : input.members) {
    auto& part = out[std::string(m.member_id)];
    const auto found = all.find(m.member_id);
    if (found != all.end()) part = {found->second.active, found->second.standby};
  }
  return out;
}

std::optional<assignor::plan_statistics> measured(const std::map<std::string, role_tasks, std::less<>>& targets,
                                                  const assignor::group_input& all, const group_config& config) {
  const auto remaining = without_drained(all, config);
  const auto& input = remaining ? *remaining : all;
  auto figures = assignor::measure(targets_of(targets, input), input);
  return figures ? std::optional(*std::move(figures)) : std::nullopt;
}

world world_of(const metadata::image& image, metadata::hash_cache& hashes, const group_config& config,
               const assignor::registry& assignors, const what_if_basis& basis) {
  return {.image = image,
          .hashes = hashes,
          .config = config,
          .max_size = basis.broker.max_size,
          .assignors = assignors,
          .strict_kafka = basis.strict_kafka,
          .now_ms = basis.view.now_ms};
}

/// What members hold now, of whatever topology.
assignor::plan held_now(const streams_group& group) {
  assignor::plan out;
  for (const auto& [id, member] : group.members) {
    out[id] = {without_epochs(member.current.assigned.active), member.current.assigned.standby};
  }
  return out;
}

/// The statistics of the group as it is.
std::optional<assignor::plan_statistics> measure_present(const supposed& then, const what_if_basis& basis,
                                                         const assignor::registry& assignors) {
  metadata::hash_cache hashes;
  const auto& group = basis.view.group;
  const auto& image = basis.image == nullptr ? *then.image : *basis.image;
  const auto world = world_of(image, hashes, basis.view.config, assignors, basis);
  const auto* configured = group.soft.configured == nullptr ? &then.configured : group.soft.configured.get();
  const auto input = input_for_assignor({.group = group},
                                        {.configured = configured,
                                         .assignment_configs = group.metadata.assignment_configs,
                                         .group_epoch = group.metadata.epoch},
                                        world);
  return measured(group.targets, input.input, basis.view.config);
}

kafka_result<what_if_answer> plan_for(const supposed& then, const what_if_basis& basis) {
  const auto assignors = all_assignors(basis.strict_kafka);
  metadata::hash_cache hashes;
  const auto world = world_of(*then.image, hashes, then.config, assignors, basis);
  const auto configs = then.config.assignment_configs();
  const target_basis target{.configured = &then.configured,
                            .assignment_configs = configs,
                            .group_epoch = then.group.metadata.epoch + 1};
  const membership members{.group = then.group};
  auto computed = compute_target(members, target, world);
  if (!computed) return refuse(error_code::invalid_request, "the assignor cannot: " + computed.error().message);

  what_if_answer answer;
  answer.assignor = computed->explanation.assignor;
  answer.group_epoch = target.group_epoch;
  answer.target = then.group.targets;
  for (auto& [id, tasks] : computed->changed) answer.target.insert_or_assign(id, tasks);
  const auto input = input_for_assignor(members, target, world);
  answer.after = measured(answer.target, input.input, then.config);
  if (computed->interim != nullptr) {
    answer.waiting = computed->interim->waiting;
    for (const auto& [id, tasks] : computed->interim->members) {
      if (!tasks.warmup.empty()) answer.warmups.emplace(id, tasks.warmup);
    }
  }
  answer.before = measure_present(then, basis, assignors);
  add_moves(held_now(basis.view.group), then, basis, answer);
  return answer;
}

void add_moves(const assignor::plan& before, const supposed& then, const what_if_basis& basis,
               what_if_answer& answer) {
  assignor::plan after;
  for (const auto& [id, tasks] : answer.target) after[id] = {tasks.active, tasks.standby};
  const restore_lookup copies(basis.view.group);
  for (auto& move : assignor::diff(before, after)) {
    if (move.role == assignor::task_role::active) ++answer.tasks_moved;
    what_if_move made{.move = std::move(move), .restore = {}, .has_state = false};
    const auto part = then.configured.subtopologies->find(made.move.subtopology_id);
    made.has_state = part != then.configured.subtopologies->end() && part->second.stateful();
    if (made.has_state && !made.move.to_member.empty()) {
      const auto& process_id = then.group.members.find(made.move.to_member)->second.metadata.process_id;
      made.restore = copies.of(process_id, made.move.subtopology_id, made.move.partition);
      if (made.restore) {
        answer.state_to_restore = saturated_sum(answer.state_to_restore.value_or(0), *made.restore);
      } else {
        ++answer.restores_unknown;
      }
    }
    answer.moved.push_back(std::move(made));
  }
  if (answer.restores_unknown == 0) answer.state_to_restore = answer.state_to_restore.value_or(0);
}

/// Of members without work and copies without a place.
void warn_of_places(const supposed& then, what_if_answer& answer) {
  std::set<std::string_view> processes;
  std::size_t idle = 0;
  for (const auto& [id, member] : then.group.members) {
    if (then.config.drained_processes.contains(member.metadata.process_id)) continue;
    processes.insert(member.metadata.process_id);
    const auto target = answer.target.find(id);
    if (target == answer.target.end() || target->second.active.empty()) ++idle;
  }
  if (idle > 0) answer.warnings.push_back(std::to_string(idle) + " members would have no active task");
  const auto standbys = static_cast<std::size_t>(then.config.num_standby_replicas);
  if (standbys == 0 || processes.size() > standbys) return;
  const auto places = processes.empty() ? 0 : processes.size() - 1;
  answer.warnings.push_back(std::to_string(standbys) +
                            " standbys of each task are wanted, and there would be places for " +
                            std::to_string(places));
}

void warn(const what_if_question& asked, const supposed& then, const what_if_basis& basis, what_if_answer& answer) {
  const auto say = [&](std::string line) { answer.warnings.push_back(std::move(line)); };
  if (basis.view.state == group_state::reconciling || basis.view.state == group_state::assigning) {
    say("the group is between two assignments: what it holds when this is really done may differ");
  }
  const auto& offered = basis.broker.assignors;
  if (std::ranges::find(offered, answer.assignor) == offered.end()) {
    say("assignor " + answer.assignor + " is not in group.streams.assignors, so no group can choose it");
  }
  warn_of_places(then, answer);
  if (!asked.removed_members.empty() || !asked.removed_processes.empty()) {
    say("a removed member that is alive joins again with its next heartbeat");
  }
}

}  // namespace
}  // namespace weir::group
