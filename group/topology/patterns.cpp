#include "group/topology/patterns.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/limits.hpp"
#include "group/topology/some_names.hpp"
#include "group/topology/validate.hpp"

namespace weir::group {
namespace {

using pattern_ptr = std::unique_ptr<re2::RE2>;
using name_list = std::vector<std::string>;

/// Program and automaton of one pattern.
constexpr std::int64_t pattern_memory_max = 256 * 1024;

/// Those of a topology, in its order.
struct compiled_patterns {
  std::vector<pattern_ptr> all;
  std::size_t instructions = 0;
};

pattern_ptr compile(const std::string& pattern);
std::size_t instructions_of(const re2::RE2& pattern);
tl::expected<compiled_patterns, refusal> compile_all(const topology& topology);
std::optional<refusal> check_work(const compiled_patterns& patterns, const metadata::image& image);
name_list unseen_names(const pattern_matches* before, const metadata::image& image);
std::size_t try_on(const compiled_patterns& patterns, const name_list& names, match_meter& meter,
                   std::vector<name_list>& to);
void note_seen(const metadata::image& image, std::span<const std::string> unseen, pattern_matches& to);
void carry_over_matches(const name_list& before, const metadata::image& image, name_list& to);
std::set<std::string> unmatched_names(const topology& topology);
void replace_patterns(subtopology& part, const std::vector<name_list>& matched);
std::optional<std::string> find_double_reader(const topology& plain);

topology_problem unusable(std::string detail) {
  return {topology_status::incorrectly_partitioned_topics, std::move(detail), {}};
}

std::optional<topology_problem> check_number(const pattern_matches* matches) {
  if (matches == nullptr || !matches->are_too_many) return std::nullopt;
  return unusable("The patterns of source topics match more than " + std::to_string(limits::pattern_matches_max) +
                  " topics, counted for each pattern.");
}

std::optional<topology_problem> check_size(const subtopology& part) {
  if (part.source_topics.size() <= limits::source_topics_max) return std::nullopt;
  return unusable("Subtopology " + part.id + " would read " + std::to_string(part.source_topics.size()) + " topics; " +
                  std::to_string(limits::source_topics_max) + " are allowed with patterns.");
}

/// `news`: the names to try the patterns on. Without them nothing has to be compiled.
pattern_matches_ptr match(const compiled_patterns& patterns, const metadata::image& image,
                          const pattern_matches* before, const name_list& news, match_meter& meter) {
  auto out = std::make_shared<pattern_matches>();
  out->names.resize(before == nullptr ? patterns.all.size() : before->names.size());
  const auto tried = try_on(patterns, news, meter, out->names);
  for (std::size_t i = 0; before != nullptr && i < out->names.size(); ++i) {
    carry_over_matches(before->names[i], image, out->names[i]);
  }
  std::size_t all = 0;
  for (const auto& names : out->names) all += names.size();
  out->are_too_many = all > limits::pattern_matches_max;
  if (out->are_too_many) {
    for (auto& names : out->names) names.clear();
  } else {
    note_seen(image, std::span(news).subspan(tried), *out);
  }
  return out;
}

topology_problem without_topics(const name_list& patterns) {
  return {topology_status::missing_source_topics,
          "Source topics are missing: no topic matches the pattern " + some_names(patterns) + ".", {}};
}

}  // namespace

std::optional<refusal> check_patterns(const topology& topology) {
  auto made = compile_all(topology);
  return made ? std::nullopt : std::optional(std::move(made.error()));
}

std::optional<std::string> pattern_fault(const std::string& pattern) {
  if (pattern.size() > limits::source_pattern_bytes_max) {
    return std::to_string(pattern.size()) + " bytes; " + std::to_string(limits::source_pattern_bytes_max) +
           " are allowed";
  }
  const auto made = compile(pattern);
  if (!made->ok()) return made->error();
  if (instructions_of(*made) <= limits::pattern_instructions_max) return std::nullopt;
  return "it is too large once it is compiled";
}

tl::expected<pattern_matches_ptr, refusal> match_patterns(const topology& topology, const metadata::image& image,
                                                          const pattern_matches* before, bool is_new,
                                                          match_meter& meter) {
  if (before != nullptr && before->are_too_many) before = nullptr;  // there may be fewer now
  auto news = unseen_names(before, image);
  const auto unmatched = unmatched_names(topology);
  std::erase_if(news, [&](const std::string& name) { return unmatched.contains(name); });
  compiled_patterns patterns;
  if (before == nullptr || !news.empty()) {
    auto made = compile_all(topology);
    if (!made) return tl::unexpected(std::move(made.error()));
    patterns = *std::move(made);
  }
  if (is_new) {
    if (auto refused = check_work(patterns, image)) return tl::unexpected(std::move(*refused));
  }
  meter.look();
  return match(patterns, image, before, news, meter);
}

tl::expected<pattern_matches_ptr, refusal> match_patterns(const topology& topology, const metadata::image& image,
                                                          const pattern_matches* before, bool is_new) {
  match_meter endless;
  return match_patterns(topology, image, before, is_new, endless);
}

topology topology_of(const std::string& pattern) {
  topology made;
  made.subtopologies.emplace_back().source_topic_regex = {pattern};
  return made;
}

resolved_topology resolve(const topology& topology, const pattern_matches* matches) {
  const auto all = matches == nullptr ? std::span<const name_list>() : std::span(matches->names);
  resolved_topology made{topology, {}};
  made.problem = check_number(matches);
  name_list without_topic;
  auto next = all.begin();
  for (auto& part : made.plain.subtopologies) {
    std::vector<name_list> matched;
    for (const auto& text : part.source_topic_regex) {
      matched.push_back(next == all.end() ? name_list() : *next++);
      if (matched.back().empty()) without_topic.push_back("\"" + text + "\"");
    }
    replace_patterns(part, matched);
    if (!made.problem) made.problem = check_size(part);
  }
  if (!made.problem && !without_topic.empty()) made.problem = without_topics(without_topic);
  if (made.problem) return made;
  if (auto twice = find_double_reader(made.plain)) made.problem = unusable(std::move(*twice));
  return made;
}

topic_readers::topic_readers(const topology& topology, const pattern_matches* matches)
    : named_(offset_topics(topology)),
      knows_all_(!reads_patterns(topology) || (matches != nullptr && matches->unseen == 0 && !matches->are_too_many)) {
  if (matches == nullptr) return;
  auto next = matches->names.begin();
  for (const auto& part : topology.subtopologies) {
    for (std::size_t i = 0; i < part.source_topic_regex.size() && next != matches->names.end(); ++i, ++next) {
      matched_.emplace_back(&*next, part.id);
    }
  }
}

std::optional<std::string_view> topic_readers::find(std::string_view topic) const {
  if (const auto named = named_.find(topic); named != named_.end()) return named->second;
  for (const auto& [names, reader] : matched_) {
    if (std::ranges::binary_search(*names, topic, std::less<>())) return reader;
  }
  return std::nullopt;
}

namespace {

pattern_ptr compile(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(pattern_memory_max);
  return std::make_unique<re2::RE2>(pattern, options);
}

std::size_t instructions_of(const re2::RE2& pattern) {
  return static_cast<std::size_t>(std::max(0, pattern.ProgramSize()));
}

/// Of the patterns of one subtopology, which are added.
std::optional<std::string> find_bad_pattern(const subtopology& part, compiled_patterns& to) {
  if (to.all.size() + part.source_topic_regex.size() > limits::source_patterns_max) {
    return "a topology can have " + std::to_string(limits::source_patterns_max) + " patterns of source topics.";
  }
  for (const auto& text : part.source_topic_regex) {
    if (text.size() > limits::source_pattern_bytes_max) {
      return "a pattern of source topics has " + std::to_string(text.size()) + " bytes; " +
             std::to_string(limits::source_pattern_bytes_max) + " are allowed.";
    }
    auto made = compile(text);
    if (!made->ok()) {
      return "the pattern \"" + text + "\" cannot be used: " + made->error() +
             ". Look-around and back references are not supported (the syntax is RE2's).";
    }
    to.instructions += instructions_of(*made);
    if (to.instructions > limits::pattern_instructions_max) {
      return "with the pattern \"" + text + "\" the patterns of the topology compile to more than " +
             std::to_string(limits::pattern_instructions_max) + " instructions.";
    }
    to.all.push_back(std::move(made));
  }
  for (const auto& group : part.copartition_groups) {
    for (const auto index : group.source_topic_regex) {
      if (index >= 0 && static_cast<std::size_t>(index) < part.source_topic_regex.size()) continue;
      return "a copartition index is out of range.";
    }
  }
  return std::nullopt;
}

tl::expected<compiled_patterns, refusal> compile_all(const topology& topology) {
  compiled_patterns made;
  for (const auto& part : topology.subtopologies) {
    if (auto fault = find_bad_pattern(part, made)) {
      return tl::unexpected(
          refusal{protocol::error_code::streams_invalid_topology, "Subtopology " + part.id + ": " + *fault});
    }
  }
  return made;
}

/// A byte of a name costs at most one step of each instruction.
std::optional<refusal> check_work(const compiled_patterns& patterns, const metadata::image& image) {
  std::uint64_t bytes = 0;
  for (const auto& topic : image.topics()) bytes += topic->name.size();
  if (patterns.instructions == 0 || bytes <= limits::pattern_work_max / patterns.instructions) return std::nullopt;
  return refusal{protocol::error_code::streams_invalid_topology,
                 "The patterns of source topics are too large for so many topics: they compile to " +
                     std::to_string(patterns.instructions) + " instructions, the names of all topics have " +
                     std::to_string(bytes) + " bytes, and the product may be at most " +
                     std::to_string(limits::pattern_work_max) + "."};
}

/// Of the topics that `before` has not seen, Kafka's own left out; ascending.
name_list unseen_names(const pattern_matches* before, const metadata::image& image) {
  static const std::vector<metadata::topic_ptr> none;
  const auto& seen = before == nullptr ? none : before->seen;
  name_list names;
  auto at = seen.begin();
  for (const auto& topic : image.topics()) {
    while (at != seen.end() && *at != topic && (*at)->name < topic->name) ++at;
    if (at != seen.end() && (*at == topic || (*at)->name == topic->name)) continue;
    if (!is_kafka_internal(topic->name)) names.push_back(topic->name);
  }
  return names;
}

/// Until the time is over, or there are too many; how many names were tried. What matches is added in their order.
std::size_t try_on(const compiled_patterns& patterns, const name_list& names, match_meter& meter,
                   std::vector<name_list>& to) {
  std::size_t tried = 0;
  std::size_t found = 0;
  for (const auto& name : names) {
    if (tried > 0 && (meter.is_over() || found > limits::pattern_matches_max)) break;
    for (std::size_t i = 0; i < patterns.all.size(); ++i) {
      const auto& pattern = *patterns.all[i];
      if (!re2::RE2::FullMatch(name, pattern)) continue;
      to[i].push_back(name);
      ++found;
    }
    meter.add(patterns.instructions * (name.size() + 1));
    ++tried;
  }
  return tried;
}

/// All topics but those, which are ascending.
void note_seen(const metadata::image& image, std::span<const std::string> unseen, pattern_matches& to) {
  to.unseen = unseen.size();
  to.seen.reserve(image.topics().size() - unseen.size());
  auto next = unseen.begin();
  for (const auto& topic : image.topics()) {
    if (next != unseen.end() && topic->name == *next) {
      ++next;
    } else {
      to.seen.push_back(topic);
    }
  }
}

/// Adds those that are still there.
void carry_over_matches(const name_list& before, const metadata::image& image, name_list& to) {
  const auto news = static_cast<std::ptrdiff_t>(to.size());
  for (const auto& name : before) {
    if (image.find(name) != nullptr) to.push_back(name);
  }
  std::inplace_merge(to.begin(), to.begin() + news, to.end());
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
