// A streams group under test, driven like the tables of spec 01, section 12: join, heartbeat, leave, let time pass,
// change topics. Every step applies what the decision returned, checks the invariants after each record and compares
// the group with one that replays the records only. Answers and states come back in the notation of the tables.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "group/describe.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "group/streams_group.hpp"
#include "tests/support/hard_differences.hpp"
#include "tests/unit/group/notation.hpp"
#include "tests/unit/group/requests.hpp"

namespace weir::group {

/// An assignor that does as told: member id -> tasks; what it was told last, or sticky before it was told anything.
class scripted_assignor;

class scenario {
 public:
  /// Topic foo has 4 partitions; the application reads it without state; no delay, no interval.
  explicit scenario(bool strict = true);

  // What the group runs with.
  scenario& delay(int ms);
  scenario& interval(int ms);
  scenario& set(const std::string& name, const std::string& value);
  scenario& app(topology next);
  scenario& topic(const std::string& name, int partitions);
  scenario& no_topic(const std::string& name);
  /// From now on the assignor returns this: member -> "0:0,1", with " S0:0" for standbys after it.
  scenario& split(std::map<std::string, std::string> plan);
  /// From now on the assignor fails.
  scenario& break_assignor(bool broken = true);
  scenario& max_size(int members);
  /// What requests are told of patterns from now on.
  scenario& patterns(const pattern_knowledge& known);

  // Requests; each returns the answer in short: "ep 2, A{0:0-3}, []".
  std::string join(const std::string& member, const with& fields = {});
  std::string hb(const std::string& member, int epoch, const with& fields = {});
  std::string leave(const std::string& member, const with& fields = {}) { return hb(member, -1, fields); }
  std::string send(const protocol::streams_group_heartbeat_request& request, const with& fields = {});

  // What an administrator does.
  /// Carries out what was decided, e.g. by rebalance().
  scenario& carry_out(const change_outcome& outcome);
  /// These processes are marked as drained from now on, without a rebalance.
  scenario& drain(const std::set<std::string>& processes);

  /// Time passes, wake-ups come.
  scenario& pass(std::int64_t ms);
  /// Time passes, wake-ups do not come.
  scenario& pass_silently(std::int64_t ms);
  /// A record that no heartbeat made.
  scenario& store(const record& r);
  /// A restart: the group is rebuilt from its records.
  scenario& reload();

  // What happened, in short.
  [[nodiscard]] std::string group() const;                            ///< "g2/a2 STABLE"
  [[nodiscard]] std::string member(const std::string& id) const;      ///< "UNREVOKED 2/2 A{0:0,1} pending A{0:2,3}"
  [[nodiscard]] std::string target(const std::string& id) const;      ///< "A{0:0,1}"
  [[nodiscard]] std::string written() const;                          ///< of the last step: "19 23 17 21 20 22"
  [[nodiscard]] std::string endpoints() const;                        ///< of the last answer: "1, [ha: foo 0-3]"
  [[nodiscard]] std::string events() const;                           ///< of the last step: "member-joined 2, ..."

  [[nodiscard]] const heartbeat_outcome& last() const { return last_; }
  [[nodiscard]] const std::vector<event>& last_events() const { return last_events_; }
  [[nodiscard]] const streams_group& state() const { return group_; }
  [[nodiscard]] streams_group& mutable_state() { return group_; }
  [[nodiscard]] world view() const;
  [[nodiscard]] std::int64_t now() const { return now_ms_; }
  [[nodiscard]] const std::vector<record>& log() const { return log_; }

  protocol::streams_group_heartbeat_request request(const std::string& member, int epoch, const with& fields) const;

 private:
  void apply_all(const group::records& changes, const std::vector<const soft_update*>& soft);
  void compare_with_replay() const;
  void set_image(metadata::image_ptr next);

  bool strict_;
  std::int64_t now_ms_ = 1'000'000;
  pattern_knowledge patterns_;
  broker_config broker_;
  overrides overrides_;
  group_config config_;
  std::int32_t max_size_ = 2'147'483'647;
  metadata::image_ptr image_;
  std::unique_ptr<metadata::hash_cache> hashes_;
  scripted_assignor* assignor_ = nullptr;
  std::unique_ptr<assignor::registry> assignors_;
  topology app_;
  streams_group group_;
  streams_group replayed_;
  std::vector<record> log_;
  heartbeat_outcome last_;
  group::records last_records_;
  std::vector<event> last_events_;
  std::map<std::string, int> endpoint_epochs_;
};

}  // namespace weir::group
