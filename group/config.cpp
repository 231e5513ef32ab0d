#include "group/config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <ranges>
#include <set>

#include "assignor/tag_groups.hpp"
#include "base/java_trim.hpp"

namespace weir::group {
namespace {

/// What one settable name reads and writes, and what it accepts.
struct setting {
  group_config_key key;
  std::string (*text)(const group_config& config);
  result<void> (*check)(std::string_view value, const broker_config& broker);
  void (*store)(std::string_view value, const broker_config& broker, group_config& config);
};

std::span<const setting> settings() noexcept;
const setting* find(std::string_view name) noexcept;
result<void> check_session_above_heartbeat(const overrides& set, const broker_config& broker);

template <class Int>
std::optional<Int> parse_number(std::string_view text);
bool is_word(std::string_view text, std::string_view word);
std::vector<std::string> parse_list(std::string_view text);
std::string join(const std::vector<std::string>& items);
bool is_joined(std::string_view text, const std::vector<std::string>& items) noexcept;
std::optional<std::string> repeated(const std::vector<std::string>& items);
result<void> check_tag_keys(const std::vector<std::string>& keys);
result<void> in_range(std::int64_t value, std::int64_t low, std::int64_t high);

struct bound {
  std::string_view key;
  std::int64_t value, low, high;
  std::vector<const char*> others;
};
std::vector<bound> bounds_of(const broker_config& broker);
std::string full_name(std::string_view key) { return "group.streams." + std::string(key); }

}  // namespace

std::span<const group_config_key> group_config_keys() noexcept {
  static const std::vector<group_config_key> keys = [] {
    std::vector<group_config_key> list;
    for (const auto& s : settings()) list.push_back(s.key);
    return list;
  }();
  return keys;
}

result<void> check(const overrides& set, const broker_config& broker) {
  for (const auto& [name, value] : set) {
    const setting* known = find(name);
    if (known == nullptr) return fail("unknown group config " + name);
    if (auto checked = known->check(value, broker); !checked) return fail(name + ": " + checked.error().message);
  }
  return check_session_above_heartbeat(set, broker);
}

group_config effective(const overrides& set, const broker_config& broker) {
  group_config config{
      .session_timeout_ms = broker.session_timeout_ms,
      .heartbeat_interval_ms = broker.heartbeat_interval_ms,
      .num_standby_replicas = broker.num_standby_replicas,
      .num_warmup_replicas = broker.num_warmup_replicas,
      .initial_rebalance_delay_ms = broker.initial_rebalance_delay_ms,
      // The broker's own value may be changed while it runs and is clamped (10.1).
      .assignment_interval_ms = std::clamp(broker.assignment_interval_ms, broker.min_assignment_interval_ms,
                                           broker.max_assignment_interval_ms),
      .task_offset_interval_ms = broker.task_offset_interval_ms,
      .acceptable_recovery_lag = broker.acceptable_recovery_lag,
      .rack_aware_assignment_tags = broker.rack_aware_assignment_tags,
      .assignor_name = broker.assignors.empty() ? std::string() : broker.assignors.front(),
      .assignor_offload_enable = broker.assignor_offload_enable,
      .assignor_failover_slack = broker.assignor_failover_slack,
      .assignor_keep_old_standbys = broker.assignor_keep_old_standbys,
      .drained_processes = {},
  };
  for (const auto& [name, value] : set) {
    if (const setting* known = find(name)) known->store(value, broker, config);
  }
  return config;
}

std::string value_text(const group_config& config, std::string_view name) {
  const setting* known = find(name);
  return known == nullptr ? std::string() : known->text(config);
}

std::map<std::string, std::string> group_config::assignment_configs() const {
  std::map<std::string, std::string> configs{{"num.standby.replicas", std::to_string(num_standby_replicas)}};
  if (!rack_aware_assignment_tags.empty()) {
    configs.emplace("rack.aware.assignment.tags", join(rack_aware_assignment_tags));
  }
  return configs;
}

bool group_config::matches(const std::map<std::string, std::string>& recorded) const noexcept {
  if (recorded.size() != (rack_aware_assignment_tags.empty() ? 1U : 2U)) return false;
  for (const auto& [key, value] : recorded) {
    if (key == "num.standby.replicas") {
      if (parse_number<std::int32_t>(value) != num_standby_replicas) return false;
    } else if (key != "rack.aware.assignment.tags" || !is_joined(value, rack_aware_assignment_tags)) {
      return false;
    }
  }
  return true;
}

result<void> broker_config::check() const {
  const auto found = mistakes();
  if (found.empty()) return {};
  return fail(found.front().key + ": " + found.front().what);
}

std::vector<broker_mistake> broker_config::mistakes() const {
  std::vector<broker_mistake> found;
  for (const auto& b : bounds_of(*this)) {
    if (b.low > b.high) continue;  // told of another key
    if (auto checked = in_range(b.value, b.low, b.high); !checked) {
      found.push_back({full_name(b.key), {}, std::move(checked.error().message)});
      for (const auto* other : b.others) found.back().others.push_back(full_name(other));
    }
  }
  // A session time-out out of its range is told already, and what it is compared with follows from that.
  const auto session = full_name("session.timeout.ms");
  const bool is_told = std::ranges::any_of(found, [&](const auto& mistake) { return mistake.key == session; });
  if (!is_told && heartbeat_interval_ms >= session_timeout_ms) {
    found.push_back({full_name("heartbeat.interval.ms"), {session}, "must be below group.streams.session.timeout.ms"});
  }
  if (auto checked = check_tag_keys(rack_aware_assignment_tags); !checked) {
    found.push_back({full_name("rack.aware.assignment.tags"), {}, std::move(checked.error().message)});
  }
  if (assignors.empty()) found.push_back({full_name("assignors"), {}, "must name at least one assignor"});
  if (auto twice = repeated(assignors)) found.push_back({full_name("assignors"), {}, "names " + *twice + " twice"});
  return found;
}

namespace {

std::vector<bound> bounds_of(const broker_config& of) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return {
      {"min.session.timeout.ms", of.min_session_timeout_ms, 1, most, {}},
      {"max.session.timeout.ms",
       of.max_session_timeout_ms,
       of.min_session_timeout_ms,
       most,
       {"min.session.timeout.ms"}},
      {"session.timeout.ms",
       of.session_timeout_ms,
       of.min_session_timeout_ms,
       of.max_session_timeout_ms,
       {"min.session.timeout.ms", "max.session.timeout.ms"}},
      {"min.heartbeat.interval.ms", of.min_heartbeat_interval_ms, 1, most, {}},
      {"max.heartbeat.interval.ms",
       of.max_heartbeat_interval_ms,
       of.min_heartbeat_interval_ms,
       most,
       {"min.heartbeat.interval.ms"}},
      {"heartbeat.interval.ms",
       of.heartbeat_interval_ms,
       of.min_heartbeat_interval_ms,
       of.max_heartbeat_interval_ms,
       {"min.heartbeat.interval.ms", "max.heartbeat.interval.ms"}},
      {"max.size", of.max_size, 1, most, {}},
      {"max.standby.replicas", of.max_standby_replicas, 0, most, {}},
      {"num.standby.replicas", of.num_standby_replicas, 0, of.max_standby_replicas, {"max.standby.replicas"}},
      {"max.warmup.replicas", of.max_warmup_replicas, 0, most, {}},
      {"num.warmup.replicas", of.num_warmup_replicas, 0, of.max_warmup_replicas, {"max.warmup.replicas"}},
      {"initial.rebalance.delay.ms", of.initial_rebalance_delay_ms, 0, most, {}},
      {"min.assignment.interval.ms", of.min_assignment_interval_ms, 0, most, {}},
      {"max.assignment.interval.ms",
       of.max_assignment_interval_ms,
       of.min_assignment_interval_ms,
       most,
       {"min.assignment.interval.ms"}},
      {"assignment.interval.ms",
       of.assignment_interval_ms,
       of.min_assignment_interval_ms,
       of.max_assignment_interval_ms,
       {"min.assignment.interval.ms", "max.assignment.interval.ms"}},
      {"min.task.offset.interval.ms", of.min_task_offset_interval_ms, 1, most, {}},
      {"task.offset.interval.ms",
       of.task_offset_interval_ms,
       of.min_task_offset_interval_ms,
       most,
       {"min.task.offset.interval.ms"}},
      {"assignor.failover.slack", of.assignor_failover_slack, 0, most, {}},
      {"acceptable.recovery.lag", of.acceptable_recovery_lag, 0, std::numeric_limits<std::int64_t>::max(), {}},
  };
}

/// A number with a range that depends on the broker's settings.
template <auto Member>
using value_of = std::remove_cvref_t<decltype(std::declval<group_config>().*Member)>;

template <auto Member, auto Low, auto High>
constexpr setting number(std::string_view name, std::string_view broker_name) {
  using value = value_of<Member>;
  return {
      .key = {.name = name, .broker_name = broker_name, .is_list = false},
      .text = [](const group_config& config) { return std::to_string(config.*Member); },
      .check = [](std::string_view text, const broker_config& broker) -> result<void> {
        auto parsed = parse_number<value>(text);
        if (!parsed) return fail("'" + std::string(text) + "' is not a number");
        return in_range(*parsed, Low(broker), High(broker));
      },
      .store =
          [](std::string_view text, const broker_config& broker, group_config& config) {
            if (auto parsed = parse_number<value>(text)) {
              config.*Member = static_cast<value>(std::clamp<std::int64_t>(*parsed, Low(broker), High(broker)));
            }
          },
  };
}

constexpr auto zero = [](const broker_config&) -> std::int64_t { return 0; };
constexpr auto int_max = [](const broker_config&) -> std::int64_t { return std::numeric_limits<std::int32_t>::max(); };
constexpr auto long_max = [](const broker_config&) -> std::int64_t { return std::numeric_limits<std::int64_t>::max(); };
template <auto Member>
constexpr auto limit = [](const broker_config& broker) -> std::int64_t { return broker.*Member; };

/// Entries of a list must not be empty; the list may.
bool has_empty_entry(std::string_view text) {
  if (java_trim(text).empty()) return false;
  return std::ranges::any_of(std::views::split(text, ','), [](auto part) {
    return java_trim(std::string_view(part.begin(), part.end())).empty();
  });
}

result<void> check_tags(std::string_view text, const broker_config&) {
  if (has_empty_entry(text)) return fail("its values must not be empty");
  return check_tag_keys(parse_list(text));
}

void store_tags(std::string_view text, const broker_config&, group_config& config) {
  config.rack_aware_assignment_tags = parse_list(text);
}

result<void> check_assignor(std::string_view text, const broker_config& broker) {
  if (std::ranges::find(broker.assignors, java_trim(text)) != broker.assignors.end()) return {};
  return fail("'" + std::string(text) + "' is not one of the assignors " + join(broker.assignors));
}

void store_assignor(std::string_view text, const broker_config& broker, group_config& config) {
  const auto name = java_trim(text);
  if (std::ranges::find(broker.assignors, name) != broker.assignors.end()) config.assignor_name = name;
}

result<void> check_flag(std::string_view text, const broker_config&) {
  if (is_word(text, "true") || is_word(text, "false")) return {};
  return fail("'" + std::string(text) + "' is neither true nor false");
}

void store_flag(std::string_view text, const broker_config&, group_config& config) {
  config.assignor_offload_enable = is_word(text, "true");
}

std::span<const setting> settings() noexcept {
  using b = broker_config;
  using g = group_config;
  static constexpr std::array list{
      number<&g::session_timeout_ms, limit<&b::min_session_timeout_ms>, limit<&b::max_session_timeout_ms>>(
          "streams.session.timeout.ms", "group.streams.session.timeout.ms"),
      number<&g::heartbeat_interval_ms, limit<&b::min_heartbeat_interval_ms>, limit<&b::max_heartbeat_interval_ms>>(
          "streams.heartbeat.interval.ms", "group.streams.heartbeat.interval.ms"),
      number<&g::num_standby_replicas, zero, limit<&b::max_standby_replicas>>("streams.num.standby.replicas",
                                                                              "group.streams.num.standby.replicas"),
      number<&g::num_warmup_replicas, zero, limit<&b::max_warmup_replicas>>("streams.num.warmup.replicas",
                                                                            "group.streams.num.warmup.replicas"),
      number<&g::initial_rebalance_delay_ms, zero, int_max>("streams.initial.rebalance.delay.ms",
                                                            "group.streams.initial.rebalance.delay.ms"),
      number<&g::assignment_interval_ms, limit<&b::min_assignment_interval_ms>, limit<&b::max_assignment_interval_ms>>(
          "streams.assignment.interval.ms", "group.streams.assignment.interval.ms"),
      number<&g::task_offset_interval_ms, limit<&b::min_task_offset_interval_ms>, int_max>(
          "streams.task.offset.interval.ms", "group.streams.task.offset.interval.ms"),
      number<&g::acceptable_recovery_lag, zero, long_max>("streams.acceptable.recovery.lag",
                                                          "group.streams.acceptable.recovery.lag"),
      setting{{"streams.rack.aware.assignment.tags", "group.streams.rack.aware.assignment.tags", true},
              [](const group_config& config) { return join(config.rack_aware_assignment_tags); },
              check_tags,
              store_tags},
      setting{{"streams.assignor.name", "group.streams.assignors", false},
              [](const group_config& config) { return config.assignor_name; },
              check_assignor,
              store_assignor},
      setting{{"streams.assignor.offload.enable", "group.streams.assignor.offload.enable", false, false},
              [](const group_config& config) { return std::string(config.assignor_offload_enable ? "true" : "false"); },
              check_flag,
              store_flag},
  };
  return list;
}

const setting* find(std::string_view name) noexcept {
  auto all = settings();
  auto found = std::ranges::find(all, name, [](const setting& s) { return s.key.name; });
  return found == all.end() ? nullptr : &*found;
}

result<void> check_session_above_heartbeat(const overrides& set, const broker_config& broker) {
  if (!set.contains("streams.session.timeout.ms") && !set.contains("streams.heartbeat.interval.ms")) return {};
  auto config = effective(set, broker);
  if (config.session_timeout_ms > config.heartbeat_interval_ms) return {};
  return fail("streams.session.timeout.ms: " + std::to_string(config.session_timeout_ms) +
              " must exceed streams.heartbeat.interval.ms, " + std::to_string(config.heartbeat_interval_ms));
}

/// Whatever the case of its letters.
bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(java_trim(text), word, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  });
}

template <class Int>
std::optional<Int> parse_number(std::string_view text) {
  text = java_trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  Int value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Kafka's lists: comma separated, blanks around an entry do not count, nothing between commas is nothing.
std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    auto comma = text.find(',');
    auto item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    auto first = item.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    items.emplace_back(item.substr(first, item.find_last_not_of(" \t") - first + 1));
  }
  return items;
}

std::string join(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

/// text == join(items)
bool is_joined(std::string_view text, const std::vector<std::string>& items) noexcept {
  for (const auto& item : items) {
    if (&item != &items.front()) {
      if (!text.starts_with(',')) return false;
      text.remove_prefix(1);
    }
    if (!text.starts_with(item)) return false;
    text.remove_prefix(item.size());
  }
  return text.empty();
}

/// No assignor looks at more of them, and what is configured must not be left out in silence.
result<void> check_tag_keys(const std::vector<std::string>& keys) {
  if (auto twice = repeated(keys)) return fail("names " + *twice + " twice");
  if (keys.size() <= assignor::tag_keys_max) return {};
  return fail("names " + std::to_string(keys.size()) + " tags; at most " + std::to_string(assignor::tag_keys_max) +
              " are allowed");
}

std::optional<std::string> repeated(const std::vector<std::string>& items) {
  std::set<std::string_view> seen;
  for (const auto& item : items) {
    if (!seen.insert(item).second) return item;
  }
  return std::nullopt;
}

result<void> in_range(std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return {};
  return fail(std::to_string(value) + " is not between " + std::to_string(low) + " and " + std::to_string(high));
}

}  // namespace
}  // namespace weir::group
