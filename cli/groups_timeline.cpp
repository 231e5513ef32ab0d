#include "cli/groups_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/output.hpp"
#include "http/json_writer.hpp"
#include "http/request.hpp"

namespace weir::cli {
namespace {

using http::json_value;

constexpr std::int64_t page_max = 1'000;

/// ` by x` and so on, nothing without a value.
std::string if_there(std::string_view words, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("{}{}", words, text);
}

std::string changes(const json_value& event) {
  std::string out;
  for (const json_value& one : items_at(event, "changes")) {
    const auto old = shown_at(one, "old");
    const auto now = shown_at(one, "new");
    out += fmt::format("    {}: {} -> {}\n", shown_at(one, "what"), old.empty() ? "none" : old,
                       now.empty() ? "none" : now);
  }
  return out;
}

std::string moved(const json_value& event) {
  std::string out;
  for (const json_value& one : items_at(event, "moved")) {
    const auto from = shown_at(one, "from");
    const auto to = shown_at(one, "to");
    out += fmt::format("    {} {}: {} -> {}\n", shown_at(one, "role"), shown_at(one, "task"),
                       from.empty() ? "nobody" : from, to.empty() ? "nobody" : to);
  }
  if (plain_at(event, "moved_truncated") == "true") out += "    ... and more\n";
  return out;
}

std::string stability(const json_value& event) {
  const auto took = shown_at(event, "stable_after_ms");
  if (took.empty()) return {};
  return fmt::format("    stable after {} ms{}{}\n", took, if_there(", last was ", shown_at(event, "last_member")),
                     if_there(": ", shown_at(event, "last_reason")));
}

}  // namespace

std::string event_text(const json_value& event, bool moves) {
  std::string out = fmt::format(
      "{}  {}  group {}, assignment {}{}{}\n", shown_at(event, "time"), shown_at(event, "cause"),
      shown_at(event, "group_epoch"), shown_at(event, "assignment_epoch"),
      if_there("  member ", shown_at(event, "member_id")), if_there("  by ", shown_at(event, "by")));
  if (const auto detail = shown_at(event, "detail"); !detail.empty()) out += fmt::format("    {}\n", detail);
  out += changes(event);
  const auto count = shown_at(event, "tasks_moved");
  if (!count.empty() && count != "0") {
    out += fmt::format("    {} tasks moved{}\n", count, if_there(", assignor ", shown_at(event, "assignor")));
  }
  if (moves) out += moved(event);
  return out + stability(event);
}

/// One document, of however many pages.
std::string timeline_document(http::json_items items, std::string next) {
  json_value end;
  if (!next.empty()) end.value = std::move(next);
  json_value body;
  body.value = http::json_members{{"items", {.value = std::move(items)}}, {"next", std::move(end)}};
  return http::json_text(body) + "\n";
}

result<std::string> show_timeline(const timeline_options& options) {
  std::string out;
  http::json_items items;
  std::string after;
  for (std::int64_t left = options.limit; left > 0;) {
    auto target = fmt::format("{}?limit={}", group_path({options.group, "timeline"}), std::min(left, page_max));
    if (!options.cause.empty()) target += "&cause=" + http::percent_encode(options.cause);
    if (!after.empty()) target += "&after=" + http::percent_encode(after);
    const auto body = fetch(options, target);
    if (!body) return body;
    const auto page = read_list_answer(*body, "items");
    if (!page) return tl::unexpected(page.error());
    const auto& events = items_at(*page, "items");
    for (const json_value& event : events) {
      if (options.json) {
        items.push_back(event);
      } else {
        out += event_text(event, options.moves);
      }
    }
    left -= static_cast<std::int64_t>(events.size());
    after = plain_at(*page, "next");
    if (after.empty() || events.empty()) break;
  }
  if (options.json) return timeline_document(std::move(items), std::move(after));
  return out.empty() ? std::string("no events\n") : out;
}

}  // namespace weir::cli
