#include "cli/groups.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "cli/output.hpp"
#include "http/json_writer.hpp"
#include "http/request.hpp"

namespace weir::cli {
namespace {

using http::json_value;

/// How many, and the error of the last one.
std::string refused_commits(const json_value* commits) {
  if (commits == nullptr) return {};
  const auto count = plain_at(*commits, "refused");
  const json_value* last = commits->find("last_refused");
  const auto error = last == nullptr ? std::string() : plain_at(*last, "error");
  return error.empty() ? count : fmt::format("{} {}", count, error);
}

std::string member_table(const json_value& group) {
  table out({"MEMBER", "PROCESS", "HOST", "EPOCH", "STATE", "ACTIVE", "STANDBY", "WARMUP", "TARGET", "COMMITS",
             "REFUSED"});
  static const json_value none;
  for (const json_value& member : items_at(group, "members")) {
    const json_value* assigned = member.find("assigned");
    const json_value* target = member.find("target");
    const json_value* commits = member.find("commits");
    const json_value& holds = assigned == nullptr ? none : *assigned;
    out.add({plain_at(member, "member_id"), plain_at(member, "process_id"), plain_at(member, "client_host"),
             plain_at(member, "member_epoch"), plain_at(member, "state"), tasks_at(holds, "active"),
             tasks_at(holds, "standby"), tasks_at(holds, "warmup"),
             tasks_at(target == nullptr ? none : *target, "active"),
             plain_at(commits == nullptr ? none : *commits, "accepted"), refused_commits(commits)});
  }
  return out.text();
}

std::string config_table(const json_value& group) {
  table out({"SETTING", "VALUE", "FROM"});
  for (const json_value& one : items_at(group, "config")) {
    out.add({plain_at(one, "name"), plain_at(one, "value"), plain_at(one, "origin")});
  }
  return out.text();
}

std::string timeline_table(const json_value& group) {
  table out({"TIME", "EPOCH", "CAUSE", "MEMBER", "MOVED", "DETAIL"});
  for (const json_value& one : items_at(group, "timeline")) {
    out.add({plain_at(one, "time"), plain_at(one, "group_epoch"), plain_at(one, "cause"), plain_at(one, "member_id"),
             plain_at(one, "tasks_moved"), plain_at(one, "detail")});
  }
  return out.text();
}

std::string group_text(const json_value& group) {
  std::string out = fmt::format("Group:        {}\n", shown_at(group, "group_id"));
  out += fmt::format("State:        {}\n", shown_at(group, "state"));
  for (const json_value& reason : items_at(group, "waiting_for")) {
    out += fmt::format("Waiting for:  {}\n", printable(reason.plain()));
  }
  if (const auto type = shown_at(group, "type"); type != "streams") {
    return out + fmt::format("Type:         {}: members and offsets are for Kafka's tools to show\n", type);
  }
  out += fmt::format("Epochs:       group {}, assignment {}, topology {}\n", shown_at(group, "group_epoch"),
                     shown_at(group, "assignment_epoch"), shown_at(group, "topology_epoch"));
  if (const json_value* counts = group.find("counts"); counts != nullptr) {
    out += fmt::format("Tasks:        {} of {} active, {} standby, {} warm-up; {} threads in {} processes\n",
                       shown_at(*counts, "active"), shown_at(*counts, "tasks"), shown_at(*counts, "standby"),
                       shown_at(*counts, "warmup"), shown_at(*counts, "members"), shown_at(*counts, "processes"));
  }
  if (const json_value* balance = group.find("balance"); balance != nullptr) {
    out += fmt::format("Balance:      {}\n", shown_at(*balance, "text"));
  }
  for (const json_value& process : items_at(group, "drained_processes")) {
    out += fmt::format("Drained:      process {}\n", printable(process.plain()));
  }
  for (const json_value& alarm : items_at(group, "alarms")) {
    out += fmt::format("Alarm:        {} {} times in {} ms {}\n", shown_at(alarm, "cause"), shown_at(alarm, "count"),
                       shown_at(alarm, "window_ms"), shown_at(alarm, "member_id"));
  }
  for (const json_value& miss : items_at(group, "near_misses")) {
    out += fmt::format("Near miss:    {} of {} after {} of {} ms, {}\n", shown_at(miss, "what"),
                       shown_at(miss, "member_id"), shown_at(miss, "after_ms"), shown_at(miss, "limit_ms"),
                       shown_at(miss, "time"));
  }
  const auto strangers = shown_at(group, "commits_refused_of_strangers");
  if (!strangers.empty() && strangers != "0") {
    out += fmt::format("Strangers:    {} commits of who is no member were refused\n", strangers);
  }
  out += fmt::format("\n{}\n{}\n{}", member_table(group), config_table(group), timeline_table(group));
  return out;
}

void add_rows(table& to, const json_value& page) {
  for (const json_value& row : items_at(page, "items")) {
    to.add({plain_at(row, "group_id"), plain_at(row, "type"), plain_at(row, "state"), plain_at(row, "group_epoch"),
            plain_at(row, "assignment_epoch"), plain_at(row, "members"), plain_at(row, "active_tasks"),
            plain_at(row, "standby_tasks"), plain_at(row, "warmup_tasks"), plain_at(row, "reason")});
  }
}

}  // namespace

result<std::string> list_groups(const groups_options& options) {
  const std::string query = fmt::format("/v1/groups?limit=1000&state={}&prefix={}", http::percent_encode(options.state),
                                        http::percent_encode(options.prefix));
  table rows({"GROUP", "TYPE", "STATE", "EPOCH", "ASSIGNED", "MEMBERS", "ACTIVE", "STANDBY", "WARMUP",
              "REASON"});
  std::optional<json_value> all;  // the first page, then with the groups of the others
  http::json_items items;
  std::string after;
  std::set<std::string> seen;
  for (;;) {
    const auto page = fetch_page(options, query, after);
    if (!page) return tl::unexpected(page.error());
    if (!all) all = *page;
    const auto& more = items_at(*page, "items");
    if (options.json) items.insert(items.end(), more.begin(), more.end());
    add_rows(rows, *page);
    after = plain_at(*page, "next");
    if (after.empty()) break;
    if (items_at(*page, "items").empty() || !seen.insert(after).second) {
      return fail("the pages of the answer come to no end: is that a Weir?");
    }
  }
  if (!options.json) return rows.text();
  return http::json_text(joined_pages(*std::move(all), std::move(items))) + "\n";
}

result<std::string> describe_group(const groups_options& options) {
  auto body = fetch(options, "/v1/groups/" + http::percent_encode(options.group));
  if (!body) return body;
  const auto group = read_answer(*body, "group_id");
  if (!group) return tl::unexpected(group.error());
  return options.json ? *std::move(body) : group_text(*group);
}

}  // namespace weir::cli
