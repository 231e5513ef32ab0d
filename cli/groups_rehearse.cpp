#include "cli/groups_rehearse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/groups_plan.hpp"
#include "cli/named_entries.hpp"
#include "cli/output.hpp"
#include "cli/read_file.hpp"
#include "cli/sim_topology.hpp"
#include "http/json_reader.hpp"

namespace weir::cli {
namespace {

using http::json_value;

std::string list_of(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const auto& name : names) out += (out.size() == 1 ? "" : ",") + json_quoted(name);
  return out + "]";
}

std::string topics_of(const std::vector<sim_topic>& topics) {
  std::string out = "[";
  for (const auto& topic : topics) {
    out += fmt::format("{}{{\"name\":{},\"partitions\":{}}}", out.size() == 1 ? "" : ",", json_quoted(topic.name),
                       topic.partitions);
  }
  return out + "]";
}

std::string lists_of(const std::vector<std::vector<std::string>>& lists) {
  std::string out = "[";
  for (const auto& list : lists) out += (out.size() == 1 ? "" : ",") + list_of(list);
  return out + "]";
}

std::string topology_json(const sim_topology& of) {
  std::string out = "{\"subtopologies\":[";
  for (std::size_t i = 0; i < of.subtopologies.size(); ++i) {
    const auto& part = of.subtopologies[i];
    out += fmt::format(
        "{}{{\"id\":{},\"sources\":{},\"source_patterns\":{},\"repartition_sinks\":{},\"repartition_sources\":{},"
        "\"changelogs\":{},\"copartition\":{}}}",
        i == 0 ? "" : ",", json_quoted(part.id), list_of(part.sources), list_of(part.source_patterns),
        list_of(part.repartition_sinks), topics_of(part.repartition_sources), list_of(part.changelogs),
        lists_of(part.copartition));
  }
  return out + "]}";
}

result<std::string> settings_json(const std::vector<std::string>& texts) {
  std::string out = "{";
  for (const auto& text : texts) {
    const auto pair = name_and_value(text);
    if (!pair) return tl::unexpected(pair.error());
    out += fmt::format("{}{}:{}", out.size() == 1 ? "" : ",", json_quoted(pair->first), json_quoted(pair->second));
  }
  return out + "}";
}

result<std::string> rehearsal_body(const rehearse_options& options) {
  const auto topology = read_topology(options.topology);
  if (!topology) return tl::unexpected(topology.error());
  std::vector<std::string> client;
  if (!options.client_file.empty()) {
    const auto content = read_file(options.client_file);
    if (!content) return tl::unexpected(content.error());
    auto read = read_properties(*content);
    if (!read) return fail(fmt::format("{}: {}", options.client_file, read.error().message));
    client = *std::move(read);
  }
  client.insert(client.end(), options.client.begin(), options.client.end());
  const auto settings = settings_json(client);
  if (!settings) return settings;
  const auto config = settings_json(options.values);
  if (!config) return config;
  return fmt::format("{{\"topology\":{},\"processes\":{},\"threads\":{},\"client\":{},\"config\":{}}}",
                     topology_json(*topology), options.processes, options.threads, *settings, *config);
}

/// Lines under a heading; nothing without lines.
std::string section(std::string_view heading, const json_value& document, std::string_view name) {
  std::string out;
  for (const auto& line : items_at(document, name)) out += fmt::format("  {}\n", printable(line.plain()));
  return out.empty() ? out : fmt::format("\n{}\n{}", heading, out);
}

/// What Java counts as blank around names and values in a file of properties.
constexpr std::string_view property_blanks = " \t\r\f";

/// Takes the next one out of the text: a line, and those that it goes on in. `number`: of the line after it.
std::string next_property(std::string_view& text, std::size_t& number) {
  std::string out;
  for (bool goes_on = true; goes_on && !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = trimmed(text.substr(0, end), property_blanks);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_comment = out.empty() && (line.starts_with('#') || line.starts_with('!'));
    goes_on = line.ends_with('\\') && !is_comment;
    if (goes_on) line.remove_suffix(1);
    out += line;
  }
  return out;
}

/// Such settings say nothing of a migration, and are nobody else's business: they are not sent.
bool is_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 3> words{"password", "secret", "token"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.starts_with("sasl.") || lower.starts_with("ssl.")) return true;
  return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

result<std::string> rehearse_group(const rehearse_options& options) {
  auto body = rehearsal_body(options);
  if (!body) return body;
  auto answer = change(options, "POST", group_path({options.group, "rehearsal"}), *std::move(body));
  if (!answer) return answer;
  const auto document = read_list_answer(*answer, "checks");
  if (!document) return tl::unexpected(document.error());
  return options.json ? *std::move(answer) : rehearsal_text(*document);
}

result<std::vector<std::string>> read_properties(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t number = 1; !text.empty();) {
    const auto first = number;
    const auto kept = next_property(text, number);
    const std::string_view line = kept;
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    const auto separator = line.find_first_of("=:");
    const auto name = trimmed(line.substr(0, separator), property_blanks);
    if (separator == std::string_view::npos || name.empty()) {
      return fail(fmt::format("line {} is not name=value", first));
    }
    const auto value = trimmed(line.substr(separator + 1), property_blanks);
    if (!is_secret(name)) out.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

std::string rehearsal_text(const json_value& document) {
  table checks({"CHECK", "STATUS", "WHAT"});
  for (const auto& check : items_at(document, "checks")) {
    checks.add({plain_at(check, "check"), plain_at(check, "status"), plain_at(check, "text")});
  }
  std::string out = checks.text();
  table topics({"TOPIC", "ROLE", "STATUS", "EXPECTED", "FOUND"});
  for (const auto& topic : items_at(document, "topics")) {
    topics.add({plain_at(topic, "topic"), plain_at(topic, "role"), plain_at(topic, "status"),
                plain_at(topic, "expected_partitions"), plain_at(topic, "found_partitions")});
  }
  if (!items_at(document, "topics").empty()) out += "\n" + topics.text();
  table settings({"CLIENT SETTING", "VALUE", "IN FORCE", "STATUS", "WHAT"});
  for (const auto& one : items_at(document, "settings")) {
    settings.add({plain_at(one, "name"), plain_at(one, "value"), plain_at(one, "in_force"), plain_at(one, "status"),
                  plain_at(one, "text")});
  }
  if (!items_at(document, "settings").empty()) out += "\n" + settings.text();
  out += section("The application's principal needs", document, "rights");
  const json_value* plan = document.find("plan");
  if (plan != nullptr && plan->as<http::json_members>() != nullptr) out += "\n" + plan_text(*plan);
  return out + section("The way back", document, "way_back");
}

}  // namespace weir::cli
