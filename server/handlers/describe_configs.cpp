// DescribeConfigs (32): groups (spec 05, 6), topics of the catalogue, and this broker's settings of groups. Unlike the
// reference it lists every group setting (P7).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "group/topology/validate.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_configs_request.hpp"
#include "protocol/messages/describe_configs_response.hpp"
#include "server/handlers/config_resources.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/mentions.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::describe_configs_response;
using part = answer::describe_configs_result_data;
using entry = answer::describe_configs_resource_result_data;
using synonym = answer::describe_configs_synonym_data;
using wanted_resource = protocol::describe_configs_request::describe_configs_resource_data;

part begin(const wanted_resource& wanted) {
  part out;
  out.resource_type = wanted.resource_type;
  out.resource_name = wanted.resource_name;
  return out;
}

entry make_entry(std::string_view name, std::string value, config_type type, std::int8_t source) {
  entry out;
  out.name = text(name);
  out.value = text(value);
  out.config_source = source;
  out.config_type = static_cast<std::int8_t>(type);
  out.documentation = std::nullopt;
  return out;
}

/// Where the value comes from, the strongest source first.
void add_synonym(entry& to, std::string_view name, std::string_view value, std::int8_t source) {
  synonym added;
  added.name = text(name);
  added.value = text(value);
  added.source = source;
  to.synonyms.push_back(std::move(added));
}

/// Leaves only the names asked for, and the synonyms only if they are.
void keep_wanted(part& out, const wanted_resource& wanted, bool synonyms) {
  if (wanted.configuration_keys) {
    std::erase_if(out.configs, [&](const entry& each) {
      return std::ranges::find(*wanted.configuration_keys, each.name) == wanted.configuration_keys->end();
    });
  }
  if (synonyms) return;
  for (auto& each : out.configs) each.synonyms.clear();
}

/// Where a value that groups inherit comes from; `is_changed`: it differs from Kafka's default.
std::int8_t inherited_from(const actors::group_defaults& defaults, std::string_view name, bool is_changed) {
  if (defaults.set.contains(name)) return config_source::dynamic_default_broker;
  return is_changed ? config_source::static_broker : config_source::standard;
}

void describe_group(part& out, const group::overrides& set, const actors::group_defaults& defaults) {
  const auto& broker = defaults.broker;
  const auto config = group::effective(set, broker);
  const auto configured = group::effective({}, broker);
  const auto standard = group::effective({}, {});
  const auto settings = broker_settings(broker);
  for (const auto& key : group::group_config_keys()) {
    const bool is_set = set.contains(key.name);
    if (!is_set && !key.is_listed) continue;
    const auto at_broker = std::ranges::find(settings, key.broker_name, &broker_setting::name);
    const auto inherited =
        inherited_from(defaults, key.name, at_broker != settings.end() && at_broker->changed);
    const auto type = type_of_group_setting(key);
    const bool is_shown_raw = is_set && type == config_type::boolean;  // ` TRUE`, as a broker does
    auto described = make_entry(key.name,
                                is_shown_raw ? set.find(key.name)->second : group::value_text(config, key.name), type,
                                is_set ? config_source::group : inherited);
    if (is_set) add_synonym(described, key.name, *described.value, config_source::group);
    if (inherited != config_source::standard) {
      add_synonym(described, key.broker_name, group::value_text(configured, key.name), inherited);
    }
    add_synonym(described, key.broker_name, group::value_text(standard, key.name), config_source::standard);
    out.configs.push_back(std::move(described));
  }
}

void describe_topic(part& out, const config_map& set) {
  for (const auto& key : topic_config_keys()) {
    const auto own = set.find(key.name);
    const bool is_set = own != set.end();
    auto described = make_entry(key.name, is_set ? own->second : std::string(key.standard), key.type,
                                is_set ? config_source::topic : config_source::standard);
    add_synonym(described, key.name, *described.value, described.config_source);
    out.configs.push_back(std::move(described));
  }
}

void describe_broker(part& out, const actors::group_defaults& defaults) {
  const auto keys = group::group_config_keys();
  for (const auto& setting : broker_settings(defaults.broker)) {
    const auto key = std::ranges::find(keys, setting.name, &group::group_config_key::broker_name);
    const auto source = inherited_from(defaults, key == keys.end() ? std::string_view() : key->name, setting.changed);
    auto described = make_entry(setting.name, setting.value, setting.type, source);
    described.read_only = true;
    add_synonym(described, setting.name, setting.value, described.config_source);
    out.configs.push_back(std::move(described));
  }
}

part describe_topic_resource(const wanted_resource& wanted, const embedded_node& node) {
  auto out = begin(wanted);
  if (!group::is_legal_topic_name(wanted.resource_name)) {
    tell(out, {error_code::invalid_topic_exception, "Topic name is illegal."});
  } else if (const auto set = node.topics.configs(wanted.resource_name)) {
    describe_topic(out, *set);
  } else {
    tell(out, {error_code::unknown_topic_or_partition, "The topic does not exist."});
  }
  return out;
}

part describe_broker_resource(const wanted_resource& wanted, const embedded_node& node) {
  auto out = begin(wanted);
  const auto own = std::to_string(node.options.node_id);
  if (wanted.resource_name.empty()) return out;  // cluster-wide defaults: nothing is set there
  if (wanted.resource_name == own) {
    describe_broker(out, *node.coordinator.defaults());
  } else {
    tell(out,
         {error_code::invalid_request, fmt::format("Unexpected broker id, expected {} or empty string, but received {}",
                                                   own, wanted.resource_name.view())});
  }
  return out;
}

}  // namespace

void describe_configs::handle(request asked, call c, embedded_node& node) {
  const auto parts = gather<part>::of(asked.resources.size(), [c](std::vector<part> results) {
    answer out;
    out.results = std::move(results);
    c.answer(out);
  });
  const bool synonyms = asked.include_synonyms;
  const auto finish = [parts, synonyms](std::size_t index, part out, const wanted_resource& wanted) {
    keep_wanted(out, wanted, synonyms);
    parts->put(index, std::move(out));
  };
  mentions<std::pair<std::int8_t, std::string_view>> named;
  for (std::size_t i = 0; i < asked.resources.size(); ++i) {
    auto& wanted = asked.resources[i];
    auto out = begin(wanted);
    if (!named.admit({wanted.resource_type, wanted.resource_name.view()})) {
      tell(out, {error_code::invalid_request, "The request names resources again and again."});
      finish(i, std::move(out), wanted);
    } else if (wanted.resource_type == config_resource::topic) {
      finish(i, describe_topic_resource(wanted, node), wanted);
    } else if (wanted.resource_type == config_resource::broker) {
      finish(i, describe_broker_resource(wanted, node), wanted);
    } else if (wanted.resource_type != config_resource::group) {
      tell(out, {error_code::invalid_request, fmt::format("Unsupported resource type: {}", wanted.resource_type)});
      finish(i, std::move(out), wanted);
    } else if (wanted.resource_name.empty()) {
      tell(out, {error_code::invalid_request, "The group id is empty."});
      finish(i, std::move(out), wanted);
    } else {
      auto group_id = wanted.resource_name.str();
      auto& coordinator = node.coordinator;
      const auto told = [finish, i, out, wanted, &coordinator](const group::overrides& set) {
        auto described = out;
        describe_group(described, set, *coordinator.defaults());
        finish(i, std::move(described), wanted);
      };
      coordinator.config(std::move(group_id), told);
    }
  }
}

}  // namespace weir::server::handlers
