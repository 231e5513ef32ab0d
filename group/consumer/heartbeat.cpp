// ConsumerGroupHeartbeat: a member that joins or goes on.
#include <fmt/format.h>

#include "base/limits.hpp"
#include "group/consumer/step.hpp"
#include "group/topology/patterns.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using consumer_response = protocol::consumer_group_heartbeat_response;
template <class T>
using consumer_checked = protocol::kafka_result<T>;

/// The member of a request: as it is, or as a newcomer begins.
struct admitted_consumer {
  std::string id;
  const consumer_member* stored = nullptr;  ///< null: new
  std::optional<consumer_member> begins;    ///< in the place of a static member that was away
  std::string_view replaced_id = {};        ///< that one; a view into the group
};

consumer_checked<admitted_consumer> admit_consumer(const consumer_call& c);
bool is_at_rest(const consumer_call& c, const consumer_member& member);
consumer_heartbeat_outcome keep_alive(const consumer_call& c, const std::string& id, const consumer_member& member);
consumer_checked<consumer_heartbeat_outcome> move_on(const consumer_call& c, const admitted_consumer& who);
consumer_heartbeat_outcome leave_consumers(const consumer_call& c, std::string_view id, const consumer_member& member);
consumer_response told(const consumer_call& c, const std::string& id, const consumer_member& member);

}  // namespace

consumer_response refuse_consumer(error_code code, std::string_view message) {
  consumer_response out;
  out.error_code = protocol::code_of(code);
  if (!message.empty()) out.error_message = text(message);
  return out;
}

consumer_heartbeat_outcome heartbeat_consumer(const streams_group& group, const consumer_request& request,
                                              const consumer_caller& caller, const consumer_world& world) {
  const consumer_call c{group, request, caller, world};
  const auto refused = [](const refusal& why) {
    consumer_heartbeat_outcome outcome;
    outcome.answer = refuse_consumer(why.code, why.message);
    return outcome;
  };
  if (auto bad = check_consumer_request(c)) return refused(*bad);
  if (auto bad = check_consumer_group(c)) return refused(*bad);
  if (request.member_epoch < 0) {
    const auto found = find_consumer(c);
    return found ? leave_consumers(c, request.member_id, **found) : refused(found.error());
  }
  const auto who = admit_consumer(c);
  if (!who) return refused(who.error());
  if (who->stored != nullptr && is_at_rest(c, *who->stored)) return keep_alive(c, who->id, *who->stored);
  auto outcome = move_on(c, *who);
  return outcome ? std::move(*outcome) : refused(outcome.error());
}

namespace {

// Who it is.

std::optional<refusal> check_consumer_room(const consumer_call& c) {
  const auto& all = c.members();
  const auto most = std::min(limits::consumer_members_max, static_cast<std::size_t>(c.world.options.max_size));
  const auto& instance_id = c.request.instance_id;
  if (all.members.size() < most || all.members.contains(c.request.member_id.view())) return std::nullopt;
  if (instance_id && all.instances.contains(instance_id->view())) return std::nullopt;
  return refusal{error_code::group_max_size_reached,
                 fmt::format("The consumer group has reached its maximum capacity of {} members.", most)};
}

std::optional<refusal> fence_consumer(const consumer_request& asked, const consumer_member& member) {
  const auto received = asked.member_epoch;
  if (received == member.epoch) return std::nullopt;
  const bool is_greater = received > member.epoch;
  if (!is_greater && received == member.previous_epoch && asked.topic_partitions) {
    bool owns_only_assigned = true;
    for (const auto& topic : *asked.topic_partitions) {
      for (const auto partition : topic.partitions) {
        owns_only_assigned = owns_only_assigned && contains(member.assigned, topic.topic_id, partition);
      }
    }
    if (owns_only_assigned) return std::nullopt;
  }
  return refusal{error_code::fenced_member_epoch,
                 fmt::format("The consumer group member has a {} member epoch ({}) than the one known by the group "
                             "coordinator ({}). The member must abandon all its partitions and rejoin.",
                             is_greater ? "greater" : "smaller", received, member.epoch)};
}

/// A static member that is away makes room for the newcomer, who goes on where it was.
consumer_checked<admitted_consumer> admit_joining(const consumer_call& c) {
  if (auto full = check_consumer_room(c)) return tl::unexpected(*std::move(full));
  const auto& all = c.members();
  admitted_consumer who{.id = c.request.member_id.empty() ? c.caller.new_member_id : c.request.member_id.str(),
                        .begins = {}};
  if (c.request.instance_id) {
    const auto holder = all.instances.find(c.request.instance_id->view());
    if (holder != all.instances.end() && holder->second != who.id) {
      const auto& former = all.members.at(holder->second);
      if (!former.is_away()) {
        return protocol::refuse(error_code::unreleased_instance_id,
                                fmt::format("Static member {} with instance id {} cannot join the group because the "
                                            "instance id is owned by {} member.",
                                            who.id, c.request.instance_id->view(), holder->second));
      }
      who.begins = former;
      who.begins->epoch = who.begins->previous_epoch = 0;
      who.replaced_id = holder->second;
      return who;
    }
  }
  if (const auto found = all.members.find(who.id); found != all.members.end()) who.stored = &found->second;
  return who;
}

consumer_checked<admitted_consumer> admit_consumer(const consumer_call& c) {
  if (c.is_join()) return admit_joining(c);
  const auto found = find_consumer(c);
  if (!found) return tl::unexpected(found.error());
  if (auto fenced = fence_consumer(c.request, **found)) return tl::unexpected(*std::move(fenced));
  return admitted_consumer{.id = c.request.member_id.str(), .stored = *found, .begins = {}};
}

// What it says.

/// Nothing to be said by the member, nothing to be told to it: most heartbeats. They copy nothing.
bool is_at_rest(const consumer_call& c, const consumer_member& member) {
  const auto& asked = c.request;
  const auto& all = c.members();
  const bool says_nothing = !c.is_join() && !asked.subscribed_topic_names && !asked.subscribed_topic_regex &&
                            !asked.server_assignor && !asked.rack_id && asked.rebalance_timeout_ms == -1 &&
                            member.client_id == c.caller.client_id && member.client_host == c.caller.client_host;
  return says_nothing && member.state == consumer_member_state::stable && member.epoch == all.assignment->epoch &&
         c.group.consumer->epoch == all.assignment->epoch && all.image_version == c.world.image.version();
}

consumer_heartbeat_outcome keep_alive(const consumer_call& c, const std::string& id, const consumer_member& member) {
  consumer_heartbeat_outcome outcome;
  outcome.soft.member_id = c.request.member_id;
  outcome.soft.session_deadline_ms = c.world.now_ms + c.world.options.session_timeout_ms;
  outcome.answer = told(c, id, member);
  return outcome;
}

/// Error: a pattern that cannot be used, or one too many in this group.
std::optional<refusal> check_consumer_pattern(const consumer_call& c) {
  const auto& asked = c.request.subscribed_topic_regex;
  if (!asked || asked->empty()) return std::nullopt;
  const auto refused = [&](const std::string& why) {
    return refusal{error_code::invalid_regular_expression,
                   fmt::format("SubscribedTopicRegex `{}` is not a valid regular expression: {}.", asked->view(), why)};
  };
  if (const auto fault = pattern_fault(asked->str())) return refused(*fault);
  const auto& known = *c.members().matched;
  if (known.contains(asked->view()) || known.size() < limits::source_patterns_max) return std::nullopt;
  return refused(fmt::format("the members of a group can have {} different ones", limits::source_patterns_max));
}

/// The same object if nothing differs; that of the first member if it wants the same, as members mostly do.
std::shared_ptr<const consumer_subscription> subscription_of(const consumer_call& c, const consumer_member& member) {
  const auto& asked = c.request;
  auto next = *member.subscription;
  if (asked.subscribed_topic_names) {
    next.topics.clear();
    for (const auto& name : *asked.subscribed_topic_names) next.topics.insert(name.str());
  }
  if (asked.subscribed_topic_regex) next.pattern = asked.subscribed_topic_regex->str();
  if (asked.server_assignor) next.assignor = asked.server_assignor->str();
  if (next == *member.subscription) return member.subscription;
  const auto& all = c.members().members;
  if (!all.empty() && *all.begin()->second.subscription == next) return all.begin()->second.subscription;
  return std::make_shared<const consumer_subscription>(std::move(next));
}

consumer_member merged(const consumer_call& c, const admitted_consumer& who) {
  const auto& asked = c.request;
  auto member = who.stored != nullptr ? *who.stored : who.begins.value_or(consumer_member());
  if (asked.instance_id) member.instance_id = asked.instance_id->str();
  if (asked.rack_id) member.rack_id = asked.rack_id->str();
  if (asked.rebalance_timeout_ms != -1) member.rebalance_timeout_ms = asked.rebalance_timeout_ms;
  member.client_id = c.caller.client_id;
  member.client_host = c.caller.client_host;
  member.subscription = subscription_of(c, member);
  return member;
}

// What follows.

void set_deadlines(const consumer_call& c, const consumer_member& before, consumer_member& member) {
  member.session_deadline_ms = c.world.now_ms + c.world.options.session_timeout_ms;
  if (member.state != consumer_member_state::unrevoked_partitions) {
    member.rebalance_deadline_ms.reset();
  } else if (!member.rebalance_deadline_ms || member.pending_revocation != before.pending_revocation) {
    member.rebalance_deadline_ms = c.world.now_ms + member.rebalance_timeout_ms;
  }
}

/// Whether the answer names what the member has: it joins, says everything, or has something else than before.
bool tells_assignment(const consumer_call& c, const consumer_member& before, const consumer_member& member) {
  const auto& asked = c.request;
  const bool says_all = (asked.subscribed_topic_names || asked.subscribed_topic_regex) &&
                        asked.rebalance_timeout_ms != -1 && asked.topic_partitions;
  return c.is_join() || says_all || member.assigned != before.assigned;
}

void tell_assignment(const consumer_member& member, consumer_response& answer) {
  auto& assignment = answer.assignment.emplace();
  for (const auto& [topic_id, partitions] : member.assigned) {
    auto& part = assignment.topic_partitions.emplace_back();
    part.topic_id = topic_id;
    for (const auto& [partition, epoch] : partitions) part.partitions.push_back(partition);
  }
}

consumer_checked<consumer_heartbeat_outcome> move_on(const consumer_call& c, const admitted_consumer& who) {
  if (auto bad = check_consumer_pattern(c)) return tl::unexpected(*std::move(bad));
  const auto before = who.stored != nullptr ? *who.stored : who.begins.value_or(consumer_member());
  auto member = merged(c, who);
  consumer_view view{.now = c.members(), .id = who.id, .changed = &member};
  if (!who.replaced_id.empty()) view.gone.push_back(who.replaced_id);
  const bool has_new_wishes = *member.subscription != *before.subscription;
  const consumer_cause cause{
      .has_new_wishes = has_new_wishes, .departures = 0, .may_assign = true, .replaced_id = who.replaced_id};
  consumer_heartbeat_outcome outcome;
  auto changes = std::make_shared<consumer_changes>();
  auto settled = settle_consumers(c.group, view, cause, c.world, *changes);
  outcome.records = std::move(settled.records);
  reconcile_consumer(member, who.id, c, settled, has_new_wishes);
  set_deadlines(c, before, member);
  outcome.answer = told(c, who.id, member);
  if (tells_assignment(c, before, member)) tell_assignment(member, outcome.answer);
  if (!who.replaced_id.empty()) changes->steps.push_back({.id = std::string(who.replaced_id), .member = {}});
  changes->steps.push_back({.id = who.id, .member = std::move(member)});
  outcome.soft.consumer = std::move(changes);
  return outcome;
}

consumer_response told(const consumer_call& c, const std::string& id, const consumer_member& member) {
  consumer_response out;
  out.member_id = text(id);
  out.member_epoch = member.epoch;
  out.heartbeat_interval_ms = c.world.options.heartbeat_interval_ms;
  return out;
}

/// A static member that leaves for a while keeps what it has, but for what it was to give up.
consumer_heartbeat_outcome leave_consumers(const consumer_call& c, std::string_view id, const consumer_member& member) {
  consumer_heartbeat_outcome outcome;
  if (c.request.member_epoch == consumer_member::away_epoch) {
    auto away = member;
    away.epoch = consumer_member::away_epoch;
    away.state = consumer_member_state::stable;
    away.pending_revocation.clear();
    set_deadlines(c, member, away);
    auto changes = std::make_shared<consumer_changes>();
    changes->steps.push_back({.id = std::string(id), .member = std::move(away)});
    outcome.soft.consumer = std::move(changes);
  } else {
    static_cast<consumer_outcome&>(outcome) = remove_consumers(c.group, {c.members().members.find(id)->first}, c.world);
  }
  outcome.answer.member_id = text(id);
  outcome.answer.member_epoch = c.request.member_epoch;
  return outcome;
}

}  // namespace
}  // namespace weir::group
