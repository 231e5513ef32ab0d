// The shell around one group's rules; calls nothing of CAF. It asks the core to decide, applies the records, appends
// them, holds the answer until they are durable, and forgets its memory when they cannot be written. Owned by the
// group actor, one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/config_store.hpp"
#include "actors/counters.hpp"
#include "actors/current_image.hpp"
#include "actors/group_defaults.hpp"
#include "actors/held_answers.hpp"
#include "actors/kept_view.hpp"
#include "actors/messages.hpp"
#include "actors/pattern_turns.hpp"
#include "actors/wake_up.hpp"
#include "assignor/registry.hpp"
#include "base/log.hpp"
#include "group/describe.hpp"
#include "group/streams_group.hpp"
#include "metadata/hash_cache.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

/// An append of a group, numbered by it.
struct group_append {
  std::string group_id;
  std::uint64_t incarnation = 0;
  std::uint64_t number = 0;
  group::records records;
  std::vector<storage::table_write> writes;
};

/// Port: the way to the log; the outcome comes back as log_progress_message.
class append_port {
 public:
  virtual ~append_port() = default;
  virtual void append(group_append append) = 0;
};

/// What all groups of a node share; outlives them.
struct group_services {
  coordinator_options options;
  storage::record_log& log;
  internal_topics& topics;
  clock& time;
  append_port& appends;
  current_image& images;
  metadata::hash_cache& hashes;
  config_store& configs;
  defaults_store& defaults;
  assignor::registry& assignors;
  coordinator_counters& counters;
  event_feed& feed;
  std::atomic<bool> is_letting_go{false};  ///< nobody waits for other members any more
  std::atomic<std::uint64_t> incarnations{0};
  std::atomic<std::uint64_t> writes{0};         ///< appends of records, of all groups
  log::flood_guard faults{20, 10'000};  ///< lines about heartbeats that failed
  pattern_budget patterns = {};
};

/// Port: what a group asks of the actor it lives in.
class group_host {
 public:
  virtual ~group_host() = default;
  virtual void wake_in(std::int64_t milliseconds, std::uint64_t token) = 0;
  /// The group has become one of that kind.
  virtual void kind_changed(group::group_kind kind) = 0;
  /// What lists show of the group from now on, without asking it; null: they ask.
  virtual void show(std::shared_ptr<const group::group_summary> row) = 0;
};

class group_shell {
 public:
  /// `state` as replayed, or just an id.
  group_shell(group_services& services, group_host& host, group::streams_group state);
  /// Held answers are rejected with NOT_COORDINATOR.
  ~group_shell();
  group_shell(const group_shell&) = delete;
  group_shell& operator=(const group_shell&) = delete;

  /// First of all: starts what a loaded group needs (spec 04, 11).
  void start();
  /// Instead: appends of a former life may be under way, so waits for them, then replays. Requests get
  /// COORDINATOR_LOAD_IN_PROGRESS meanwhile. `last_known` is what the group was in that life.
  void start_by_replay(group::group_kind last_known);

  void heartbeat(const heartbeat_message& message);
  void describe(const describe_message& message);
  void view(const view_message& message);
  void probe(const probe_message& message);
  void tell_timeline(const timeline_message& message);
  void summarise(const summary_message& message);
  void commit(const commit_message& message);
  void fetch(const fetch_message& message);
  void remove(const delete_message& message);
  void delete_offsets(const delete_offsets_message& message);
  void end_transaction(const end_transaction_message& message);
  void update_description(const description_message& message);
  void join_classic(const join_message& message);
  void sync_classic(const sync_message& message);
  void beat_classic(const beat_message& message);
  void leave_classic(const leave_message& message);
  void describe_classic(const describe_classic_message& message);
  void heartbeat_consumer(const consumer_message& message);
  void describe_consumers(const describe_consumers_message& message);
  /// Spec 04, 13.4.
  void clean_up();
  /// Rejects the requests that wait for other members.
  void let_go(protocol::error_code code);
  void alter_config(const alter_config_message& message);
  void administer(const admin_message& message);
  void follow_defaults(const defaults_message& message);
  void log_progress(const log_progress_message& message);
  void image_changed();
  void topics_deleted();
  void wake_up_fired(const wake_up_message& message);

  /// Nothing stored, no open transaction, nothing waiting: the actor may end.
  [[nodiscard]] bool is_over() const noexcept {
    return group_.kind == group::group_kind::none && group_.soft.transactions.empty() && appended_ == durable_ &&
           held_.empty() && patterns_.empty() && !loading_ && !is_former_shown();
  }
  /// For tests.
  [[nodiscard]] const group::streams_group& state() const noexcept { return group_; }

 private:
  /// Whether a request may be looked at; otherwise it has been rejected.
  bool admit(pending_answer& request);
  [[nodiscard]] bool is_former_shown() const noexcept { return former_ && former_->writes == services_.writes; }
  /// What describes and lists show (spec 04, 9.1).
  [[nodiscard]] const group::streams_group& for_readers() const noexcept {
    return is_former_shown() ? former_->group : group_;
  }
  /// Whether what the request decided can be written; otherwise it has been rejected and must change nothing.
  bool has_room(const group::records& records, pending_answer& request);
  void heard_of(const group::soft_update& update);
  void heard_of_consumer(text member_id);
  const std::vector<std::string>& words_for_probes(const group::streams_group& seen,
                                                            group::group_state state);
  void tell_fault(protocol::streams_group_heartbeat_response& answer);
  [[nodiscard]] group::world world();
  [[nodiscard]] std::int64_t now() const { return services_.time.now_ms(); }
  void refresh_image();
  // Patterns: see group_patterns.cpp.
  /// What a heartbeat needs to know of those of the group and its own.
  [[nodiscard]] group::pattern_knowledge try_patterns(const protocol::streams_group_heartbeat_request& request);
  /// False: a pattern of the request is still being tried, and it has to come again.
  [[nodiscard]] bool try_consumer_patterns(const protocol::consumer_group_heartbeat_request& request,
                                           group::consumer_world& world);
  /// For readers: brings what the group's patterns match up to date if one turn is enough.
  void match_patterns();
  [[nodiscard]] bool have_own_patterns_been_tried(pattern_turn& turn);
  void note_progress(std::size_t untried, group::pattern_matches_ptr found);
  void try_former_patterns(pattern_turn& turn);
  void try_sent_patterns(const group::topology& sent, pattern_turn& turn, group::pattern_knowledge& known);
  void go_on_with_patterns();
  void end_turn(const pattern_turn& turn);
  [[nodiscard]] std::optional<std::int64_t> patterns_due_ms() const;

  void carry_out(group::change_outcome outcome);
  // Of administrators; nothing: done.
  std::optional<protocol::kafka_error> carry_out(const change_settings& what, const std::string& by);
  std::optional<protocol::kafka_error> carry_out(const ask_rebalance& what, const std::string& by);
  std::optional<protocol::kafka_error> carry_out(const take_out_member& what, const std::string& by);
  std::optional<protocol::kafka_error> carry_out(const mark_drained& what, const std::string& by);
  [[nodiscard]] std::optional<protocol::kafka_error> needs_members() const;
  void carry_out_signed(group::change_outcome outcome, const std::string& by);
  void use_settings(group_settings next);
  void change_overrides(group::overrides next, bool follows, const std::string& by);
  void write_settings(group::change_outcome outcome, const std::string& by);
  void forget_drained();
  void write(group::records records, std::vector<storage::table_write> writes = {},
             std::vector<group::event> events = {});
  void append(group::records records, std::vector<storage::table_write> writes);
  void remember_departing(const group::records& records);
  void remember_pending(const group::records& records);
  void remember_transaction(std::uint64_t number, std::int64_t producer_id);
  void note(const group::event& event);
  std::vector<std::shared_ptr<const group::event>> tell(std::vector<group::event> events,
                                                        std::vector<storage::table_write>& writes);
  void time_rebalance();
  void note_resting(const group::soft_update& soft);
  void follow_state();
  void row_changed();
  void catch_up_with_image();
  void answer_when_durable(std::shared_ptr<pending_answer> request, std::function<void()> release);
  template <class Answer>
  void answer_later(const shared_reply<Answer>& request, Answer answer) {
    answer_when_durable(request,
                        [request, answer = std::move(answer)]() mutable { request->answer(std::move(answer)); });
  }
  void answer_heartbeat(pending_heartbeat& request, protocol::streams_group_heartbeat_response& answer,
                        const group::configured_topology* missing);
  std::vector<group::offset_entry> dated(const commit_request& commit);
  void carry_out_classic(group::classic_outcome outcome);
  void forget_unstored_members();
  [[nodiscard]] group::consumer_world consumer_world();
  void carry_out_consumers(group::consumer_outcome outcome);
  bool expire_all();
  bool follow_deletions();

  void arm(std::optional<std::int64_t> at_ms);
  void arm_for(const group::soft_update& update);
  void arm_next(std::int64_t not_before_ms);

  void roll_back(const std::string& why);
  void start_incarnation();
  bool replay();
  void keep_soft_state(group::soft_state before);

  group_services& services_;
  group_host& host_;
  group::streams_group group_;
  group::overrides overrides_;
  group::group_config config_;
  metadata::image_ptr image_;
  std::uint64_t image_number_ = 0;
  pattern_turns patterns_;
  bool had_pattern_time_ = true;  // in the last turn
  std::uint64_t matched_image_ = 0;  // the image that soft.matches is about
  std::uint64_t deletions_seen_;  // offsets of topics that went up to this image are gone
  std::set<std::string> subscribed_;
  bool is_told_of_all_topics_ = false;
  group::group_kind known_kind_ = group::group_kind::none;

  std::uint64_t incarnation_;
  std::uint64_t appended_ = 0;  // number of the last append
  std::uint64_t durable_ = 0;   // number of the last one that is durable
  bool loading_ = false;
  bool row_is_shown_ = false;
  kept_view kept_view_;
  std::deque<std::pair<std::uint64_t, std::function<void()>>> when_durable_;
  struct departed_member {
    std::uint64_t number;  // of the append that removes it
    std::string id;
    group::member_soft soft;
  };
  std::deque<departed_member> departed_;  // until durable: it comes back with its deadlines if the write fails
  /// strict.kafka: readers see a group that a JoinGroup has ended until something is written, whatever it is.
  struct former_group {
    group::streams_group group;
    std::uint64_t writes;  // of all groups, when it ended
  };
  static constexpr std::int64_t former_look_ms = 5'000;  // whether it is still shown
  std::unique_ptr<const former_group> former_;
  // Requests of classic members that wait for each other, by member id.
  std::map<std::string, shared_reply<protocol::join_group_response>, std::less<>> joining_;
  std::map<std::string, shared_reply<protocol::sync_group_response>, std::less<>> syncing_;
  std::optional<std::int64_t> empty_since_ms_;
  struct waits_in_words {
    group::group_state state = group::group_state::empty;
    std::int64_t time_ms = 0;
    std::vector<std::string> words;
  };
  std::optional<waits_in_words> told_probes_;
  /// By number of an append and producer, until it is durable: the transaction as it was before that append or a change
  /// that waits for it. If the write fails it is so again; requests that came after are refused then.
  std::map<std::pair<std::uint64_t, std::int64_t>, group::transaction_change> former_transactions_;
  held_answers held_;
  wake_up wake_up_;
  timeline timeline_;
  rebalance_loops loops_;
  std::optional<std::chrono::steady_clock::time_point> unsettled_since_;  // an epoch bump, until stable or empty
};

}  // namespace weir::actors
