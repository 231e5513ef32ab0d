#include "http/resources/event_json.hpp"

#include "group/waiting_for.hpp"
#include "http/json_writer.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr double microseconds_in_ms = 1'000;

object moved(const group::moved_task& of) {
  object out;
  out["task"] = of.task;
  out["role"] = group::name(of.role);
  out["from"] = or_null(of.from_member);
  out["to"] = or_null(of.to_member);
  return out;
}

object change(const group::field_change& of) {
  object out;
  out["what"] = of.what;
  out["old"] = of.before;
  out["new"] = of.after;
  return out;
}

object waits(const group::waiting& of) {
  object out;
  out["reason"] = group::name(of.why);
  out["member_id"] = or_null(of.member_id);
  out["blocks"] = array(of.blocks.begin(), of.blocks.end());
  out["tasks"] = array(of.tasks.begin(), of.tasks.end());
  out["holder"] = or_null(of.holder);
  out["since_ms"] = or_null(of.since_ms);
  out["ends_in_ms"] = or_null(of.ends_in_ms);
  out["lag"] = or_null(of.lag);
  out["topic"] = or_null(of.topic);
  out["expected_partitions"] = or_null(of.expected_partitions);
  out["found_partitions"] = or_null(of.found_partitions);
  out["text"] = of.text;
  return out;
}

object miss(const group::near_miss& of) {
  object out;
  out["time"] = utc_time(of.time_ms);
  out["member_id"] = of.member_id;
  out["what"] = group::name(of.what);
  out["after_ms"] = of.after_ms;
  out["limit_ms"] = of.limit_ms;
  return out;
}

object alarm(const group::loop_alarm& of) {
  object out;
  out["cause"] = group::name(of.why);
  out["member_id"] = or_null(of.member_id);
  out["count"] = of.count;
  out["window_ms"] = of.window_ms;
  out["since"] = utc_time(of.since_ms);
  return out;
}

template <class All, class Write>
array list(const All& all, Write write) {
  array out;
  for (const auto& one : all) out.push_back(write(one));
  return out;
}

}  // namespace

array changes_list(const std::vector<group::field_change>& of) { return list(of, change); }

object event_item(const group::event& of) {
  object out;
  out["index"] = of.index;
  out["time"] = utc_time(of.time_ms);
  out["cause"] = group::name(of.why);
  out["group_epoch"] = of.group_epoch;
  out["assignment_epoch"] = of.assignment_epoch;
  out["member_id"] = of.member_id;
  out["process_id"] = of.process_id;
  out["client_id"] = of.client_id;
  out["client_host"] = of.client_host;
  out["by"] = or_null(of.by);
  out["changes"] = changes_list(of.changes);
  out["detail"] = of.detail;
  out["assignor"] = of.assignor;
  out["computed_in_ms"] =
      of.computed_in_us ? value(static_cast<double>(*of.computed_in_us) / microseconds_in_ms) : value();
  out["moved"] = list(of.moved, moved);
  out["tasks_moved"] = of.tasks_moved;
  out["moved_truncated"] = of.moved_truncated;
  out["stable_after_ms"] = or_null(of.stable_after_ms);
  out["last_member"] = or_null(of.last_member);
  out["last_reason"] = of.last_reason ? value(group::name(*of.last_reason)) : value();
  return out;
}

void add_incidents(object& to, const group::group_view& view) {
  const auto& soft = view.group.soft;
  to["state_since"] = soft.state_since_ms ? value(utc_time(*soft.state_since_ms)) : value();
  const auto found = group::waits_of(view.group, view.config, view.now_ms);
  to["waiting"] = list(found, waits);
  const auto words = group::in_words(found);
  to["waiting_for"] = array(words.begin(), words.end());
  to["near_misses"] = list(soft.near_misses, miss);
  to["alarms"] = list(view.alarms, alarm);
  to["timeline"] = list(view.timeline, event_item);
}

void add_no_incidents(object& to) {
  to["state_since"] = nullptr;
  for (const auto* none : {"waiting", "waiting_for", "near_misses", "alarms", "timeline"}) to[none] = array();
}

}  // namespace weir::http
