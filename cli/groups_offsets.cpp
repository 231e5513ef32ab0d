#include "cli/groups_offsets.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "cli/output.hpp"
#include "http/json_writer.hpp"
#include "http/request.hpp"

namespace weir::cli {
namespace {

using http::json_value;

std::string partition_table(const json_value& document) {
  table out({"TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "TASK", "MEMBER", "NOTE"});
  for (const json_value& one : items_at(document, "items")) {
    out.add({plain_at(one, "topic"), plain_at(one, "partition"), plain_at(one, "committed_offset"),
             plain_at(one, "end_offset"), plain_at(one, "lag"), plain_at(one, "task"), plain_at(one, "member_id"),
             plain_at(one, "reason")});
  }
  return items_at(document, "items").empty() ? "no partitions\n" : out.text();
}

std::string sum_table(const json_value& document) {
  table out({"SUBTOPOLOGY", "PARTITIONS", "LAG", "UNKNOWN"});
  for (const json_value& one : items_at(document, "subtopologies")) {
    out.add({plain_at(one, "subtopology_id"), plain_at(one, "partitions"), plain_at(one, "lag"),
             plain_at(one, "without_lag")});
  }
  if (const json_value* total = document.find("total"); total != nullptr) {
    out.add({"all", plain_at(*total, "partitions"), plain_at(*total, "lag"), plain_at(*total, "without_lag")});
  }
  return out.text();
}

result<json_value> page_of(const offsets_options& options, int limit, const std::string& after) {
  auto target = fmt::format("{}?limit={}", group_path({options.group, "offsets"}), limit);
  if (!options.topic.empty()) target += "&topic=" + http::percent_encode(options.topic);
  return fetch_page(options, target, after);
}

result<json_value> all_pages(const offsets_options& options) {
  constexpr int page_most = 1'000;
  auto first = page_of(options, page_most, {});
  if (!first) return first;
  auto items = items_at(*first, "items");
  std::set<std::string> seen;
  for (auto next = plain_at(*first, "next"); !next.empty();) {
    const auto page = page_of(options, page_most, next);
    if (!page) return page;
    const auto& rows = items_at(*page, "items");
    if (rows.empty() || !seen.insert(next).second) {
      return fail("the pages of the answer come to no end: is that a Weir?");
    }
    items.insert(items.end(), rows.begin(), rows.end());
    next = plain_at(*page, "next");
  }
  return joined_pages(*std::move(first), std::move(items));
}

}  // namespace

std::string offsets_text(const json_value& document, bool summary) {
  std::string out;
  if (const auto problem = shown_at(document, "problem"); !problem.empty()) {
    out += fmt::format("Not everything is known: {}\n\n", problem);
  }
  if (!summary) out += partition_table(document) + "\n";
  out += sum_table(document);
  const auto left_out = shown_at(document, "left_out");
  if (!left_out.empty() && left_out != "0") {
    out += fmt::format("{} further partitions are left out: ask for one topic with --topic\n", left_out);
  }
  return out;
}

result<std::string> show_offsets(const offsets_options& options) {
  auto document = options.summary ? page_of(options, 1, {}) : all_pages(options);
  if (!document) return tl::unexpected(document.error());
  if (options.summary) document = joined_pages(*std::move(document), {});
  return options.json ? http::json_text(*document) + "\n" : offsets_text(*document, options.summary);
}

}  // namespace weir::cli
