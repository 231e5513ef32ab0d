#include "group/rehearsal/rehearsal.hpp"

#include <algorithm>
#include <utility>

#include "group/topology/some_names.hpp"

namespace weir::group {
namespace {

void check_group(const rehearsal_basis& basis, rehearsal& to);
void check_offsets(const rehearsal_basis& basis, rehearsal& to);
void list_rights(const rehearsal_question& asked, const rehearsal_basis& basis, rehearsal& to);
void plan(const rehearsal_question& asked, const rehearsal_basis& basis, const fitting_topology& fits,
          rehearsal& to);
std::vector<std::string> way_back(const rehearsal_basis& basis);

}  // namespace

protocol::kafka_result<rehearsal> rehearse(const rehearsal_question& asked, const rehearsal_basis& basis) {
  const auto settings = overrides_after(basis.own_config, asked.config, basis.broker);
  if (!settings) return tl::unexpected(settings.error());
  rehearsal made;
  check_group(basis, made);
  const auto configured = rehearse_topics(asked, basis, made);
  check_offsets(basis, made);
  list_rights(asked, basis, made);
  rehearse_settings(asked, basis, effective(*settings, basis.broker), made);
  if (configured) {
    plan(asked, basis, *configured, made);
  } else {
    made.checks.push_back({"assignment", verdict::error, "nothing can be assigned before the topics are in order"});
  }
  made.way_back = way_back(basis);
  return made;
}

std::string_view name(verdict of) noexcept {
  switch (of) {
    case verdict::ok: return "ok";
    case verdict::warning: return "warning";
    case verdict::error: return "error";
  }
  return "unknown";
}

verdict rehearsal::outcome() const noexcept {
  auto worst = verdict::ok;
  for (const auto& check : checks) worst = std::max(worst, check.outcome);
  return worst;
}

former_group former_of(const group_view& view) {
  const auto& group = view.group;
  former_group out;
  out.kind = group.kind;
  for (const auto& [topic, partitions] : group.offsets) {
    for (const auto& [partition, committed] : partitions) out.offsets[topic][partition] = committed.offset;
  }
  out.has_open_transactions = !group.soft.transactions.empty();
  if (group.kind == group_kind::streams) {
    out.state = name(view.state);
    for (const auto& [id, member] : group.members) out.members.push_back(id + " at " + member.metadata.client_host);
    return out;
  }
  const auto& classic = group.soft.classic;
  out.state = name(classic.phase);
  out.protocol_type = classic.protocol_type;
  for (const auto& [id, member] : classic.members) out.members.push_back(id + " at " + member.client_host);
  return out;
}

namespace {

void check_group(const rehearsal_basis& basis, rehearsal& to) {
  const auto& group = basis.group;
  const auto& id = basis.group_id;
  const auto say = [&](verdict outcome, std::string text) {
    to.checks.push_back({"group", outcome, std::move(text)});
  };
  if (group.unknown) return say(verdict::warning, "it is not known what is under this id: " + *group.unknown);
  const auto count = std::to_string(group.members.size());
  if (group.kind == group_kind::none) return say(verdict::ok, "there is no group " + id + " yet: go");
  if (group.kind == group_kind::streams) {
    if (group.members.empty()) return say(verdict::ok, id + " is a streams group already, and empty: go");
    return say(verdict::warning, id + " is a streams group already, with " + count +
                                     " members: there is nothing to migrate; ask its what-if for changes");
  }
  if (!group.members.empty()) {
    return say(verdict::error, "group " + id + " has " + count + " members of the classic protocol, " +
                                   some_names(group.members) +
                                   ": stop all of them first; one that is killed is out after its session time-out");
  }
  say(verdict::ok, "group " + id + " is empty, go");
}

void check_offsets(const rehearsal_basis& basis, rehearsal& to) {
  const auto& group = basis.group;
  const auto say = [&](verdict outcome, std::string text) {
    to.checks.push_back({"offsets", outcome, std::move(text)});
  };
  if (group.unknown) return say(verdict::warning, "they stay where they are; how many there are is not known");
  if (group.has_open_transactions) {
    return say(verdict::error, "a transaction with offsets of this group is open: wait for its end");
  }
  std::int32_t carried = 0;
  std::vector<std::string> left;
  for (const auto& [topic, partitions] : group.offsets) {
    const auto row = std::ranges::find(to.topics, topic, &rehearsed_topic::name);
    const bool is_read = row != to.topics.end() && row->role != "changelog";
    const auto count = static_cast<std::int32_t>(partitions.size());
    to.offsets.push_back({topic, count, is_read});
    if (is_read) carried += count;
    if (!is_read) left.push_back(topic);
  }
  if (!left.empty()) {
    return say(verdict::warning, "offsets of " + std::to_string(carried) +
                                     " partitions carry over; the application does not read " + some_names(left) +
                                     ", whose offsets stay behind");
  }
  if (carried > 0) return say(verdict::ok, "offsets of " + std::to_string(carried) + " partitions carry over");
  say(verdict::warning, "there are no committed offsets: the application starts where auto.offset.reset says");
}

/// Spec 05, 8.8. Whose credentials the application has is not known here.
void list_rights(const rehearsal_question& asked, const rehearsal_basis& basis, rehearsal& to) {
  if (!basis.is_gateway) {
    to.checks.push_back({"rights", verdict::ok, "there are no access rights in embedded mode"});
    return;
  }
  to.rights.push_back("READ on group " + basis.group_id);
  auto topics = all_topics(asked.topology);
  for (const auto& row : to.topics) topics.insert(row.name);
  for (const auto& topic : topics) to.rights.push_back("DESCRIBE on topic " + topic);
  to.checks.push_back({"rights", verdict::warning,
                       "the upstream tells them to the application's own credentials alone, so see that its principal "
                       "has those listed; internal topics are created with the identity of Weir"});
}

void plan(const rehearsal_question& asked, const rehearsal_basis& basis, const fitting_topology& fits,
          rehearsal& to) {
  group_view view;
  view.group.id = basis.group_id;
  view.group.kind = group_kind::streams;
  view.group.topology = asked.topology;
  view.group.soft.matches = fits.matches;
  view.own_config = basis.own_config;
  view.config = effective(basis.own_config, basis.broker);
  what_if_question joins;
  joins.config = asked.config;
  for (std::int32_t i = 1; i <= asked.processes; ++i) {
    joins.added.push_back({"process-" + std::to_string(i), asked.threads, {}, {}});
  }
  auto answer = what_if(joins, {.view = view,
                                .broker = basis.broker,
                                .image = with_internal_topics(basis.image, fits.configured),
                                .strict_kafka = basis.strict_kafka});
  if (!answer) {
    to.checks.push_back({"assignment", verdict::error, answer.error().message});
    return;
  }
  std::int32_t tasks = 0;
  for (const auto& [id, part] : *fits.configured.subtopologies) tasks += part.tasks;
  std::string text = std::to_string(tasks) + " tasks for " + std::to_string(asked.processes) + " processes of " +
                     std::to_string(asked.threads) + " threads";
  for (const auto& warning : answer->warnings) text += "; " + warning;
  text += "; instances that still have their state report it, and get the tasks that it belongs to";
  to.checks.push_back({"assignment", answer->warnings.empty() ? verdict::ok : verdict::warning, std::move(text)});
  to.plan = *std::move(answer);
}

std::vector<std::string> way_back(const rehearsal_basis& basis) {
  std::vector<std::string> steps{
      "stop all instances; the group is empty when each has left or its session time-out is over"};
  if (basis.is_gateway) {
    steps.push_back("delete the group here (weir groups delete " + basis.group_id +
                    "): its offsets are the upstream's and stay there");
  }
  steps.emplace_back("start them with group.protocol=classic: offsets, internal topics and local state are the same");
  steps.emplace_back("standbys, warm-ups and time-outs are the client's settings again");
  return steps;
}

}  // namespace
}  // namespace weir::group
