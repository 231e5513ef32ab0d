// Clients and the way between them and the coordinator. A request and its answer can be lost, slow or late; one request
// is in flight for each client, so only a copy can overtake a younger one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/simulation/scene.hpp"

namespace weir::simulation {
namespace {

constexpr int request_timeout_ms = 4000;
constexpr int disconnect_noticed_ms = 150;
constexpr int back_off_ms = 200;

std::string shown(const group::role_tasks& tasks) {
  return fmt::format("A {{{}}} S {{{}}} W {{{}}}", group::in_words(tasks.active), group::in_words(tasks.standby),
                     group::in_words(tasks.warmup));
}

std::string shown(const request& r) {
  auto words = fmt::format("{} -> epoch {}", r.member_id.view(), r.member_epoch);
  if (!r.active_tasks) return words;
  return words + " owns " +
         shown(
             {.active = listed(r.active_tasks), .standby = listed(r.standby_tasks), .warmup = listed(r.warmup_tasks)});
}

std::string shown(const response& answer) {
  if (answer.error_code != 0) return fmt::format("error {}", answer.error_code);
  auto words = fmt::format("epoch {}", answer.member_epoch);
  for (const auto& status : *answer.status) words += fmt::format(" status {}", status.status_code);
  if (!answer.active_tasks) return words;
  return words + " assigns " +
         shown({.active = listed(answer.active_tasks),
                .standby = listed(answer.standby_tasks),
                .warmup = listed(answer.warmup_tasks)});
}

/// Whether a report names all of these tasks in the role that they have here.
bool tells_all(const request& r, const group::role_tasks& tasks) {
  const auto tells = [](const group::task_set& of_role, const auto& list) {
    return of_role.empty() || group::is_subset(of_role, listed(list));
  };
  return tells(tasks.active, r.active_tasks) && tells(tasks.standby, r.standby_tasks) &&
         tells(tasks.warmup, r.warmup_tasks);
}

/// Whether the report tells of a replica that has another role here.
bool tells_other_role(const request& r, const group::role_tasks& tasks) {
  const auto overlaps = [](const group::task_set& a, const group::task_set& b) {
    return std::ranges::any_of(a, [&](const auto& entry) {
      return std::ranges::any_of(entry.second, [&](auto p) { return group::contains(b, entry.first, p); });
    });
  };
  const auto standby = listed(r.standby_tasks);
  const auto warmup = listed(r.warmup_tasks);
  return overlaps(tasks.active, standby) || overlaps(tasks.active, warmup) || overlaps(tasks.standby, warmup) ||
         overlaps(tasks.warmup, standby);
}

}  // namespace

void scene::start_thread(actor& a) {
  if (a.machine.is_up()) return;
  ++a.life;
  a.is_restarting = false;
  const auto index = index_of(a);
  const auto process = a.setup->process;
  const auto& member_id = names_.emplace_back(fmt::format("T{}.{}", index, a.life));
  const auto& process_id =
      names_.emplace_back(fmt::format("P{}.{}", process, process_lives_[static_cast<std::size_t>(process)]));
  client_names names{.member_id = member_id, .process_id = process_id, .instance_id = {}};
  if (a.setup->is_static) names.instance_id = names_.emplace_back(fmt::format("i{}", index));
  a.running_version = a.next_version;
  a.machine.start(names, apps_[a.running_version]);
  a.is_in_flight = a.is_finish_due = a.is_misreported = a.misses_grant = false;
  trace_.add(now_ms_, [&] {
    return fmt::format("{} starts in process {} with topology epoch {}", member_id, process_id, a.running_version);
  });
  send(a);
}

void scene::end_thread(actor& a) {
  ++a.life;
  a.machine.stop();
  a.is_in_flight = a.is_finish_due = a.is_restarting = false;
  clients_changed_ = true;
}

/// Fire and forget, after everything it held was closed.
void scene::leave(actor& a, bool for_good) {
  if (!a.machine.is_up()) return;
  auto r = std::make_shared<const request>(a.machine.leave_request(for_good));
  trace_.add(now_ms_, [&] { return shown(*r) + " leaves"; });
  const auto copy_after_ms = std::exchange(a.copies_after_ms, std::nullopt);
  end_thread(a);
  const auto way_ms = draw(index_of(a), 0, 10);
  if (copy_after_ms) after(way_ms + *copy_after_ms, [this, &a, r] { arrive_copy(a, *r); });
  if (std::exchange(a.loses_request, false) || is_cut(a)) return;
  after(way_ms, [this, &a, r] { arrive(a, a.life, 0, *r); });
}

void scene::send(actor& a) {
  if (!a.machine.is_up() || a.is_in_flight) return;
  auto r = std::make_shared<const request>(a.machine.next_request(std::exchange(a.asks_shutdown, false)));
  const auto number = ++a.requests;
  const auto life = a.life;
  ++a.timer;
  a.is_in_flight = true;
  ++story_.heartbeats;
  const auto way_ms = draw(index_of(a), 0, 10);
  if (const auto copy_after_ms = std::exchange(a.copies_after_ms, std::nullopt)) {
    after(way_ms + *copy_after_ms, [this, &a, r] { arrive_copy(a, *r); });
  }
  if (std::exchange(a.loses_request, false) || is_cut(a)) {
    trace_.add(now_ms_, [&] { return shown(*r) + "   LOST"; });
  } else {
    after(way_ms, [this, &a, life, number, r] { arrive(a, life, number, *r); });
  }
  after(request_timeout_ms, [this, &a, life, number] {
    if (a.life == life) fail_request(a, number);
  });
}

void scene::arm_timer(actor& a, std::int64_t delay_ms) {
  const auto timer = ++a.timer;
  after(delay_ms, [this, &a, timer] {
    if (a.timer == timer) send(a);
  });
}

void scene::arrive(actor& a, std::uint64_t life, std::uint64_t number, const request& r) {
  if (!is_node_up_) {
    trace_.add(now_ms_, [&] { return shown(r) + "   nobody there"; });
    return after(disconnect_noticed_ms, [this, &a, life, number] {
      if (a.life == life) fail_request(a, number);
    });
  }
  trace_.add(now_ms_, [&] { return shown(r); });
  judge_report(a, r);
  node_.heartbeat(r, context_of(a), now_ms_,
                  [this, &a, life, number](const response& answer) { deliver(a, life, number, answer); });
  after_node();
}

void scene::arrive_copy(actor& a, const request& r) {
  if (!is_node_up_) return;
  trace_.add(now_ms_, [&] { return shown(r) + "   COPY"; });
  judge_copy(a, r);
  if (r.member_epoch == 0 && a.machine.epoch() != 0) a.misses_grant = true;
  node_.heartbeat(r, context_of(a), now_ms_, [](const response&) {});
  after_node();
}

/// Notes a report that leaves out what the client holds or is about to hold; and one that tells of a replica whose role
/// has changed: if the group takes that task back, it counts as released at once (spec 01, 8.1: released is what is not
/// reported in the same role), and nobody knows of the replica until the client has caught up.
void scene::judge_report(actor& a, const request& r) {
  if (!r.active_tasks || !a.machine.is_up() || a.machine.names().member_id != r.member_id.view()) return;
  if (!tells_all(r, a.machine.held()) || !tells_all(r, a.machine.wanted())) a.is_misreported = true;
  const auto member = node_.state().members.find(r.member_id.view());
  if (member == node_.state().members.end()) return;
  const auto& current = member->second.current;
  if (tells_other_role(r, group::without_epochs(current.assigned)) ||
      tells_other_role(r, group::without_epochs(current.pending_revocation))) {
    a.is_misreported = true;
  }
}

/// Nor does a copy that is faster than the answer to its request know what that answer brings.
void scene::judge_copy(actor& a, const request& r) {
  judge_report(a, r);
  const auto member = node_.state().members.find(r.member_id.view());
  if (!r.active_tasks || !a.is_in_flight || member == node_.state().members.end()) return;
  if (!tells_all(r, group::without_epochs(member->second.current.assigned))) a.is_misreported = true;
}

void scene::deliver(actor& a, std::uint64_t life, std::uint64_t number, const response& answer) {
  if (answer.error_code != 0) ++story_.refusals;
  const bool is_lost = a.life != life || a.requests != number || is_cut(a) || std::exchange(a.loses_answer, false);
  trace_.add(now_ms_, [&] { return fmt::format("    {}{}", shown(answer), is_lost ? "   LOST" : ""); });
  if (is_lost) {
    return after(disconnect_noticed_ms, [this, &a, life, number] {
      if (a.life == life) fail_request(a, number);
    });
  }
  after(draw(index_of(a), 0, 10), [this, &a, life, number, answer] {
    if (a.life != life || a.requests != number || !a.is_in_flight) return;
    a.is_in_flight = false;
    take(a, answer);
  });
}

void scene::fail_request(actor& a, std::uint64_t number) {
  if (!a.is_in_flight || a.requests != number) return;
  a.is_in_flight = false;
  a.machine.on_failure();
  if (a.is_finish_due) return finish_reconciliation(a);
  arm_timer(a, back_off_ms);
}

void scene::take(actor& a, const response& answer) {
  const auto step = a.machine.on_answer(answer);
  if (answer.active_tasks) a.misses_grant = false;
  clients_changed_ = true;
  if (a.machine.was_shut_down()) a.stays_down = true;
  if (step == next_step::stop || step == next_step::leave) return follow(a, step);
  if (a.is_finish_due && a.machine.is_reconciling()) return finish_reconciliation(a);
  a.is_finish_due = false;
  follow(a, step);
  reconcile(a);
}

void scene::follow(actor& a, next_step step) {
  switch (step) {
    case next_step::wait: return arm_timer(a, a.machine.interval_ms());
    case next_step::now: return arm_timer(a, 0);
    case next_step::back_off: return arm_timer(a, back_off_ms);
    case next_step::leave: leave(a, false); break;
    case next_step::stop:
      trace_.add(now_ms_, [&] { return std::string(a.machine.names().member_id) + " dies of a fatal error"; });
      end_thread(a);
  }
  // Somebody starts it again.
  const auto life = a.life;
  a.is_restarting = true;
  after(draw(index_of(a), 1000, 3000), [this, &a, life] {
    if (a.life != life) return;
    a.is_restarting = false;
    if (!a.stays_down) start_thread(a);
  });
}

void scene::reconcile(actor& a) {
  if (!a.machine.wants_reconciliation()) return;
  a.machine.begin_reconciliation();
  const auto delay_ms = a.slow_ms ? *a.slow_ms : draw(index_of(a), -20, 20);
  if (delay_ms <= 0) return finish_reconciliation(a);
  const auto life = a.life;
  after(delay_ms, [this, &a, life] {
    if (a.life == life && a.machine.is_reconciling()) finish_reconciliation(a);
  });
}

/// Between two requests only, so that a report in flight stays true; then acknowledged at once.
void scene::finish_reconciliation(actor& a) {
  a.is_finish_due = a.is_in_flight;
  if (a.is_in_flight) return;
  a.machine.finish_reconciliation(broken_ == defect::client_keeps_tasks);
  clients_changed_ = true;
  trace_.add(now_ms_, [&] { return fmt::format("{} holds {}", a.machine.names().member_id, shown(a.machine.held())); });
  send(a);
  reconcile(a);
}

group::request_context scene::context_of(const actor& a) const {
  static constexpr std::string_view hosts[] = {"/10.0.0.1", "/10.0.0.2"};
  return {.version = a.setup->version, .client_id = "client", .client_host = text::view(hosts[a.host % 2])};
}

}  // namespace weir::simulation
