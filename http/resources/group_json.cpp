#include "http/resources/group_json.hpp"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "group/balance.hpp"
#include "http/json_writer.hpp"
#include "http/resources/event_json.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::storage_ptr;
using boost::json::value;

std::string_view state_name(group::member_state state) {
  switch (state) {
    case group::member_state::stable: return "STABLE";
    case group::member_state::unrevoked_tasks: return "UNREVOKED_TASKS";
    case group::member_state::unreleased_tasks: return "UNRELEASED_TASKS";
    case group::member_state::unknown: break;
  }
  return "UNKNOWN";
}

/// What is made for one member; the next one's takes its place. A large group has thousands of them.
constexpr std::size_t arena_bytes = 16'384;

object tasks(const group::role_tasks& of, const storage_ptr& in) {
  object out(in);
  out["active"] = tasks_document(of.active, in);
  out["standby"] = tasks_document(of.standby, in);
  out["warmup"] = tasks_document(of.warmup, in);
  return out;
}

object strings(const std::map<std::string, std::string>& of, const storage_ptr& in) {
  object out(in);
  for (const auto& [name, text] : of) out[name] = text;
  return out;
}

/// Milliseconds until a deadline, or null if it is not armed.
value left(const std::optional<std::int64_t>& deadline_ms, std::int64_t now_ms) {
  return deadline_ms ? value(*deadline_ms - now_ms) : value();
}

object offsets(const group::task_offsets& of, const storage_ptr& in) {
  object out(in);
  for (const auto& [subtopology, by_partition] : of) {
    object partitions(in);
    for (const auto& [partition, offset] : by_partition) partitions[std::to_string(partition)] = offset;
    out[subtopology] = std::move(partitions);
  }
  return out;
}

object commits(const group::commit_counts& of, const storage_ptr& in) {
  object out(in);
  out["accepted"] = of.accepted;
  out["refused"] = of.refused;
  out["last_refused"] = nullptr;
  if (of.refused == 0) return out;
  object last(in);
  last["at"] = utc_time(of.last_refused_ms);
  last["error"] = protocol::name(of.last_error);
  out["last_refused"] = std::move(last);
  return out;
}

void add_soft(object& out, const group::member_soft& soft, std::int64_t now_ms) {
  out["session_ends_in_ms"] = left(soft.session_deadline_ms, now_ms);
  out["revocation_ends_in_ms"] = left(soft.rebalance_deadline_ms, now_ms);
  out["task_offsets"] = offsets(soft.offsets, out.storage());
  out["task_end_offsets"] = offsets(soft.end_offsets, out.storage());
  out["commits"] = commits(soft.commits, out.storage());
}

object member(const std::string& id, const group::member& of, const group::group_view& view, const storage_ptr& in) {
  const group::member_metadata& about = of.metadata;
  object out(in);
  out["member_id"] = id;
  out["instance_id"] = or_null(about.instance_id);
  out["process_id"] = about.process_id;
  out["client_id"] = about.client_id;
  out["client_host"] = about.client_host;
  out["rack_id"] = or_null(about.rack_id);
  out["client_tags"] = strings(about.client_tags, in);
  out["user_endpoint"] = about.user_endpoint
                             ? value(about.user_endpoint->host + ":" + std::to_string(about.user_endpoint->port))
                             : value();
  out["state"] = state_name(of.current.state);
  out["member_epoch"] = of.current.member_epoch;
  out["previous_member_epoch"] = of.current.previous_member_epoch;
  out["topology_epoch"] = about.topology_epoch;
  out["rebalance_timeout_ms"] = about.rebalance_timeout_ms;
  out["assigned"] = tasks(group::without_epochs(of.current.assigned), in);
  out["to_revoke"] = tasks(group::without_epochs(of.current.pending_revocation), in);
  const auto target = view.group.targets.find(id);
  out["target"] = tasks(target == view.group.targets.end() ? group::role_tasks() : target->second, in);
  const auto soft = view.group.soft.members.find(id);
  add_soft(out, soft == view.group.soft.members.end() ? group::member_soft() : soft->second, view.now_ms);
  return out;
}

/// One after the other, so that there is never more than one of them beside the text.
void append_members(const group::group_view& view, std::string& to) {
  std::array<unsigned char, arena_bytes> space;
  boost::json::monotonic_resource arena(space.data(), space.size());
  bool is_first = true;
  for (const auto& [id, about] : view.group.members) {
    if (!std::exchange(is_first, false)) to += ',';
    to += boost::json::serialize(member(id, about, view, &arena));
    arena.release();
  }
}

object counts_document(const group::group_counts& of) {
  return {{"members", of.members},
          {"away", of.away},
          {"processes", of.processes},
          {"tasks", of.tasks},
          {"active", of.active},
          {"standby", of.standby},
          {"warmup", of.warmup},
          {"stateful_active", of.stateful_active},
          {"unassigned", of.unassigned},
          {"to_revoke", of.to_revoke},
          {"waiting_to_move", of.waiting_to_move}};
}

object range_document(const group::task_spread& of) { return {{"min", of.least}, {"max", of.most}}; }

object balance_document(const group::group_balance& of) {
  return {{"even", of.even},
          {"text", of.text},
          {"active_per_member", range_document(of.active_per_member)},
          {"total_per_member", range_document(of.total_per_member)},
          {"active_per_process", range_document(of.active_per_process)},
          {"stateful_active_per_process", range_document(of.stateful_active_per_process)},
          {"idle_members", of.idle_members},
          {"idle_processes", of.idle_processes}};
}

/// Its members are not told of here, and nothing of a streams group applies to it but the epochs of a consumer group.
void add_what_another_group_has(object& to, const group::streams_group& of) {
  const auto row = group::summarise(of);
  to["state"] = row.state_name;
  add_no_incidents(to);
  for (const auto* none : {"members", "drained_processes", "config"}) to[none] = array();
  const bool has_epochs = of.kind == group::group_kind::consumer;
  to["group_epoch"] = has_epochs ? value(row.group_epoch) : value();
  to["assignment_epoch"] = has_epochs ? value(row.assignment_epoch) : value();
  for (const auto* null : {"topology_epoch", "counts", "balance", "commits_refused_of_strangers"}) to[null] = value();
}

}  // namespace

object tasks_document(const group::task_set& of, const storage_ptr& in) {
  object out(in);
  for (const auto& [subtopology, partitions] : of) out[subtopology] = array(partitions.begin(), partitions.end(), in);
  return out;
}

object member_document(const std::string& id, const group::group_view& view) {
  return member(id, view.group.members.at(id), view, {});
}

array config_rows(const group::group_config& config, const group::overrides& own, const origin_lookup& origin_of) {
  array out;
  for (const group::group_config_key& key : group::group_config_keys()) {
    object entry;
    entry["name"] = key.name;
    entry["value"] = group::value_text(config, key.name);
    entry["origin"] = own.contains(key.name) ? std::string("group") : origin_of(key.broker_name);
    out.push_back(std::move(entry));
  }
  return out;
}

object group_row(const group::group_summary& row) {
  object out;
  out["group_id"] = row.id;
  out["type"] = group::type_name(row.kind);
  out["state"] = row.state_name;
  const auto number = [&row](std::int32_t known) { return row.loading ? value() : value(known); };
  const bool has_epochs = row.kind == group::group_kind::streams || row.kind == group::group_kind::consumer;
  out["group_epoch"] = has_epochs ? number(row.group_epoch) : value();
  out["assignment_epoch"] = has_epochs ? number(row.assignment_epoch) : value();
  out["members"] = number(row.members);
  out["active_tasks"] = number(row.active_tasks);
  out["standby_tasks"] = number(row.standby_tasks);
  out["warmup_tasks"] = number(row.warmup_tasks);
  return out;
}

response group_response(const group::group_view& view, const origin_lookup& origin_of) {
  response out;
  out.body = boost::json::serialize(group_document(view, origin_of));
  if (view.group.kind == group::group_kind::streams) {
    out.body.back() = ',';
    out.body += R"("members":[)";
    append_members(view, out.body);
    out.body += "]}";
  }
  out.body = valid_utf8(out.body) + '\n';
  return out;
}

object group_document(const group::group_view& view, const origin_lookup& origin_of) {
  const group::streams_group& of = view.group;
  object out;
  out["group_id"] = of.id;
  out["type"] = group::type_name(of.kind);
  if (of.kind != group::group_kind::streams) {
    add_what_another_group_has(out, of);
    return out;
  }
  out["state"] = group::name(view.state);
  add_incidents(out, view);
  out["group_epoch"] = of.metadata.epoch;
  out["assignment_epoch"] = of.target_info.assignment_epoch;
  out["topology_epoch"] = of.topology ? value(of.topology->epoch) : value();
  array drained;
  for (const auto& [process_id, members] : view.config.drained_processes) drained.push_back(value(process_id));
  out["drained_processes"] = std::move(drained);
  const auto spread = group::spread_of(of);
  out["counts"] = counts_document(spread.counts);
  out["balance"] = balance_document(spread.balance);
  out["commits_refused_of_strangers"] = of.soft.commits_refused_of_strangers;
  out["config"] = config_rows(view.config, view.own_config, origin_of);
  return out;
}

}  // namespace weir::http
