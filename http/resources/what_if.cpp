#include "http/resources/what_if.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "base/limits.hpp"
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
using boost::json::value;

constexpr std::int64_t list_max = 1'000;

std::string optional_string(object_reader& fields, std::string_view name) {
  const auto* found = fields.field(name);
  if (found == nullptr) return {};
  const auto* text = found->as<std::string>();
  if (text == nullptr) fields.complain(name, fmt::format("must be a string, not {}", found->kind()));
  return text == nullptr ? std::string() : *text;
}

std::vector<std::string> ids(object_reader& fields, std::string_view name) {
  auto read = fields.strings(name);
  if (read.size() > static_cast<std::size_t>(list_max)) {
    fields.complain(name, fmt::format("can have at most {} entries", list_max));
  }
  return read;
}

std::map<std::string, std::string> tags(object_reader& fields) {
  std::map<std::string, std::string> out;
  const json_members* members = fields.members("client_tags");
  if (members == nullptr) return out;
  for (const auto& [key, tag] : *members) {
    const auto* text = tag.as<std::string>();
    if (text == nullptr) fields.complain("client_tags." + key, fmt::format("must be a string, not {}", tag.kind()));
    if (text != nullptr) out[key] = *text;
  }
  return out;
}

group::added_members read_added(const json_value& from, const std::string& path, std::vector<std::string>& problems) {
  group::added_members made;
  object_reader fields(from, path);
  made.process_id = fields.required_string("process_id");
  made.count = static_cast<std::int32_t>(fields.integer("count", 1, 1, group::added_members_max));
  auto rack = optional_string(fields, "rack_id");
  if (!rack.empty()) made.rack_id = std::move(rack);
  made.client_tags = tags(fields);
  for (auto& found : fields.finish()) problems.push_back(std::move(found));
  return made;
}

void read_partitions(object_reader& fields, group::what_if_question& into) {
  const json_members* members = fields.members("partitions");
  if (members == nullptr) return;
  for (const auto& [topic, count] : *members) {
    const auto* number = count.as<std::int64_t>();
    if (number == nullptr || *number < 1 || *number > limits::topic_partitions_max) {
      fields.complain("partitions." + topic,
                      fmt::format("must be an integer between 1 and {}", limits::topic_partitions_max));
    } else {
      into.partitions[topic] = static_cast<std::int32_t>(*number);
    }
  }
}

/// The question, or every problem of the body in one line. An empty body asks nothing in particular.
result<group::what_if_question> read_question(const std::string& body) {
  group::what_if_question asked;
  if (body.empty()) return asked;
  const auto parsed = parse_json(body);
  if (!parsed) return tl::unexpected(parsed.error());
  object_reader fields(*parsed);
  std::vector<std::string> problems;
  asked.assignor = optional_string(fields, "assignor");
  if (const auto* config = fields.field("config")) {
    if (auto change = read_config(*config, "config", problems)) asked.config = *std::move(change);
  }
  asked.removed_members = ids(fields, "remove_members");
  asked.removed_processes = ids(fields, "remove_processes");
  for (auto& process_id : ids(fields, "drain_processes")) asked.drains[std::move(process_id)] = true;
  if (const json_items* added = fields.items("add_members")) {
    if (added->size() > static_cast<std::size_t>(list_max)) {
      return fail(fmt::format("add_members: can have at most {} entries", list_max));
    }
    for (std::size_t i = 0; i < added->size(); ++i) {
      asked.added.push_back(read_added((*added)[i], fmt::format("add_members[{}]", i), problems));
    }
  }
  read_partitions(fields, asked);
  for (auto& found : fields.finish()) problems.push_back(std::move(found));
  if (!problems.empty()) return fail(joined(problems));
  return asked;
}

value statistics(const std::optional<assignor::plan_statistics>& of) {
  if (!of) return nullptr;
  object out;
  for (const auto& [name, figure] : of->named()) {
    const auto whole = static_cast<std::int64_t>(figure);
    out[name] = static_cast<double>(whole) == figure ? value(whole) : value(figure);
  }
  return out;
}

object move(const group::what_if_move& of) {
  const auto& task = of.move;
  return {{"task", group::task_name(task.subtopology_id, task.partition)},
          {"role", task.role == assignor::task_role::active ? "active" : "standby"},
          {"from", or_null(task.from_member)},
          {"to", or_null(task.to_member)},
          {"restore", or_null(of.restore)}};
}

}  // namespace

void planner::answer(const std::string& group_id, group::what_if_question asked, const respond& answer) {
  with_streams_group(groups_, group_id, answer, [this, asked = std::move(asked), answer](const group_view_ptr& view) {
    at_leisure(answer, [this, asked, answer, view] {
      const auto defaults = groups_.defaults();
      const auto plan = group::what_if(asked, {.view = *view,
                                               .broker = defaults->broker,
                                               .image = groups_.image(),
                                               .strict_kafka = groups_.options().strict_kafka});
      answer(plan ? json_response(plan_document(*plan)) : refused_change(plan.error()));
    }, true);
  });
}

boost::json::object plan_document(const group::what_if_answer& of) {
  array moved;
  for (const auto& each : of.moved) moved.push_back(move(each));
  object target;
  for (const auto& [id, role] : of.target) {
    target[id] = object{{"active", tasks_document(role.active)}, {"standby", tasks_document(role.standby)}};
  }
  object warmups;
  for (const auto& [id, set] : of.warmups) warmups[id] = tasks_document(set);
  return {{"assignor", of.assignor},
          {"group_epoch", of.group_epoch},
          {"before", statistics(of.before)},
          {"after", statistics(of.after)},
          {"moved", std::move(moved)},
          {"tasks_moved", of.tasks_moved},
          {"state_to_restore", or_null(of.state_to_restore)},
          {"restores_unknown", of.restores_unknown},
          {"waiting", of.waiting},
          {"warmups", std::move(warmups)},
          {"target", std::move(target)},
          {"warnings", array(of.warnings.begin(), of.warnings.end())}};
}

void add_what_if(router& to, planner* plans) {
  to.add("POST", "/v1/groups/{group}/what-if", [plans](const call& at, const respond& answer) {
    auto asked = read_question(at.request.body);
    if (!asked) return answer(problem(400, asked.error().message, protocol::error_code::invalid_request));
    plans->answer(at.captures.front(), *std::move(asked), answer);
  });
}

}  // namespace weir::http
