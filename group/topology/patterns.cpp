#include "group/topology/patterns.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/limits.hpp"
#include "group/topology/some_names.hpp"
#include "group/topology/validate.hpp"

namespace weir::group {
namespace {

using pattern_ptr = std::unique_ptr<re2::RE2>;
using name_list = std::vector<std::string>;

/// Program and automaton of one pattern.
constexpr std::int64_t pattern_memory_max = 1024 * 1024;

pattern_ptr compile(const std::string& pattern);
std::optional<std::string> find_bad_pattern(const subtopology& part, std::size_t& patterns);
name_list matching_but(const std::set<std::string>& unmatched, const std::string& text, const metadata::image& image);
std::set<std::string> unmatched_names(const topology& topology);
void replace_patterns(subtopology& part, const std::vector<name_list>& matched);
std::optional<std::string> find_double_reader(const topology& plain);

topology_problem without_topics(const name_list& patterns) {
  return {topology_status::missing_source_topics,
          "Source topics are missing: no topic matches the pattern " + some_names(patterns) + ".", {}};
}

topology_problem unusable(std::string detail) {
  return {topology_status::incorrectly_partitioned_topics, std::move(detail), {}};
}

}  // namespace

std::optional<refusal> check_patterns(const topology& topology) {
  std::size_t patterns = 0;
  for (const auto& part : topology.subtopologies) {
    if (auto fault = find_bad_pattern(part, patterns)) {
      return refusal{protocol::error_code::streams_invalid_topology, "Subtopology " + part.id + ": " + *fault};
    }
  }
  return std::nullopt;
}

std::optional<std::string> pattern_fault(const std::string& pattern) {
  if (pattern.size() > limits::source_pattern_bytes_max) {
    return std::to_string(pattern.size()) + " bytes; " + std::to_string(limits::source_pattern_bytes_max) +
           " are allowed";
  }
  const auto made = compile(pattern);
  return made->ok() ? std::nullopt : std::optional(made->error());
}

std::vector<std::string> topics_matching(const std::string& pattern, const metadata::image& image) {
  auto names = matching_but({}, pattern, image);
  if (names.size() > limits::source_topics_max) names.resize(limits::source_topics_max);
  return names;
}

resolved_topology resolve(const topology& topology, const metadata::image& image) {
  resolved_topology made{topology, {}};
  const auto unmatched = unmatched_names(topology);
  name_list without_topic;
  for (auto& part : made.plain.subtopologies) {
    std::vector<name_list> matched;
    for (const auto& text : part.source_topic_regex) {
      matched.push_back(matching_but(unmatched, text, image));
      if (matched.back().empty()) without_topic.push_back("\"" + text + "\"");
    }
    replace_patterns(part, matched);
    if (part.source_topics.size() > limits::source_topics_max && !made.problem) {
      made.problem = unusable("Subtopology " + part.id + " would read " + std::to_string(part.source_topics.size()) +
                              " topics; " + std::to_string(limits::source_topics_max) + " are allowed with patterns.");
    }
  }
  if (!made.problem && !without_topic.empty()) made.problem = without_topics(without_topic);
  if (made.problem) return made;
  if (auto twice = find_double_reader(made.plain)) made.problem = unusable(std::move(*twice));
  return made;
}

topic_readers::topic_readers(const topology& topology) : named_(offset_topics(topology)) {
  const auto internal = unmatched_names(topology);
  internal_.assign(internal.begin(), internal.end());
  for (const auto* part : in_visiting_order(topology)) {
    for (const auto& text : part->source_topic_regex) patterns_.emplace_back(compile(text), part->id);
  }
}

topic_readers::~topic_readers() = default;

std::optional<std::string_view> topic_readers::find(std::string_view topic) const {
  if (const auto named = named_.find(topic); named != named_.end()) return named->second;
  if (patterns_.empty() || is_kafka_internal(topic)) return std::nullopt;
  if (std::ranges::binary_search(internal_, topic, std::less<>())) return std::nullopt;
  for (const auto& [pattern, reader] : patterns_) {
    if (pattern->ok() && re2::RE2::FullMatch(re2::StringPiece(topic.data(), topic.size()), *pattern)) return reader;
  }
  return std::nullopt;
}

namespace {

pattern_ptr compile(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory_max);
  return std::make_unique<re2::RE2>(pattern, options);
}

std::optional<std::string> find_bad_pattern(const subtopology& part, std::size_t& patterns) {
  patterns += part.source_topic_regex.size();
  if (patterns > limits::source_patterns_max) {
    return "a topology can have " + std::to_string(limits::source_patterns_max) + " patterns of source topics.";
  }
  for (const auto& text : part.source_topic_regex) {
    if (text.size() > limits::source_pattern_bytes_max) {
      return "a pattern of source topics has " + std::to_string(text.size()) + " bytes; " +
             std::to_string(limits::source_pattern_bytes_max) + " are allowed.";
    }
    if (const auto made = compile(text); !made->ok()) {
      return "the pattern \"" + text + "\" cannot be used: " + made->error() +
             ". Look-around and back references are not supported (the syntax is RE2's).";
    }
  }
  for (const auto& group : part.copartition_groups) {
    for (const auto index : group.source_topic_regex) {
      if (index >= 0 && static_cast<std::size_t>(index) < part.source_topic_regex.size()) continue;
      return "a copartition index is out of range.";
    }
  }
  return std::nullopt;
}

name_list matching_but(const std::set<std::string>& unmatched, const std::string& text, const metadata::image& image) {
  name_list names;
  const auto pattern = compile(text);
  if (!pattern->ok()) return names;
  for (const auto& topic : image.topics()) {
    if (is_kafka_internal(topic->name) || unmatched.contains(topic->name)) continue;
    if (re2::RE2::FullMatch(topic->name, *pattern)) names.push_back(topic->name);
  }
  return names;
}

/// What the application itself has made for it.
std::set<std::string> unmatched_names(const topology& topology) {
  std::set<std::string> names;
  for (const auto& part : topology.subtopologies) {
    names.insert(part.repartition_sink_topics.begin(), part.repartition_sink_topics.end());
    for (const auto& info : part.repartition_source_topics) names.insert(info.name);
    for (const auto& info : part.state_changelog_topics) names.insert(info.name);
  }
  return names;
}

/// `matched`: the topics of each pattern, in the order of the patterns.
void replace_patterns(subtopology& part, const std::vector<name_list>& matched) {
  std::map<std::string, std::size_t, std::less<>> positions;
  for (std::size_t i = 0; i < part.source_topics.size(); ++i) positions.try_emplace(part.source_topics[i], i);
  for (const auto& names : matched) {
    for (const auto& name : names) {
      if (positions.try_emplace(name, part.source_topics.size()).second) part.source_topics.push_back(name);
    }
  }
  part.source_topic_regex.clear();
  for (auto& group : part.copartition_groups) {
    for (const auto index : group.source_topic_regex) {
      if (index < 0 || static_cast<std::size_t>(index) >= matched.size()) continue;
      for (const auto& name : matched[static_cast<std::size_t>(index)]) {
        group.source_topics.push_back(static_cast<std::int16_t>(positions.at(name)));
      }
    }
    group.source_topic_regex.clear();
  }
}

/// Partition p of a topic has one task; so a topic has one subtopology.
std::optional<std::string> find_double_reader(const topology& plain) {
  std::map<std::string_view, std::string_view> readers;
  for (const auto& part : plain.subtopologies) {
    for (const auto& name : part.source_topics) {
      const auto [reader, is_first] = readers.try_emplace(name, part.id);
      if (is_first || reader->second == part.id) continue;
      return "Subtopologies " + std::string(reader->second) + " and " + part.id + " would both read topic " + name +
             ", which a pattern matches.";
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace weir::group
