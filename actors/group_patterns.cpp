// Patterns of a group and of its requests: what is known of them, a turn after the other (decision 013).
#include <algorithm>

#include "actors/group_shell.hpp"
#include "base/limits.hpp"
#include "base/thread_time.hpp"
#include "group/consumer/consumer_group.hpp"
#include "group/heartbeat/read_request.hpp"

namespace weir::actors {
namespace {

bool brings_patterns(const protocol::streams_group_heartbeat_request& request) {
  return request.topology && std::ranges::any_of(request.topology->subtopologies, [](const auto& part) {
           return !part.source_topic_regex.empty();
         });
}

}  // namespace

bool group_shell::have_own_patterns_been_tried(pattern_turn& turn) {
  refresh_image();
  if (!group_.reads_patterns) return true;
  if (group_.soft.matches && matched_image_ == image_number_) return true;
  const auto tried = patterns_.try_on({*group_.topology, group_.soft.matches, false}, *image_, turn, now());
  if (!tried.is_done) {
    arm(now() + turn_pause_ms);
    return false;
  }
  matched_image_ = image_number_;
  group::soft_update update;
  update.matches = tried.found;
  group::apply(group_, update);
  return true;
}

void group_shell::match_patterns() {
  pattern_turn turn(services_.patterns, now());
  static_cast<void>(have_own_patterns_been_tried(turn));
}

group::pattern_knowledge group_shell::try_patterns(const protocol::streams_group_heartbeat_request& request) {
  group::pattern_knowledge known;
  const bool brings = brings_patterns(request);
  if (!group_.reads_patterns && !brings) return known;
  constexpr int turns_for_what_is_left = 5;
  known.limit = {.used_ns = thread_time_ns, .most_ns = turns_for_what_is_left * limits::pattern_turn_ns};
  pattern_turn turn(services_.patterns, now());
  known.are_own_pending = !have_own_patterns_been_tried(turn);
  if (!brings || services_.options.strict_kafka) return known;
  const auto sent = group::topology_in(*request.topology);
  if (group_.topology && *group_.topology == sent) {
    known.are_sent_pending = known.are_own_pending;
    return known;
  }
  const auto tried = patterns_.try_on({sent, nullptr, true}, *image_, turn, now());
  known.are_sent_pending = !tried.is_done;
  known.sent = tried.found;
  if (!tried.is_done) arm(now() + turn_pause_ms);
  return known;
}

bool group_shell::try_consumer_patterns(const protocol::consumer_group_heartbeat_request& request,
                                        group::consumer_world& world) {
  const auto& consumers = group_.soft.consumer;
  const auto& sent = request.subscribed_topic_regex;
  const bool brings = sent && !sent->empty() && !consumers.matched->contains(sent->view());
  const bool is_new_image = !consumers.matched->empty() && consumers.image_version != image_->version();
  pattern_turn turn(services_.patterns, now());
  const auto found = std::make_shared<group::matched_topics>();
  const auto has_tried = [&](const std::string& pattern, const group::pattern_matches_ptr& known) {
    const auto tried = patterns_.try_on({group::topology_of(pattern), known, false}, *image_, turn, now());
    if (tried.found) found->emplace(pattern, tried.found);
    return tried.is_done;
  };
  const bool has_tried_sent = !brings || has_tried(sent->str(), nullptr);
  if (is_new_image) {
    for (const auto& [pattern, matches] : *consumers.matched) {
      if (!has_tried(pattern, matches)) world.patterns_are_pending = true;
    }
  }
  if (patterns_.has_more()) arm(now() + turn_pause_ms);
  world.tried = found;
  return has_tried_sent;
}

void group_shell::go_on_with_patterns() {
  if (patterns_.empty()) return;
  pattern_turn turn(services_.patterns, now());
  patterns_.go_on(*image_, turn, now());
}

}  // namespace weir::actors
