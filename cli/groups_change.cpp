#include "cli/groups_change.hpp"

#include <fmt/format.h>

#include "cli/groups_plan.hpp"
#include "cli/output.hpp"

namespace weir::cli {
namespace {

/// Sends the change and prints the plan or, by `tell`, what became of it. What is answered to a change of settings has
/// `config`, to any other one `group_epoch`.
template <class Tell>
result<std::string> carry_out(const change_options& options, std::string_view method, std::string target,
                              std::string body, Tell tell) {
  const std::string_view made = target.ends_with("/config") ? "config" : "group_epoch";
  if (options.dry_run) target += "?dry_run=true";
  auto answer = change(options, method, target, std::move(body));
  if (!answer) return answer;
  const auto document = read_answer(*answer, options.dry_run ? "moved" : made);
  if (!document) return tl::unexpected(document.error());
  if (options.json) return answer;
  return options.dry_run ? plan_text(*document) : tell(*document);
}

}  // namespace

result<std::string> config_body(const change_options& options) {
  std::string body = "{";
  const auto add = [&body](std::string_view name, std::string_view value) {
    body += fmt::format("{}{}:{}", body.size() == 1 ? "" : ",", json_quoted(name), value);
  };
  for (const auto& text : options.values) {
    const auto pair = name_and_value(text);
    if (!pair) return tl::unexpected(pair.error());
    add(pair->first, json_quoted(pair->second));
  }
  for (const auto& name : options.unset) add(name, "null");
  return body + "}";
}

result<std::string> set_config(const change_options& options) {
  auto body = config_body(options);
  if (!body) return body;
  const auto tell = [](const http::json_value& document) {
    table out({"SETTING", "VALUE", "FROM"});
    for (const auto& one : items_at(document, "config")) {
      out.add({plain_at(one, "name"), plain_at(one, "value"), plain_at(one, "origin")});
    }
    return out.text();
  };
  return carry_out(options, options.replace ? "PUT" : "PATCH", group_path({options.group, "config"}), *std::move(body),
                   tell);
}

result<std::string> set_defaults(const change_options& options) {
  static constexpr std::string_view path = "/v1/config";
  const bool shows = options.values.empty() && options.unset.empty() && !options.replace;
  auto body = config_body(options);
  if (!body) return body;
  const auto target = std::string(path) + (options.dry_run ? "?dry_run=true" : "");
  auto answer = shows ? fetch(options, std::string(path))
                      : change(options, options.replace ? "PUT" : "PATCH", target, *std::move(body));
  if (!answer) return answer;
  const auto document = read_list_answer(*answer, "config");
  if (!document) return tl::unexpected(document.error());
  if (options.json) return answer;
  return defaults_text(*document, options.dry_run && !shows);
}

std::string defaults_text(const http::json_value& document, bool dry_run) {
  table settings({"SETTING", "VALUE", "FROM"});
  for (const auto& one : items_at(document, "config")) {
    settings.add({plain_at(one, "group_name"), plain_at(one, "value"), plain_at(one, "origin")});
  }
  std::string out = settings.text();
  if (const auto total = shown_at(document, "groups_total"); !total.empty()) {
    out += fmt::format("\nGroups that {} another assignment: {}", dry_run ? "would get" : "get", total);
    for (const auto& id : items_at(document, "groups")) out += "\n  " + printable(id.plain());
    out += "\n";
  }
  table changes({"TIME", "BY", "SETTING", "OLD", "NEW"});
  for (const auto& change : items_at(document, "history")) {
    for (const auto& field : items_at(change, "changes")) {
      changes.add({plain_at(change, "time"), plain_at(change, "by"), plain_at(field, "what"), plain_at(field, "old"),
                   plain_at(field, "new")});
    }
  }
  return items_at(document, "history").empty() ? out : out + "\n" + changes.text();
}

result<std::string> rebalance_group(const change_options& options) {
  return carry_out(options, "POST", group_path({options.group, "rebalance"}), "{}", [](const auto& document) {
    return fmt::format("the group is at epoch {} now\n", shown_at(document, "group_epoch"));
  });
}

result<std::string> remove_member(const change_options& options) {
  const auto path = group_path({options.group, "members", options.member, "remove"});
  return carry_out(options, "POST", path, "{}", [&](const auto& document) {
    return fmt::format("member {} is out of the group, which is at epoch {} now\n", shown_at(document, "member_id"),
                       shown_at(document, "group_epoch"));
  });
}

result<std::string> drain_process(const change_options& options) {
  const auto path = group_path({options.group, "processes", options.process, "drain"});
  return carry_out(options, options.undo ? "DELETE" : "POST", path, options.undo ? "" : "{}",
                   [&](const auto& document) {
                     return fmt::format("process {} {}; the group is at epoch {} now\n", printable(options.process),
                                        options.undo ? "gets tasks again"
                                                     : "gets no tasks; stop it when `weir groups describe` shows none",
                                        shown_at(document, "group_epoch"));
                   });
}

result<std::string> delete_group(const change_options& options) {
  auto gone = change(options, "DELETE", group_path({options.group}), {});
  if (!gone || options.json) return gone;
  return fmt::format("group {} is deleted\n", printable(options.group));
}

}  // namespace weir::cli
