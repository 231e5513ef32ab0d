#include <algorithm>
#include <array>

#include "group/rehearsal/rehearsal.hpp"

namespace weir::group {
namespace {

/// A setting of Kafka Streams that counts under the classic protocol alone.
struct ignored_setting {
  std::string_view name;
  std::string_view group_name;  ///< empty: there is none
  std::string_view words;       ///< what to know of it
};

constexpr std::array ignored{
    ignored_setting{"num.standby.replicas", "streams.num.standby.replicas", ""},
    ignored_setting{"max.warmup.replicas", "streams.num.warmup.replicas", ""},
    ignored_setting{"acceptable.recovery.lag", "streams.acceptable.recovery.lag", ""},
    ignored_setting{"session.timeout.ms", "streams.session.timeout.ms", ""},
    ignored_setting{"heartbeat.interval.ms", "streams.heartbeat.interval.ms", ""},
    ignored_setting{"rack.aware.assignment.tags", "streams.rack.aware.assignment.tags", ""},
    ignored_setting{"task.assignor.class", "streams.assignor.name", ""},
    ignored_setting{"probing.rebalance.interval.ms", "",
                    "there are no probing rebalances: a task moves when its new owner has caught up"},
    ignored_setting{"rack.aware.assignment.strategy", "", "the assignor highly_available places active tasks by rack"},
    ignored_setting{"rack.aware.assignment.traffic_cost", "", "placing by rack has no weights"},
    ignored_setting{"rack.aware.assignment.non_overlap_cost", "", "placing by rack has no weights"},
    ignored_setting{"partition.assignment.strategy", "", "the coordinator assigns"},
};

/// The name without the prefix that says whose setting it is.
std::string_view bare(std::string_view name) {
  for (const std::string_view prefix : {"main.consumer.", "consumer."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return name;
}

/// Of the client's value, what a group would say.
std::string as_group_value(std::string_view group_name, const std::string& value) {
  if (group_name != "streams.assignor.name") return value;
  if (value.find("HighAvailabilityTaskAssignor") != std::string::npos) return "highly_available";
  if (value.find("StickyTaskAssignor") != std::string::npos) return "sticky";
  return value;
}

rehearsed_setting judge(const ignored_setting& known, const std::string& name, const std::string& value,
                        const rehearsal_basis& basis, const group_config& in_force) {
  rehearsed_setting made{name, value, std::string(known.group_name), {}, verdict::warning, {}};
  if (known.group_name.empty()) {
    made.text = name + " is ignored: " + std::string(known.words);
    return made;
  }
  made.in_force = value_text(in_force, known.group_name);
  const auto wanted = as_group_value(known.group_name, value);
  if (wanted == made.in_force) {
    made.outcome = verdict::ok;
    made.text = name + " is ignored; the same is in force for the group";
    return made;
  }
  const auto shown = made.in_force.empty() ? "nothing" : made.in_force;
  made.text = known.name == "num.standby.replicas"
                  ? value + " standbys were set on the client, " + shown + " are in force"
                  : name + "=" + value + " was set on the client, " + shown + " is in force";
  const auto can_be = check({{made.group_name, wanted}}, basis.broker);
  made.text += can_be ? ": weir groups set " + basis.group_id + " " + made.group_name + "=" + wanted
                      : "; it cannot be set here: " + can_be.error().message;
  return made;
}

/// What keeps an application from starting at all.
std::optional<rehearsed_setting> obstacle_in(const std::string& name, const std::string& value) {
  if (name == "group.protocol" && value != "streams") {
    return rehearsed_setting{name, value, {}, {}, verdict::warning, "it is to be set to streams"};
  }
  if (name == "default.client.supplier" || name == "upgrade.from") {
    return rehearsed_setting{name, value, {}, {}, verdict::error,
                             "the client refuses to start with it under the streams protocol"};
  }
  return std::nullopt;
}

}  // namespace

void rehearse_settings(const rehearsal_question& asked, const rehearsal_basis& basis, const group_config& in_force,
                       rehearsal& to) {
  auto worst = verdict::ok;
  std::size_t differing = 0;
  for (const auto& [name, value] : asked.client) {
    auto row = obstacle_in(name, value);
    if (!row) {
      const auto known = std::ranges::find(ignored, bare(name), &ignored_setting::name);
      if (known == ignored.end()) continue;
      row = judge(*known, name, value, basis, in_force);
    }
    worst = std::max(worst, row->outcome);
    if (row->outcome != verdict::ok) ++differing;
    to.settings.push_back(*std::move(row));
  }
  std::string text = std::to_string(differing) + " settings of the client will not do what they did";
  if (differing == 0) text = "no setting of the client is lost";
  if (asked.client.empty()) {
    text = "no settings of the client were given: standbys, warm-ups and time-outs that it sets are ignored";
  }
  to.checks.push_back({"client-settings", worst, std::move(text)});
}

}  // namespace weir::group
