#include "http/resources/offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

#include "group/waiting_for.hpp"
#include "http/cursor.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/// Between topic and partition in a cursor; no topic has it in its name.
constexpr char partition_mark = '\x1e';

/// The partition that the page before ended with.
struct place {
  std::string topic;
  std::int32_t partition = -1;
};

struct lag_question {
  std::string group_id;
  std::string only_topic;
  page wanted;
  place after;
};

result<lag_question> read_question(const call& at) {
  lag_question out;
  out.group_id = at.captures.front();
  const auto topic = at.request.parameter("topic");
  if (topic && topic->empty()) return fail("'topic' is empty");
  out.only_topic = topic.value_or("");
  auto wanted = read_page(at.request, fmt::format("offsets\x1f{}\x1f{}", out.group_id, out.only_topic));
  if (!wanted) return tl::unexpected(wanted.error());
  out.wanted = *std::move(wanted);
  const std::string_view after = out.wanted.after;
  if (after.empty()) return out;
  const auto mark = after.rfind(partition_mark);
  if (mark != std::string_view::npos) {
    const auto* const end = after.data() + after.size();
    const auto [stopped, error] = std::from_chars(after.data() + mark + 1, end, out.after.partition);
    out.after.topic = after.substr(0, mark);
    if (error == std::errc() && stopped == end) return out;
  }
  return fail("'after' is not a cursor of this query: use 'next' of the page before");
}

value sum(const group::lag_sum& of) { return of.unknown == of.partitions ? value() : value(of.lag); }

object sum_document(const group::lag_sum& of) {
  return {{"partitions", of.partitions}, {"lag", sum(of)}, {"without_lag", of.unknown}};
}

object partition_document(const group::read_partition& of) {
  object out{{"topic", of.topic}, {"partition", of.partition}};
  const auto& committed = of.committed;
  const bool has_epoch = committed && committed->leader_epoch >= 0;
  out["committed_offset"] = committed ? value(committed->offset) : value();
  out["leader_epoch"] = has_epoch ? value(committed->leader_epoch) : value();
  out["metadata"] = committed ? value(committed->metadata) : value();
  out["end_offset"] = or_null(of.end_offset);
  out["lag"] = or_null(of.lag);
  out["reason"] = or_null(of.reason);
  const bool is_read = !of.subtopology_id.empty();
  out["task"] = is_read ? value(group::task_name(of.subtopology_id, of.partition)) : value();
  out["member_id"] = or_null(of.member_id);
  return out;
}

void add_page(object& to, const lag_question& asked, const group::input_lag& lag) {
  const auto& all = lag.partitions;
  const auto of = [](const auto& one) { return std::tie(one.topic, one.partition); };
  auto row = asked.wanted.after.empty() ? all.begin() : std::ranges::upper_bound(all, of(asked.after), {}, of);
  array items;
  for (; row != all.end() && items.size() < asked.wanted.limit; ++row) items.push_back(partition_document(*row));
  const bool is_last = row == all.end() || items.empty();
  to["items"] = std::move(items);
  to["next"] = is_last ? value()
                       : value(asked.wanted.next(fmt::format("{}{}{}", std::prev(row)->topic, partition_mark,
                                                             std::prev(row)->partition)));
}

response lag_response(const lag_question& asked, const group::input_lag& lag, std::int64_t at_ms,
                      const std::string& trouble) {
  if (!asked.only_topic.empty() && lag.partitions.empty() && trouble.empty()) {
    return problem(404, fmt::format("group '{}' reads no partition of a topic '{}', and has committed none",
                                    asked.group_id, asked.only_topic));
  }
  object body{{"group_id", asked.group_id}, {"as_of", utc_time(at_ms)}, {"problem", or_null(trouble)}};
  body["total"] = sum_document(lag.total);
  array parts;
  for (const auto& [id, of] : lag.by_subtopology) {
    auto part = sum_document(of);
    part["subtopology_id"] = id;
    parts.push_back(std::move(part));
  }
  body["subtopologies"] = std::move(parts);
  body["left_out"] = lag.left_out;
  add_page(body, asked, lag);
  return json_response(body);
}

/// Why it may not be complete; empty: it is.
std::string trouble_in(const group::told_offsets& told, const group::streams_group& group) {
  auto words = told.problem;
  if (const auto patterns = group::words_for_patterns(group); !patterns.empty()) {
    words += (words.empty() ? "waits for " : "; waits for ") + patterns;
  }
  return words;
}

struct offset_parts {
  actors::coordinator& groups;
  upstream_offsets* upstream;
};

metadata::image_ptr image_now(const actors::coordinator& groups) {
  auto image = groups.image();
  return image != nullptr ? image : std::make_shared<const metadata::image>();
}

/// The topics that the upstream is asked about.
std::vector<std::string> topics_to_ask(const group::streams_group& group) {
  const auto topics = group::topics_read(group);
  return {topics.begin(), topics.end()};
}

void tell(const lag_question& asked, const group_view_ptr& view, const metadata::image_ptr& image,
          const group::told_offsets_ptr& told, const respond& answer) {
  at_leisure(answer, [=] {
    const auto known = told != nullptr ? told
                                       : std::make_shared<const group::told_offsets>(
                                             group::own_offsets(view->group, *image, view->now_ms));
    answer(lag_response(asked, group::lag_of_input(view->group, *image, *known, asked.only_topic), known->at_ms,
                        trouble_in(*known, view->group)));
  });
}

/// The group is shown as it is when the upstream has answered: a view that waits for it would keep a copy of the group.
void ask_upstream(const offset_parts& parts, const lag_question& asked, std::vector<std::string> topics,
                  const respond& answer) {
  parts.upstream->ask({.group_id = asked.group_id, .topics = std::move(topics)},
                      [parts, asked, answer](const group::told_offsets_ptr& told) {
                        with_streams_group(parts.groups, asked.group_id, answer,
                                           [parts, asked, told, answer](const group_view_ptr& view) {
                                             tell(asked, view, image_now(parts.groups), told, answer);
                                           });
                      });
}

void show(const offset_parts& parts, const call& at, const respond& answer) {
  auto asked = read_question(at);
  if (!asked) return answer(problem(400, asked.error().message));
  const auto id = asked->group_id;
  with_streams_group(parts.groups, id, answer, [parts, asked = *std::move(asked), answer](const group_view_ptr& view) {
    const auto image = image_now(parts.groups);
    if (parts.upstream == nullptr) return tell(asked, view, image, nullptr, answer);
    at_leisure(answer, [parts, asked, answer, view] {
      ask_upstream(parts, asked, topics_to_ask(view->group), answer);
    });
  });
}

}  // namespace

void add_offsets(router& to, actors::coordinator& groups, upstream_offsets* upstream) {
  const offset_parts parts{groups, upstream};
  to.add("GET", "/v1/groups/{group}/offsets",
         [parts](const call& at, const respond& answer) { show(parts, at, answer); }, {"topic", "limit", "after"});
}

}  // namespace weir::http
