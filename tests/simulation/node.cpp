#include "tests/simulation/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "group/carry_over.hpp"
#include "group/heartbeat/leave.hpp"
#include "group/invariants.hpp"
#include "group/offsets/commit.hpp"
#include "group/offsets/delete.hpp"
#include "metadata/delta.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/violation.hpp"

namespace weir::simulation {
namespace {

const std::string the_group = "g";
/// Every so many writes the log is replayed in full, in a form drawn for that write.
constexpr std::uint64_t replay_every = 8;

assignor::registry assignors_for(const plan& p) {
  const auto ties = p.strict_kafka ? assignor::ties::as_kafka : assignor::ties::by_id;
  return assignor::registry::make(p.broker.assignors, ties).value();
}

/// What the defect versions_unguarded sees of a group that has a topology.
group::streams_group blind_for_versions(group::streams_group seen, const request& r) {
  const auto newest = std::max(r.topology ? r.topology->epoch : 0, seen.topology->epoch);
  for (auto& [id, m] : seen.members) {
    if (id != r.member_id.view()) m.metadata.topology_epoch = newest;
  }
  return seen;
}

/// Heartbeats that come while patterns are tried on the topics of a new image.
constexpr int heartbeats_of_a_long_turn = 3;

}  // namespace

node::node(const plan& p, defect broken)
    : plan_(p),
      broken_(broken),
      image_(std::make_shared<const metadata::image>()),
      assignors_(assignors_for(p)),
      config_(group::effective(overrides_, p.broker)) {
  group_.id = durable_.id = the_group;
}

void node::heartbeat(const request& r, const group::request_context& context, std::int64_t now_ms, reply done) {
  if (const auto bad = group::check_request(r, plan_.strict_kafka)) {
    throw violation("answer rules", "refused: " + bad->message);
  }
  const auto view = world(now_ms);
  const auto before = observe(group_, r, view);
  auto outcome = decide(r, context, view);
  if (turns_left_ > 0) --turns_left_;
  if (!outcome.records.empty()) write(outcome.records);
  group::apply(group_, outcome.soft);
  if (broken_ == defect::tasks_untold && r.member_epoch > 0) {
    outcome.answer.active_tasks.reset();
    outcome.answer.standby_tasks.reset();
    outcome.answer.warmup_tasks.reset();
  }
  check_answer(
      {.before = before, .asked = r, .version = context.version, .outcome = outcome, .after = group_, .world = view});
  if (outcome.missing_internal_topics) missing_topics_ = outcome.missing_internal_topics->topics_to_create;
  if (writes_ == durables_) return done(outcome.answer);
  held_.push_back({writes_, std::move(outcome.answer), std::move(done)});
}

bool node::commit(const group::commit_check& asked, std::int64_t now_ms) {
  if (group::check_commit(group_, asked)) return false;
  group::records records;
  for (const auto& [topic, partition] : asked.partitions) {
    group::committed_offset value;
    value.offset = value.commit_timestamp_ms = now_ms;
    records.push_back(group::offset_record{.topic = std::string(topic), .partition = partition, .value = value});
  }
  if (!records.empty()) write(std::move(records));
  return true;
}

void node::remove_member(const std::string& member_id, std::int64_t now_ms) {
  auto outcome = group::remove_member(group_, member_id, group::cause::member_removed, now_ms);
  if (!outcome.records.empty()) write(std::move(outcome.records));
  apply(outcome.soft);
}

void node::delete_group() {
  if (group::check_deletion(group_)) return;
  write(group::deletion_records(group_));
}

std::optional<std::int64_t> node::wake_up_at() const {
  return broken_ == defect::deadlines_ignored ? std::nullopt : group::next_deadline(group_);
}

void node::wake_up(std::int64_t now_ms) {
  // One more than every member and the initial delay could need.
  const auto limit = 2 * group_.soft.members.size() + 2;
  for (std::size_t i = 0;; ++i) {
    auto outcome = group::on_deadline(group_, world(now_ms));
    if (outcome.records.empty() && outcome.soft.empty()) break;
    if (i == limit) throw violation("deadlines end", "a wake-up always finds one more thing to do");
    if (!outcome.records.empty()) write(std::move(outcome.records));
    apply(outcome.soft);
  }
  if (const auto next = group::next_deadline(group_); next && *next <= now_ms) {
    throw violation("deadlines end", "a deadline that has passed does nothing and stays");
  }
}

void node::begin_long_turn() { turns_left_ = plan_.has_long_turns ? heartbeats_of_a_long_turn : 0; }

void node::set_image(metadata::image_ptr next) {
  const auto changed = metadata::difference(*image_, *next);
  image_ = std::move(next);
  begin_long_turn();
  const bool is_told_all = group_.reads_patterns && broken_ != defect::patterns_unwatched;
  hashes_.subscribe(group_.id, group_.required_topics, is_told_all);
  const bool concerns_group = !hashes_.invalidate(changed).empty();
  if (concerns_group && broken_ != defect::image_unnoticed) group::invalidate_metadata(group_);
}

void node::configure(const std::string& key, const std::string& value) {
  auto changed = overrides_;
  changed[key] = value;
  if (!group::check(changed, plan_.broker)) return;
  overrides_ = std::move(changed);
  config_ = group::effective(overrides_, plan_.broker);
}

std::map<std::string, group::internal_topic, std::less<>> node::take_missing_topics() {
  return std::exchange(missing_topics_, {});
}

// Deciding and writing.

group::world node::world(std::int64_t now_ms) {
  return {.image = *image_,
          .hashes = hashes_,
          .config = config_,
          .max_size = plan_.max_size,
          .assignors = assignors_,
          .strict_kafka = plan_.strict_kafka,
          .now_ms = now_ms,
          .patterns = {
              .are_own_pending = turns_left_ > 0, .are_sent_pending = turns_left_ > 0, .sent = {}, .limit = {}}};
}

group::heartbeat_outcome node::decide(const request& r, const group::request_context& context,
                                      const group::world& world) {
  if (broken_ == defect::actives_unguarded || broken_ == defect::standbys_unguarded) {
    auto blind = group_;
    if (broken_ == defect::actives_unguarded) blind.held.active.clear();
    blind.held.standby.clear();
    ++blind.held.holdings;  // what is gone from the maps cannot be released
    return group::heartbeat(blind, r, context, world);
  }
  if (broken_ == defect::versions_unguarded && group_.topology) {
    return group::heartbeat(blind_for_versions(group_, r), r, context, world);
  }
  const auto found = group_.members.find(r.member_id.view());
  const bool is_late =
      r.member_epoch > 0 && found != group_.members.end() && r.member_epoch < found->second.current.member_epoch;
  if (broken_ == defect::fence_open && is_late) {
    auto current = r;
    current.member_epoch = found->second.current.member_epoch;
    return group::heartbeat(group_, current, context, world);
  }
  return group::heartbeat(group_, r, context, world);
}

void node::write(group::records records) {
  for (const auto& r : records) {
    note_move(r);
    group::apply(group_, r);
    const bool is_whole = &r == &records.back();
    for (const auto& problem : group::check_invariants(group_, is_whole)) {
      throw violation("invariants of the group", problem);
    }
  }
  if (group::state_of(group_) == group::group_state::stable) moved_processes_.clear();
  check_processes();
  check_readers();
  ++writes_;
  ++changes_;
  unwritten_.push_back(std::move(records));
}

/// Whatever topology their members run, no two active tasks read one partition (spec 01, 11.3). Judged by what the
/// application is, not by what the group remembers of it.
void node::check_readers() const {
  if (plan_.versions.size() < 2) return;
  std::map<std::pair<std::string_view, std::int32_t>, std::string_view> readers;
  const auto take = [&](const std::string& id, const group::member& m, const group::task_epochs& tasks) {
    const auto& inputs = plan_.inputs[static_cast<std::size_t>(m.metadata.topology_epoch)];
    for (const auto& [subtopology, partitions] : tasks) {
      const auto topics = inputs.find(subtopology);
      if (topics == inputs.end()) throw violation("one reader of a partition", id + " has a task it does not know");
      for (const auto& topic : topics->second) {
        for (const auto& [p, epoch] : partitions) {
          const auto [reader, is_first] = readers.try_emplace({topic, p}, id);
          if (is_first || reader->second == id) continue;
          throw violation("one reader of a partition",
                          fmt::format("{} and {} both read partition {} of {}", reader->second, id, p, topic));
        }
      }
    }
  };
  for (const auto& [id, m] : group_.members) {
    take(id, m, m.current.assigned.active);
    take(id, m, m.current.pending_revocation.active);
  }
}

void node::apply(const std::vector<group::soft_update>& updates) {
  for (const auto& update : updates) group::apply(group_, update);
}

/// A static member that returns in another process takes its tasks along (spec 01, 2.4.4), also beside a standby that
/// its new process already has. The bump that goes with it puts that right, by the time the group is STABLE.
void node::note_move(const group::record& r) {
  const auto* changed = std::get_if<group::member_metadata_record>(&r);
  if (changed == nullptr || !changed->value) return;
  const auto found = group_.members.find(changed->member_id);
  if (found == group_.members.end() || found->second.metadata.process_id == changed->value->process_id) return;
  moved_processes_.insert(changed->value->process_id);
}

/// Between two members of one process. One member may hold both while it changes roles in place (spec 01, 8.3).
void node::check_processes() const {
  for (const auto& [id, m] : group_.members) {
    for (const auto* replicas : {&m.current.assigned.standby, &m.current.assigned.warmup,
                                 &m.current.pending_revocation.standby, &m.current.pending_revocation.warmup}) {
      for (const auto& [subtopology, partitions] : *replicas) {
        const auto actives = group_.held.active.find(subtopology);
        if (actives == group_.held.active.end()) continue;
        for (auto p : partitions) {
          const auto holder = actives->second.find(p);
          if (holder == actives->second.end() || holder->second != m.metadata.process_id) continue;
          const bool is_own = group::contains(m.current.assigned.active, subtopology, p) ||
                              group::contains(m.current.pending_revocation.active, subtopology, p);
          if (is_own || moved_processes_.contains(m.metadata.process_id)) continue;
          throw violation("no standby beside its active",
                          fmt::format("task {}_{}: {} is beside its active in process {}", subtopology, p, id,
                                      m.metadata.process_id));
        }
      }
    }
  }
}

// The disk.

void node::not_written(std::int64_t now_ms) {
  auto waiting = std::exchange(held_, {});
  unwritten_.clear();
  writes_ = durables_;
  if (broken_ != defect::write_survives) rebuild(now_ms);
  if (const auto differ = differences(group_, durable_); !differ.empty()) {
    throw violation("a failed write leaves nothing", "still there: " + differ);
  }
  const auto refused = group::refused(protocol::error_code::coordinator_not_available, "the write failed");
  for (const auto& h : waiting) h.done(refused);
}

void node::written() {
  while (!unwritten_.empty()) {
    for (const auto& r : unwritten_.front()) group::apply(durable_, r);
    log_.append(the_group, unwritten_.front(), broken_ == defect::record_lost && durables_ % 16 == 15);
    unwritten_.pop_front();
    ++durables_;
    check_epochs(durable_);
    if (mix(plan_.seed, durables_) % replay_every != 0) continue;
    const auto replayed = log_.replay(the_group, mix(plan_.seed, durables_, 1));
    if (const auto differ = differences(durable_, replayed); !differ.empty()) {
      throw violation("replay gives the live state", "different: " + differ);
    }
  }
  if (const auto differ = differences(group_, durable_); !differ.empty()) {
    throw violation("replay gives the live state", "all is written, and different: " + differ);
  }
  while (!held_.empty() && held_.front().write <= durables_) {
    const auto h = std::move(held_.front());
    held_.pop_front();
    h.done(h.answer);
  }
}

void node::restart(std::int64_t now_ms) {
  held_.clear();
  unwritten_.clear();
  writes_ = durables_;
  if (broken_ == defect::durable_write_lost) {
    log_.forget_last_append();
    durable_ = log_.replay(the_group, 0);
  }
  begin_long_turn();
  group_.soft = {};
  rebuild(now_ms);
  check_epochs(group_);
  if (const auto differ = differences(group_, durable_); !differ.empty()) {
    throw violation("replay gives the live state", "after a restart: " + differ);
  }
}

void node::rebuild(std::int64_t now_ms) {
  auto soft = std::move(group_.soft);
  group_ = log_.replay(the_group, mix(plan_.seed, ++changes_, 2));
  const auto repairs = group::finish_load(group_, config_, now_ms);
  if (!repairs.empty()) throw violation("replay gives the live state", "loading had to repair: " + repairs.front());
  group::carry_over(group_, std::move(soft));
}

/// A deleted group starts again; otherwise no epoch goes back, whatever was restarted or failed.
void node::check_epochs(const group::streams_group& group) {
  if (group.kind != group::group_kind::streams) {
    durable_epochs_ = {};
    return;
  }
  const epochs now{group.metadata.epoch, group.target_info.assignment_epoch};
  if (now.group < durable_epochs_.group || now.assignment < durable_epochs_.assignment) {
    throw violation("epochs never go back",
                    fmt::format("group epoch {} after {}, assignment epoch {} after {}", now.group,
                                durable_epochs_.group, now.assignment, durable_epochs_.assignment));
  }
  durable_epochs_ = now;
}

void node::check_replay_in_every_form() const {
  for (std::uint64_t form = 0; form < 4; ++form) {
    const auto replayed = log_.replay(the_group, mix(plan_.seed, form, 3) / 4 * 4 + form);
    if (const auto differ = differences(durable_, replayed); !differ.empty()) {
      throw violation("replay gives the live state", fmt::format("form {}: {}", form, differ));
    }
  }
}

}  // namespace weir::simulation
