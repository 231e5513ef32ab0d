#include "http/resources/topics.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "base/limits.hpp"
#include "http/cursor.hpp"
#include "http/json_reader.hpp"
#include "http/json_writer.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

boost::json::object topic_row(const metadata::topic& topic) {
  boost::json::object out;
  out["name"] = topic.name;
  out["topic_id"] = topic.id.to_string();
  out["partitions"] = topic.partition_count();
  boost::json::array racks;
  for (const auto& of_partition : topic.partition_racks) {
    racks.push_back(boost::json::array(of_partition.begin(), of_partition.end()));
  }
  out["racks"] = std::move(racks);
  return out;
}

void list(const actors::coordinator& groups, const call& at, const respond& answer) {
  const std::string prefix = at.request.parameter("prefix").value_or("");
  const auto wanted = read_page(at.request, "topics\x1f" + prefix);
  if (!wanted) return answer(problem(400, wanted.error().message));
  boost::json::array items;
  boost::json::value next;
  std::string_view last;
  const auto image = groups.image();
  for (const auto& topic : image->topics()) {
    if (topic->name <= wanted->after || !topic->name.starts_with(prefix)) continue;
    if (items.size() == wanted->limit) {
      next = wanted->next(last);
      break;
    }
    items.push_back(topic_row(*topic));
    last = topic->name;
  }
  boost::json::object body;
  body["items"] = std::move(items);
  body["next"] = std::move(next);
  answer(json_response(body));
}

std::vector<std::vector<std::string>> read_racks(object_reader& fields, std::int32_t partitions) {
  std::vector<std::vector<std::string>> racks;
  const json_items* list = fields.items("racks");
  if (list == nullptr) return racks;
  if (list->size() != static_cast<std::size_t>(partitions)) {
    fields.complain("racks", fmt::format("must have one list for each of the {} partitions", partitions));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* of_partition = (*list)[i].as<json_items>();
    if (of_partition == nullptr) {
      fields.complain(fmt::format("racks[{}]", i), "must be a list of strings");
      continue;
    }
    racks.push_back(fields.strings(fmt::format("racks[{}]", i), *of_partition));
  }
  return racks;
}

/// The topic, or every problem of the body in one line.
result<new_topic> read_topic(std::string_view body) {
  auto parsed = parse_json(body);
  if (!parsed) return tl::unexpected(parsed.error());
  object_reader fields(*parsed);
  new_topic topic;
  topic.name = fields.required_string("name");
  topic.partitions = static_cast<std::int32_t>(fields.integer("partitions", 1, 1, limits::topic_partitions_max));
  topic.racks = read_racks(fields, topic.partitions);
  if (const json_members* configs = fields.members("configs")) {
    for (const auto& [name, value] : *configs) {
      const auto* text = value.as<std::string>();
      if (text == nullptr) {
        fields.complain("configs." + name, fmt::format("must be a string, not {}", value.kind()));
      } else {
        topic.configs[name] = *text;
      }
    }
  }
  const auto problems = fields.finish();
  if (!problems.empty()) return fail(joined(problems));
  return topic;
}

response created(const new_topic& topic) {
  boost::json::object body;
  body["name"] = topic.name;
  body["partitions"] = topic.partitions;
  return json_response(body, 201);
}

/// The racks, or every problem of the body in one line.
result<rack_lists> read_rack_lists(std::string_view body) {
  auto parsed = parse_json(body);
  if (!parsed) return tl::unexpected(parsed.error());
  object_reader fields(*parsed);
  rack_lists racks;
  const json_items* list = fields.items("racks");
  if (list == nullptr) fields.complain("racks", "must be a list with one list of racks for each partition");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto* of_partition = (*list)[i].as<json_items>();
    auto& replicas = racks.emplace_back();
    if (of_partition == nullptr) {
      fields.complain(fmt::format("racks[{}]", i), "must be a list of strings and nulls");
      continue;
    }
    for (const json_value& rack : *of_partition) {
      const auto* const name = rack.as<std::string>();
      if (name == nullptr && rack.as<std::nullptr_t>() == nullptr) {
        fields.complain(fmt::format("racks[{}]", i), "must be a list of strings and nulls");
      }
      replicas.push_back(name == nullptr ? std::nullopt : std::optional(*name));
    }
  }
  const auto problems = fields.finish();
  if (!problems.empty()) return fail(joined(problems));
  return racks;
}

/// False: the request has been refused.
bool has_catalogue(const topic_admin* admin, const respond& answer) {
  if (admin == nullptr) answer(problem(409, "in gateway mode topics live in the upstream cluster: change them there"));
  return admin != nullptr;
}

void set_racks(topic_admin* admin, const call& at, const respond& answer) {
  if (!has_catalogue(admin, answer)) return;
  auto racks = read_rack_lists(at.request.body);
  if (!racks) return answer(problem(400, racks.error().message));
  const auto topic = at.captures.front();
  admin->set_racks(topic, *std::move(racks), [topic, answer](const std::optional<protocol::kafka_error>& failed) {
    if (failed) return answer(problem(status_of(failed->code), failed->message, failed->code));
    boost::json::object body;
    body["name"] = topic;
    answer(json_response(body));
  });
}

void create(topic_admin* admin, const call& at, const respond& answer) {
  if (!has_catalogue(admin, answer)) return;
  auto topic = read_topic(at.request.body);
  if (!topic) return answer(problem(400, topic.error().message, protocol::error_code::invalid_request));
  admin->create(*topic, [topic = *topic, answer](const std::optional<protocol::kafka_error>& failed) {
    if (!failed) return answer(created(topic));
    answer(problem(status_of(failed->code), failed->message, failed->code));
  });
}

}  // namespace

void add_topics(router& to, actors::coordinator& groups, topic_admin* admin) {
  to.add("GET", "/v1/topics", [&groups](const call& at, const respond& answer) { list(groups, at, answer); },
         {"prefix", "limit", "after"});
  to.add("POST", "/v1/topics", [admin](const call& at, const respond& answer) { create(admin, at, answer); });
  to.add("PUT", "/v1/topics/{topic}/racks",
         [admin](const call& at, const respond& answer) { set_racks(admin, at, answer); });
}

}  // namespace weir::http
