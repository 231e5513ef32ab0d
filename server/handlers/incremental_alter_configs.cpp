// IncrementalAlterConfigs (44): of groups (spec 05, 6) and of topics in the catalogue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "group/topology/validate.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/incremental_alter_configs_request.hpp"
#include "protocol/messages/incremental_alter_configs_response.hpp"
#include "server/handlers/config_resources.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using protocol::kafka_result;
using protocol::refuse;
using part = protocol::incremental_alter_configs_response::alter_configs_resource_response_data;
using wanted_resource = protocol::incremental_alter_configs_request::alter_configs_resource_data;

namespace operation {
constexpr std::int8_t set = 0;
constexpr std::int8_t remove = 1;
constexpr std::int8_t append = 2;
constexpr std::int8_t subtract = 3;
}  // namespace operation

/// One operation on one name, owned: it may run after the request is gone.
struct alteration {
  std::string name;
  std::int8_t operation = operation::set;
  std::string value;
  bool is_list = false;
};

/// Kafka 4.4 does not know that a group's setting is a list, although it says so when asked to describe it.
bool is_list(std::int8_t resource_type, std::string_view name, bool strict_kafka) {
  if (resource_type == config_resource::topic) {
    const auto* const key = find_topic_config(name);
    return key != nullptr && key->type == config_type::list;
  }
  if (strict_kafka) return false;
  const auto keys = group::group_config_keys();
  const auto key = std::ranges::find(keys, name, &group::group_config_key::name);
  return key != keys.end() && key->is_list;
}

/// Checks that need no stored value.
kafka_result<std::vector<alteration>> read_alterations(const wanted_resource& wanted, const embedded_node& node) {
  const bool strict_kafka = node.coordinator.options().strict_kafka;
  std::set<std::string_view> names;
  std::vector<alteration> out;
  for (const auto& config : wanted.configs) {
    const auto name = config.name.str();
    if (!names.insert(config.name.view()).second) {
      return refuse(error_code::invalid_request, "Error due to duplicate config keys: " + name);
    }
    if (config.config_operation < operation::set || config.config_operation > operation::subtract) {
      return refuse(error_code::invalid_request,
                    fmt::format("Unknown operation {} for config {}", config.config_operation, name));
    }
    if (!config.value && config.config_operation != operation::remove) {
      return refuse(error_code::invalid_request, "Null value not supported for: " + name);
    }
    alteration next{name, config.config_operation, config.value.value_or(text()).str(),
                    is_list(wanted.resource_type, name, strict_kafka)};
    if (next.operation >= operation::append && !next.is_list) {
      return refuse(error_code::invalid_config,
                    "Config value append and subtract are not allowed for config key: " + name);
    }
    out.push_back(std::move(next));
  }
  return out;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (comma > 0) out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

/// The list `now` with the values added that it lacks, or without the values.
std::string edit_list(std::string_view now, const alteration& wanted) {
  auto items = split(now);
  for (auto& value : split(wanted.value)) {
    const auto found = std::ranges::find(items, value);
    const bool there = found != items.end();
    if (wanted.operation == operation::append && !there) items.push_back(std::move(value));
    if (wanted.operation == operation::subtract && there) items.erase(found);
  }
  return fmt::format("{}", fmt::join(items, ","));
}

/// `standard(name)` is the value of a name that is not set.
template <class Standard>
void apply(const std::vector<alteration>& wanted, config_map& set, Standard standard) {
  for (const auto& each : wanted) {
    if (each.operation == operation::remove) {
      set.erase(each.name);
    } else if (each.operation == operation::set) {
      set.insert_or_assign(each.name, each.value);
    } else {
      const auto now = set.find(each.name);
      set.insert_or_assign(each.name, edit_list(now == set.end() ? standard(each.name) : now->second, each));
    }
  }
}

using done_part = std::function<void(const kafka_result<void>&)>;

void alter_group(embedded_node& node, const wanted_resource& wanted, bool validate_only, done_part done) {
  if (wanted.resource_name.empty()) return done(refuse(error_code::invalid_request, "The group id is empty."));
  if (wanted.resource_name.size() > storage::id_bytes_max) {
    return done(refuse(error_code::invalid_request, "The group id is too long."));
  }
  auto changes = read_alterations(wanted, node);
  if (!changes) return done(tl::unexpected(changes.error()));
  auto edit = [changes = std::move(*changes), &node](group::overrides& set) -> kafka_result<void> {
    const auto standard = group::effective({}, node.coordinator.defaults()->broker);
    apply(changes, set, [&](const std::string& name) { return group::value_text(standard, name); });
    return {};
  };
  if (!validate_only) {
    return node.coordinator.alter_config(wanted.resource_name.str(), std::move(edit), std::move(done));
  }
  node.coordinator.config(wanted.resource_name.str(), [&node, edit, done](group::overrides set) {
    if (auto edited = edit(set); !edited) return done(edited);
    auto checked = group::check(set, node.coordinator.defaults()->broker);
    done(checked ? kafka_result<void>() : refuse(error_code::invalid_config, std::move(checked.error().message)));
  });
}

/// A topic's name and what is to be set of it, whether the topic exists or not.
kafka_result<void> check_alterations(std::string_view topic, const std::vector<alteration>& changes) {
  if (topic.empty()) return refuse(error_code::invalid_request, "Default topic resources are not allowed.");
  if (!group::is_legal_topic_name(topic)) {
    return refuse(error_code::invalid_topic_exception, fmt::format("Topic name '{}' is illegal.", topic));
  }
  config_map set;
  for (const auto& each : changes) {
    if (each.operation == operation::set) set.insert_or_assign(each.name, each.value);
  }
  if (auto wrong = check_topic_configs(set)) return refuse(error_code::invalid_config, std::move(*wrong));
  return {};
}

void alter_topic(embedded_node& node, const wanted_resource& wanted, bool validate_only, const done_part& done) {
  auto changes = read_alterations(wanted, node);
  if (!changes) return done(tl::unexpected(changes.error()));
  if (auto valid = check_alterations(wanted.resource_name, *changes); !valid) return done(valid);
  auto edit = [changes = std::move(*changes)](config_map& set) {
    apply(changes, set, [](const std::string& name) { return std::string(find_topic_config(name)->standard); });
  };
  node.topics.edit_configs(wanted.resource_name.str(), std::move(edit), validate_only, [done](const auto& altered) {
    if (altered) return done({});
    done(tl::unexpected(altered.error()));
  });
}

void alter(embedded_node& node, const wanted_resource& wanted, bool validate_only, const done_part& done) {
  switch (wanted.resource_type) {
    case config_resource::group: return alter_group(node, wanted, validate_only, done);
    case config_resource::topic: return alter_topic(node, wanted, validate_only, done);
    case config_resource::broker:
      return done(refuse(error_code::invalid_request,
                         "The settings of this node come from its configuration file and need a restart."));
    default:
      return done(
          refuse(error_code::invalid_request, fmt::format("Unsupported resource type: {}", wanted.resource_type)));
  }
}

}  // namespace

void incremental_alter_configs::handle(request asked, call c, embedded_node& node) {
  const auto& resources = asked.resources;
  const auto parts = gather<part>::of(resources.size(), [c](std::vector<part> responses) {
    protocol::incremental_alter_configs_response out;
    out.responses = std::move(responses);
    c.answer(out);
  });
  std::map<std::pair<std::int8_t, std::string_view>, int> named;
  for (const auto& resource : resources) ++named[{resource.resource_type, resource.resource_name.view()}];
  for (std::size_t i = 0; i < resources.size(); ++i) {
    part out;
    out.error_message = std::nullopt;
    out.resource_type = resources[i].resource_type;
    out.resource_name = resources[i].resource_name;
    const auto done = [parts, i, out](const kafka_result<void>& altered) {
      auto told = out;
      if (!altered) tell(told, altered.error());
      parts->put(i, std::move(told));
    };
    if (named[{resources[i].resource_type, resources[i].resource_name.view()}] == 1) {
      alter(node, resources[i], asked.validate_only, done);
    } else {
      done(refuse(error_code::invalid_request, "Each resource must appear at most once."));
    }
  }
}

}  // namespace weir::server::handlers
