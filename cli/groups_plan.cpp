#include "cli/groups_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.hpp"

namespace weir::cli {
namespace {

using http::json_value;

std::string json_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& one : texts) out += (out.size() == 1 ? "" : ",") + json_quoted(one);
  return out + "]";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// {"name":value,...} of name=value texts; numbers stay bare if they must be some.
result<std::string> json_object(const std::vector<std::string>& texts, bool numbers) {
  std::string out = "{";
  for (const auto& one : texts) {
    const auto pair = name_and_value(one);
    if (!pair) return tl::unexpected(pair.error());
    if (numbers && !is_number(pair->second)) return fail(fmt::format("'{}' is not TOPIC=COUNT", one));
    out += fmt::format("{}{}:{}", out.size() == 1 ? "" : ",", json_quoted(pair->first),
                       numbers ? pair->second : json_quoted(pair->second));
  }
  return out + "}";
}

result<std::string> added_members(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& one : texts) {
    const auto equals = one.rfind('=');
    const auto process = one.substr(0, equals);
    const auto count = equals == std::string::npos ? std::string("1") : one.substr(equals + 1);
    if (process.empty() || !is_number(count)) return fail(fmt::format("'{}' is not PROCESS or PROCESS=MEMBERS", one));
    out += fmt::format("{}{{\"process_id\":{},\"count\":{}}}", out.size() == 1 ? "" : ",", json_quoted(process), count);
  }
  return out + "]";
}

std::string moves_table(const json_value& plan) {
  table out({"TASK", "ROLE", "FROM", "TO", "RESTORE"});
  for (const json_value& move : items_at(plan, "moved")) {
    out.add({plain_at(move, "task"), plain_at(move, "role"), plain_at(move, "from"), plain_at(move, "to"),
             plain_at(move, "restore")});
  }
  return items_at(plan, "moved").empty() ? "nothing moves\n" : out.text();
}

std::string figures_table(const json_value& plan) {
  const json_value* before = plan.find("before");
  const json_value* after = plan.find("after");
  static const json_value none;
  table out({"FIGURE", "BEFORE", "AFTER"});
  for (const auto* name : {"activePerMemberMin", "activePerMemberMax", "totalPerMemberMax", "activePerProcessMin",
                           "activePerProcessMax", "standbyPlaced", "coldStatefulActive"}) {
    out.add({name, plain_at(before == nullptr ? none : *before, name),
             plain_at(after == nullptr ? none : *after, name)});
  }
  return out.text();
}

}  // namespace

result<std::string> what_if_body(const what_if_options& options) {
  const auto config = json_object(options.values, false);
  if (!config) return config;
  const auto partitions = json_object(options.partitions, true);
  if (!partitions) return partitions;
  const auto added = added_members(options.added);
  if (!added) return added;
  const auto assignor = options.assignor.empty() ? std::string("null") : json_quoted(options.assignor);
  return fmt::format(
      "{{\"assignor\":{},\"config\":{},\"add_members\":{},\"remove_members\":{},\"remove_processes\":{},"
      "\"drain_processes\":{},\"partitions\":{}}}",
      assignor, *config, *added, json_list(options.removed_members), json_list(options.removed_processes),
      json_list(options.drained_processes), *partitions);
}

std::string plan_text(const json_value& plan) {
  const auto restore = shown_at(plan, "state_to_restore");
  const auto unknown = shown_at(plan, "restores_unknown");
  std::string out = fmt::format("Assignor:     {}\nEpoch:        {}\nMoves:        {} active tasks\n",
                                shown_at(plan, "assignor"), shown_at(plan, "group_epoch"),
                                shown_at(plan, "tasks_moved"));
  out += fmt::format("To restore:   {} offsets{}\n", restore.empty() ? "an unknown number of" : restore,
                     unknown.empty() || unknown == "0" ? "" : fmt::format(", and {} copies of unknown size", unknown));
  if (const auto waiting = shown_at(plan, "waiting"); !waiting.empty() && waiting != "0") {
    out += fmt::format("Warm-up:      {} tasks move once they are warm\n", waiting);
  }
  for (const json_value& warning : items_at(plan, "warnings")) {
    out += fmt::format("Note:         {}\n", printable(warning.plain()));
  }
  return out + fmt::format("\n{}\n{}", moves_table(plan), figures_table(plan));
}

result<std::string> what_if_group(const what_if_options& options) {
  auto body = what_if_body(options);
  if (!body) return body;
  auto answer = change(options, "POST", group_path({options.group, "what-if"}), *std::move(body));
  if (!answer) return answer;
  const auto plan = read_list_answer(*answer, "moved");
  if (!plan) return tl::unexpected(plan.error());
  return options.json ? *std::move(answer) : plan_text(*plan);
}

}  // namespace weir::cli
