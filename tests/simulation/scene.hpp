// A whole story in virtual time: one plan, the clients, the network between them and the coordinator, the disk, and who
// creates topics. run() throws a violation when a promise does not hold.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/client.hpp"
#include "tests/simulation/defect.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/plan.hpp"
#include "tests/simulation/violation.hpp"

namespace weir::simulation {

/// A client, its place in the network, and what the plan does to it.
struct actor {
  explicit actor(const thread_setup& how) : setup(&how), machine(how) {}

  const thread_setup* setup;
  client machine;
  std::uint64_t life = 0;      ///< grows with each start and end: what is under way knows whether it still counts
  std::uint64_t requests = 0;  ///< sent so far; the number of the last one
  std::uint64_t timer = 0;     ///< the armed heartbeat; others are stale
  bool is_in_flight = false;
  bool is_finish_due = false;  ///< a reconciliation is done and waits for the request in flight
  bool is_restarting = false;  ///< it died, and somebody is about to start it again
  bool stays_down = false;     ///< the application was shut down
  /// A report arrived that did not tell all it holds (a late copy): the group may think wrong of it, but fences it.
  bool is_misreported = false;
  /// A late copy of its join was answered after younger requests: if that gave it tasks, nobody has told it.
  bool misses_grant = false;

  bool loses_request = false;
  bool loses_answer = false;
  std::optional<int> copies_after_ms;
  std::int64_t cut_until_ms = 0;
  std::optional<int> slow_ms;
  bool asks_shutdown = false;
  int host = 0;
  std::size_t next_version = 0;     ///< of the application, that it starts with
  std::size_t running_version = 0;  ///< that it has started with
};

struct story {
  std::uint64_t heartbeats = 0;
  std::uint64_t refusals = 0;
  std::uint64_t epochs = 0;  ///< the group epoch at the end
  std::size_t members = 0;   ///< at the end
};

class scene {
 public:
  scene(const plan& p, defect broken, bool keeps_trace);
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  story run();
  [[nodiscard]] const trace& told() const noexcept { return trace_; }

 private:
  struct event {
    std::int64_t at_ms;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const event& other) const noexcept {
      return at_ms != other.at_ms ? at_ms > other.at_ms : order > other.order;
    }
  };

  // Time (scene.cpp).
  void after(std::int64_t delay_ms, std::function<void()> what);
  void run_until(std::int64_t end_ms);
  /// Uniform in [low, high]; depends on the seed, the moment and what it is for, and on nothing else.
  [[nodiscard]] int draw(std::uint64_t what, int low, int high) const noexcept;
  [[nodiscard]] std::uint64_t index_of(const actor& a) const noexcept {
    return static_cast<std::uint64_t>(&a - actors_.data());
  }

  // Clients and network (scene_network.cpp).
  void start_thread(actor& a);
  void end_thread(actor& a);
  void leave(actor& a, bool for_good);
  void send(actor& a);
  void arm_timer(actor& a, std::int64_t delay_ms);
  void arrive(actor& a, std::uint64_t life, std::uint64_t number, const request& r);
  void arrive_copy(actor& a, const request& r);
  void judge_report(actor& a, const request& r);
  void judge_copy(actor& a, const request& r);
  void deliver(actor& a, std::uint64_t life, std::uint64_t number, const response& answer);
  void fail_request(actor& a, std::uint64_t number);
  void take(actor& a, const response& answer);
  void follow(actor& a, next_step step);
  void reconcile(actor& a);
  void finish_reconciliation(actor& a);
  [[nodiscard]] group::request_context context_of(const actor& a) const;
  [[nodiscard]] bool is_cut(const actor& a) const noexcept { return now_ms_ < a.cut_until_ms; }

  // The world around (scene_steps.cpp).
  void carry_out(const step& s);
  void disturb_thread(actor& a, const step& s);
  void disturb_topics(const step& s);
  void disturb_node(const step& s);
  void start_process(int process);
  void deploy(int process, std::size_t version, int length_ms);
  void put_topic(const std::string& name, int partitions);
  void remove_topic(const std::string& name);
  void ask_shutdown(actor& a);
  void remove_member(const actor& a);
  void commit_offsets(const actor& a);
  void after_node();
  void arm_disk();

  // What must hold (scene_checks.cpp).
  void check_clients();
  void check_known(actor& a);
  void check_fenced() const;
  void settle();
  void end_disturbances();
  [[nodiscard]] std::string why_unsettled() const;
  [[nodiscard]] bool holds_what_it_can_know(const actor& a, const group::member& as) const;
  [[nodiscard]] std::string why_clients_unsettled() const;
  [[nodiscard]] std::string why_not_newest() const;
  [[nodiscard]] std::size_t tasks_expected() const;
  [[nodiscard]] std::size_t newest_version() const noexcept { return plan_.versions.size() - 1; }
  [[nodiscard]] const std::vector<std::string>& read_by(const actor& a, std::string_view subtopology) const;

  const plan& plan_;
  defect broken_;
  trace trace_;
  std::vector<request::topology_data> apps_;  ///< by version
  node node_;
  std::int64_t now_ms_ = 1'000'000;
  std::uint64_t order_ = 0;
  std::priority_queue<event> events_;
  std::vector<actor> actors_;
  std::vector<int> process_lives_;
  std::deque<std::string> names_;  ///< what requests in flight look into
  story story_;

  bool is_node_up_ = true;
  bool is_disk_armed_ = false;
  bool is_creation_armed_ = false;
  std::uint64_t node_lives_ = 0;
  int writes_to_fail_ = 0;
  std::int64_t stalled_until_ms_ = 0;
  std::int64_t creation_refused_until_ms_ = 0;
  std::uint64_t topics_made_ = 0;
  bool clients_changed_ = false;
  std::uint64_t changes_checked_ = 0;
};

}  // namespace weir::simulation
