#include "http/resources/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "assignor/registry.hpp"
#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"
#include "http/resources/config_body.hpp"
#include "http/resources/group_json.hpp"
#include "http/resources/viewed.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;

response config_document(const std::string& group_id, const group::overrides& own,
                         const actors::coordinator_options& options, const origin_lookup& origin_of) {
  object overrides;
  for (const auto& [name, value] : own) overrides[name] = value;
  auto out = json_response(object{{"group_id", group_id},
                                  {"config", config_rows(group::effective(own, options.broker), own, origin_of)},
                                  {"overrides", std::move(overrides)}});
  out.headers.emplace_back("ETag", fmt::format("\"{}\"", group::config_tag(own)));
  return out;
}

/// The tag between its quotes, or `*`. A weak one fits nothing (RFC 9110, 13.1.1).
result<std::optional<std::string>> wanted_tag(const request& asked) {
  if (!asked.if_match || *asked.if_match == "*") return asked.if_match;
  std::string_view tag = *asked.if_match;
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"' || tag.find(',') != std::string_view::npos) {
    return fail("If-Match must be * or one ETag in quotes, as an answer has it");
  }
  return std::string(tag.substr(1, tag.size() - 2));
}

/// PUT and PATCH by their body, DELETE without one.
result<group::config_change> read_change(const request& asked) {
  group::config_change change;
  if (asked.method != "DELETE") {
    const auto parsed = parse_json(asked.body);
    if (!parsed) return tl::unexpected(parsed.error());
    std::vector<std::string> problems;
    auto read = read_config(*parsed, {}, problems);
    if (!read) return fail(joined(problems));
    change = *std::move(read);
  }
  change.replaces = asked.method != "PATCH";
  auto tag = wanted_tag(asked);
  if (!tag) return tl::unexpected(tag.error());
  change.only_if = *std::move(tag);
  return change;
}

class config_resource {
 public:
  config_resource(actors::coordinator& groups, origin_lookup origin_of, planner* plans)
      : groups_(groups), origin_of_(std::move(origin_of)), plans_(plans) {}

  void show(const call& at, const respond& answer) const {
    const auto& id = at.captures.front();
    groups_.config(id, [self = *this, id, answer](const group::overrides& own) {
      answer(config_document(id, own, self.groups_.options(), self.origin_of_));
    });
  }

  void change(const call& at, const respond& answer) const {
    const auto refuse = [&](const error& why) {
      answer(problem(400, why.message, protocol::error_code::invalid_request));
    };
    auto change = read_change(at.request);
    if (!change) return refuse(change.error());
    const auto dry_run = is_dry_run(at.request);
    if (!dry_run) return refuse(dry_run.error());
    const auto& id = at.captures.front();
    if (*dry_run) {
      group::what_if_question asked;
      asked.config = *std::move(change);
      return plans_->answer(id, std::move(asked), answer);
    }
    groups_.administer({id, at.by, actors::change_settings{*std::move(change)}},
                       [self = *this, id, answer](const actors::admin_result& done) {
                         if (!done) return answer(refused_change(done.error()));
                         answer(config_document(id, done->overrides, self.groups_.options(), self.origin_of_));
                       });
  }

 private:
  actors::coordinator& groups_;
  origin_lookup origin_of_;
  planner* plans_;
};

/// What every group has that says nothing else.
response defaults(const actors::coordinator_options& options, const origin_lookup& origin_of) {
  const auto standard = group::effective({}, options.broker);
  array rows;
  for (const group::group_config_key& key : group::group_config_keys()) {
    rows.push_back(object{{"name", key.broker_name},
                          {"group_name", key.name},
                          {"value", group::value_text(standard, key.name)},
                          {"origin", origin_of(key.broker_name)}});
  }
  return json_response(object{{"config", std::move(rows)}});
}

response assignors(const actors::coordinator_options& options) {
  const auto& offered = options.broker.assignors;
  array items;
  for (const auto name : assignor::registry::built_in().names()) {
    const bool is_offered = std::ranges::find(offered, name) != offered.end();
    items.push_back(object{{"name", name},
                           {"description", assignor::description_of(name)},
                           {"default", is_offered && offered.front() == name},
                           {"offered", is_offered}});
  }
  return json_response(object{{"items", std::move(items)}, {"next", nullptr}});
}

}  // namespace

void add_config(router& to, actors::coordinator& groups, const origin_lookup& origin_of,
                planner* plans) {
  const config_resource of_group(groups, origin_of, plans);
  static constexpr std::string_view path = "/v1/groups/{group}/config";
  to.add("GET", path, [of_group](const call& at, const respond& answer) { of_group.show(at, answer); });
  for (const auto* method : {"PUT", "PATCH", "DELETE"}) {
    to.add(method, path, [of_group](const call& at, const respond& answer) { of_group.change(at, answer); });
  }
  to.add("GET", "/v1/config", [&groups, origin_of](const call& /*at*/, const respond& answer) {
    answer(defaults(groups.options(), origin_of));
  });
  to.add("GET", "/v1/assignors",
         [&groups](const call& /*at*/, const respond& answer) { answer(assignors(groups.options())); });
}

}  // namespace weir::http
