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
    auto& names = racks.emplace_back();
    for (const json_value& rack : *of_partition) names.push_back(rack.plain());
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
    for (const auto& [name, value] : *configs) topic.configs[name] = value.plain();
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

void create(topic_admin* admin, const call& at, const respond& answer) {
  if (admin == nullptr) {
    return answer(problem(409, "in gateway mode topics live in the upstream cluster: create the topic there"));
  }
  auto topic = read_topic(at.request.body);
  if (!topic) return answer(problem(400, topic.error().message, protocol::error_code::invalid_request));
  admin->create(*topic, [topic = *topic, answer](const std::optional<protocol::kafka_error>& failed) {
    if (!failed) return answer(created(topic));
    answer(problem(status_of(failed->code), failed->message, failed->code));
  });
}

}  // namespace

void add_topics(router& to, actors::coordinator& groups, topic_admin* admin) {
  to.add("GET", "/v1/topics", [&groups](const call& at, const respond& answer) { list(groups, at, answer); });
  to.add("POST", "/v1/topics", [admin](const call& at, const respond& answer) { create(admin, at, answer); });
}

}  // namespace weir::http
