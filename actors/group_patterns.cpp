// Patterns of a group and of its requests: what is known of them, a turn after the other (decision 013).
#include <algorithm>

#include "actors/group_shell.hpp"
#include "base/limits.hpp"
#include "base/thread_time.hpp"
#include "group/consumer/consumer_group.hpp"
#include "group/heartbeat/read_request.hpp"
#include "group/versions.hpp"

namespace weir::actors {
namespace {

constexpr std::int64_t turn_pause_ms = 20;
constexpr std::int64_t pause_without_time_ms = 200;
constexpr std::int64_t look_ms = 5'000;  // whether something can be forgotten

bool brings_patterns(const protocol::streams_group_heartbeat_request& request) {
  return request.topology && std::ranges::any_of(request.topology->subtopologies, [](const auto& part) {
           return !part.source_topic_regex.empty();
         });
}

bool has_former_patterns(const group::streams_group& group) {
  return std::ranges::any_of(group.soft.former_topologies,
                             [](const auto& entry) { return group::reads_patterns(*entry.second.topology); });
}

/// The group or some of its members have that topology: nothing new is to be found out.
bool has_version(const group::streams_group& group, const group::topology& sent) {
  const auto* const known = group::version_of(group, sent.epoch);
  if (known == nullptr || !group::equivalent(sent, *known)) return false;
  return known == &*group.topology || group::count_of_version(group, sent.epoch) > 0;
}

}  // namespace

/// When it goes on with patterns; nothing if there are none to go on with.
std::optional<std::int64_t> group_shell::patterns_due_ms() const {
  if (patterns_.empty() || loading_) return std::nullopt;
  if (!patterns_.has_more()) return now() + look_ms;
  return now() + (had_pattern_time_ ? turn_pause_ms : pause_without_time_ms);
}

void group_shell::end_turn(const pattern_turn& turn) {
  had_pattern_time_ = turn.had_time();
  arm(patterns_due_ms());
}

/// Of members of former topologies, too, so that the group can go back to one.
void group_shell::try_former_patterns(pattern_turn& turn) {
  std::vector<group::former_version> tried_ones;
  for (const auto& [epoch, former] : group_.soft.former_topologies) {
    if (group::count_of_version(group_, epoch) == 0 || !group::reads_patterns(*former.topology)) continue;
    const auto tried = patterns_.try_on({*former.topology, former.matches, false}, *image_, turn, now());
    if (tried.found && tried.found != former.matches) tried_ones.push_back({former.topology, tried.found});
  }
  for (auto& one : tried_ones) {
    group::soft_update update;
    update.former = std::move(one);
    group::apply(group_, update);
  }
}

bool group_shell::have_own_patterns_been_tried(pattern_turn& turn) {
  if (!group_.reads_patterns) return true;
  if (group_.soft.matches && matched_image_ == image_number_) return true;
  const auto tried = patterns_.try_on({*group_.topology, group_.soft.matches, false}, *image_, turn, now());
  if (tried.is_done) matched_image_ = image_number_;
  note_progress(tried.untried, tried.found);
  return tried.is_done;
}

/// `found`: once nothing is untried.
void group_shell::note_progress(std::size_t untried, group::pattern_matches_ptr found) {
  const auto before = group_.soft.trying;
  const auto topics = image_->topics().size();
  group::soft_update update;
  update.trying = {.topics = topics,
                   .untried = std::min(untried, topics),
                   .since_ms = before ? before->since_ms : now()};
  update.matches = std::move(found);
  group::apply(group_, update);
  if (before.has_value() != group_.soft.trying.has_value()) row_changed();
}

void group_shell::match_patterns() {
  refresh_image();
  pattern_turn turn(services_.patterns, now());
  static_cast<void>(have_own_patterns_been_tried(turn));
  end_turn(turn);
}

group::pattern_knowledge group_shell::try_patterns(const protocol::streams_group_heartbeat_request& request) {
  group::pattern_knowledge known;
  const bool brings = brings_patterns(request) && !services_.options.strict_kafka;
  if (!group_.reads_patterns && !brings && !has_former_patterns(group_)) return known;
  known.limit = {.used_ns = thread_time_ns, .most_ns = limits::pattern_turn_ns};
  pattern_turn turn(services_.patterns, now());
  known.are_own_pending = !have_own_patterns_been_tried(turn);
  try_former_patterns(turn);
  if (brings) try_sent_patterns(group::topology_in(*request.topology), turn, known);
  end_turn(turn);
  return known;
}

void group_shell::try_sent_patterns(const group::topology& sent, pattern_turn& turn, group::pattern_knowledge& known) {
  if (has_version(group_, sent)) return;
  const bool is_new = !group_.topology || sent.epoch > group_.topology->epoch;
  const auto tried = patterns_.try_on({sent, nullptr, is_new}, *image_, turn, now());
  known.are_sent_pending = !tried.is_done;
  known.sent = tried.found;
}

bool group_shell::try_consumer_patterns(const protocol::consumer_group_heartbeat_request& request,
                                        group::consumer_world& world) {
  const auto& consumers = group_.soft.consumer;
  const auto& sent = request.subscribed_topic_regex;
  const bool is_stranger = request.member_epoch > 0 && !consumers.members.contains(request.member_id.view());
  const bool brings = !is_stranger && sent && !sent->empty() && !consumers.matched->contains(sent->view());
  const bool is_new_image = !consumers.matched->empty() && consumers.image_version != image_->version();
  if (!brings && !is_new_image) return true;
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
  end_turn(turn);
  world.tried = found;
  return has_tried_sent;
}

void group_shell::go_on_with_patterns() {
  if (patterns_.empty() || loading_) return;
  pattern_turn turn(services_.patterns, now());
  patterns_.go_on(*image_, turn, now());
  had_pattern_time_ = turn.had_time();
  if (group_.soft.trying) note_progress(patterns_.untried(*group_.topology), nullptr);
}

}  // namespace weir::actors
