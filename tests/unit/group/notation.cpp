#include "tests/unit/group/notation.hpp"

#include <charconv>
#include <set>

namespace weir::group {

using response_type = protocol::streams_group_heartbeat_response;

namespace {

std::string ranges(const std::set<std::int32_t>& partitions) {
  std::string text;
  for (auto first = partitions.begin(); first != partitions.end();) {
    auto last = first;
    while (std::next(last) != partitions.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    if (last != first) text += (std::next(first) == last ? "," : "-") + std::to_string(*last);
    first = std::next(last);
  }
  return text;
}

std::string show_role(char role, const task_set& tasks) {
  std::string text;
  for (const auto& [subtopology, partitions] : tasks) {
    text += (text.empty() ? "" : ";") + subtopology + ":" + ranges(partitions);
  }
  return text.empty() ? "" : std::string(1, role) + "{" + text + "}";
}

task_set from_wire(const std::vector<response_type::task_ids_data>& list) {
  task_set set;
  for (const auto& entry : list) {
    set[entry.subtopology_id.str()].insert(entry.partitions.begin(), entry.partitions.end());
  }
  return set;
}

std::string topics(const std::vector<response_type::topic_partition_data>& list) {
  std::string text;
  for (const auto& entry : list) {
    text += (text.empty() ? "" : " ") + entry.topic.str() + " " +
            ranges(std::set<std::int32_t>(entry.partitions.begin(), entry.partitions.end()));
  }
  return text;
}

std::string state_name(member_state state) {
  switch (state) {
    case member_state::stable: return "STABLE";
    case member_state::unrevoked_tasks: return "UNREVOKED";
    case member_state::unreleased_tasks: return "UNRELEASED";
    case member_state::unknown: return "UNKNOWN";
  }
  return "?";
}

}  // namespace

task_set tasks(std::string_view text) {
  task_set set;
  for (auto part : parts(text, ';')) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    auto& partitions = set[std::string(part.substr(0, part.find(':')))];
    for (auto item : parts(part.substr(part.find(':') + 1), ',')) {
      const auto dash = item.find('-');
      const int first = number(item.substr(0, dash));
      const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
      for (int p = first; p <= last; ++p) partitions.insert(p);
    }
  }
  std::erase_if(set, [](const auto& entry) { return entry.second.empty(); });
  return set;
}

task_epochs tasks_at(std::string_view text, std::int32_t epoch) {
  task_epochs set;
  for (const auto& [subtopology, partitions] : tasks(text)) {
    for (auto partition : partitions) set[subtopology][partition] = epoch;
  }
  return set;
}

std::string show(const role_tasks& tasks) {
  std::string text;
  for (const auto& role : {show_role('A', tasks.active), show_role('S', tasks.standby), show_role('W', tasks.warmup)}) {
    if (!role.empty()) text += (text.empty() ? "" : " ") + role;
  }
  return text.empty() ? "{}" : text;
}

std::string show(const response_type& answer) {
  if (answer.error_code != 0) return "error " + std::to_string(answer.error_code);
  std::string text = "ep " + std::to_string(answer.member_epoch) + ", ";
  const int lists =
      answer.active_tasks.has_value() + answer.standby_tasks.has_value() + answer.warmup_tasks.has_value();
  if (lists == 0) text += "-";
  if (lists == 1 || lists == 2) text += "MIXED";
  if (lists == 3) {
    text += show(role_tasks{.active = from_wire(*answer.active_tasks),
                            .standby = from_wire(*answer.standby_tasks),
                            .warmup = from_wire(*answer.warmup_tasks)});
  }
  std::string codes;
  for (const auto& status : *answer.status) codes += (codes.empty() ? "" : ",") + std::to_string(status.status_code);
  return text + ", [" + codes + "]";
}

std::string show_endpoints(const response_type& answer) {
  auto text = std::to_string(answer.endpoint_information_epoch) + ", ";
  if (!answer.partitions_by_user_endpoint) return text + "null";
  std::string list;
  for (const auto& entry : *answer.partitions_by_user_endpoint) {
    list += (list.empty() ? "" : "; ") + entry.user_endpoint.host.str() + ": ";
    const auto active = topics(entry.active_partitions);
    const auto standby = topics(entry.standby_partitions);
    list += active.empty() && standby.empty() ? "nothing" : active;
    if (!standby.empty()) list += (active.empty() ? "standby " : " standby ") + standby;
  }
  return text + "[" + list + "]";
}

std::string show(const current_assignment& current) {
  auto shown = state_name(current.state) + " " + std::to_string(current.member_epoch) + "/" +
               std::to_string(current.previous_member_epoch) + " " + show(without_epochs(current.assigned));
  if (!current.pending_revocation.empty()) shown += " pending " + show(without_epochs(current.pending_revocation));
  return shown;
}

std::string show_types(const records& written) {
  std::string types;
  for (const auto& r : written) {
    types += (types.empty() ? "" : " ") + std::to_string(type_of(r)) + (is_tombstone(r) ? "t" : "");
  }
  return types;
}

int number(std::string_view text) {
  int value = 0;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const auto at = text.find(separator);
    if (at != 0) list.push_back(text.substr(0, at));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  return list;
}

}  // namespace weir::group
