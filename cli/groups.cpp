#include "cli/groups.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "http/client.hpp"
#include "http/json_reader.hpp"
#include "http/request.hpp"

namespace weir::cli {
namespace {

using http::json_items;
using http::json_members;
using http::json_value;

std::string plain(const json_value& of, std::string_view name) {
  const json_value* found = of.find(name);
  return found == nullptr ? std::string() : found->plain();
}

const json_items& items(const json_value& of, std::string_view name) {
  static const json_items none;
  const json_value* found = of.find(name);
  const auto* list = found == nullptr ? nullptr : found->as<json_items>();
  return list == nullptr ? none : *list;
}

result<std::string> fetch(const groups_options& options, const std::string& target) {
  auto answer = http::get(options.url, target);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 200) return std::move(answer->body);
  const auto problem = http::parse_json(answer->body);
  const std::string detail = problem ? plain(*problem, "detail") : std::string();
  return fail(detail.empty() ? fmt::format("{} answered {}", options.url, answer->status) : printable(detail));
}

/// `0_1 1_0`, from {"0":[1],"1":[0]}.
std::string tasks(const json_value& roles, std::string_view role) {
  std::string out;
  const json_value* of = roles.find(role);
  const auto* by_subtopology = of == nullptr ? nullptr : of->as<json_members>();
  if (by_subtopology == nullptr) return out;
  for (const auto& [subtopology, partitions] : *by_subtopology) {
    for (const json_value& partition : *partitions.as<json_items>()) {
      out += fmt::format("{}{}_{}", out.empty() ? "" : " ", subtopology, partition.plain());
    }
  }
  return out;
}

std::string member_table(const json_value& group) {
  table out({"MEMBER", "PROCESS", "HOST", "EPOCH", "STATE", "ACTIVE", "STANDBY", "WARMUP", "TARGET"});
  static const json_value none;
  for (const json_value& member : items(group, "members")) {
    const json_value* assigned = member.find("assigned");
    const json_value* target = member.find("target");
    const json_value& holds = assigned == nullptr ? none : *assigned;
    out.add({plain(member, "member_id"), plain(member, "process_id"), plain(member, "client_host"),
             plain(member, "member_epoch"), plain(member, "state"), tasks(holds, "active"), tasks(holds, "standby"),
             tasks(holds, "warmup"), tasks(target == nullptr ? none : *target, "active")});
  }
  return out.text();
}

std::string config_table(const json_value& group) {
  table out({"SETTING", "VALUE", "FROM"});
  for (const json_value& one : items(group, "config")) {
    out.add({plain(one, "name"), plain(one, "value"), plain(one, "origin")});
  }
  return out.text();
}

std::string timeline_table(const json_value& group) {
  table out({"TIME", "EPOCH", "CAUSE", "MEMBER", "MOVED", "DETAIL"});
  for (const json_value& one : items(group, "timeline")) {
    out.add({plain(one, "time"), plain(one, "group_epoch"), plain(one, "cause"), plain(one, "member_id"),
             plain(one, "tasks_moved"), plain(one, "detail")});
  }
  return out.text();
}

std::string group_text(const json_value& group) {
  std::string out = fmt::format("Group:        {}\n", printable(plain(group, "group_id")));
  out += fmt::format("State:        {}\n", plain(group, "state"));
  for (const json_value& reason : items(group, "waiting_for")) {
    out += fmt::format("Waiting for:  {}\n", printable(reason.plain()));
  }
  if (plain(group, "type") == "classic") {
    return out + "Type:         classic: members and offsets are for Kafka's tools to show\n";
  }
  out += fmt::format("Epochs:       group {}, assignment {}, topology {}\n", plain(group, "group_epoch"),
                     plain(group, "assignment_epoch"), plain(group, "topology_epoch"));
  out += fmt::format("\n{}\n{}\n{}", member_table(group), config_table(group), timeline_table(group));
  return out;
}

void add_rows(table& to, const json_value& page) {
  for (const json_value& row : items(page, "items")) {
    to.add({plain(row, "group_id"), plain(row, "type"), plain(row, "state"), plain(row, "group_epoch"),
            plain(row, "assignment_epoch"), plain(row, "members"), plain(row, "active_tasks"),
            plain(row, "standby_tasks"), plain(row, "warmup_tasks")});
  }
}

}  // namespace

result<std::string> list_groups(const groups_options& options) {
  const std::string query = fmt::format("/v1/groups?limit=1000&state={}&prefix={}", http::percent_encode(options.state),
                                        http::percent_encode(options.prefix));
  table rows({"GROUP", "TYPE", "STATE", "EPOCH", "ASSIGNED", "MEMBERS", "ACTIVE", "STANDBY", "WARMUP"});
  std::string json;
  std::string after;
  do {
    const auto body = fetch(options, after.empty() ? query : query + "&after=" + after);
    if (!body) return body;
    const auto page = http::parse_json(*body);
    if (!page) return tl::unexpected(page.error());
    json += *body;
    add_rows(rows, *page);
    after = plain(*page, "next");
  } while (!after.empty());
  return options.json ? json : rows.text();
}

result<std::string> describe_group(const groups_options& options) {
  auto body = fetch(options, "/v1/groups/" + http::percent_encode(options.group));
  if (!body || options.json) return body;
  const auto group = http::parse_json(*body);
  if (!group) return tl::unexpected(group.error());
  return group_text(*group);
}

}  // namespace weir::cli
