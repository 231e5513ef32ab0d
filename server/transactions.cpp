#include "server/transactions.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <future>
#include <limits>
#include <utility>
#include <vector>

#include "base/guarded.hpp"
#include "server/handler.hpp"

namespace weir::server {
namespace {

using protocol::error_code;
using protocol::refuse;

constexpr std::string_view next_producer_id_key = "producer.id.next";
/// Taken at each start: more than a process can give away.
constexpr std::int64_t producer_ids_at_once = std::int64_t{1} << 32;
constexpr std::int64_t transaction_timeout_max_ms = 900'000;  // transaction.max.timeout.ms
constexpr std::size_t transactional_ids_max = 100'000;        // known at a time; the one unused longest is forgotten
constexpr std::size_t transactional_id_bytes_max = 1'024;
constexpr std::size_t groups_max = 1'000;  // of one transaction
/// How much longer than here a transaction lives in its groups, should nobody tell them: they never give up one that
/// may still be committed.
constexpr std::int64_t grace_ms = 300'000;
constexpr std::chrono::milliseconds late_ones_interval{1'000};
constexpr std::int16_t implicit_add_from = 5;  // TxnOffsetCommit
constexpr std::int16_t abortable_from = 4;
constexpr std::int16_t new_epoch_from = 5;  // EndTxn

}  // namespace

/// A transaction on its way to its end, and who waits for that.
struct transactions::ending {
  std::string transactional_id;
  producer_identity producer;                        // whose offsets end
  producer_identity next;                            // afterwards
  phase after = phase::aborted;                      // what becomes of it
  bool commit = false;                               // what the groups are told
  std::vector<std::pair<std::string, bool>> groups;  // whether one was given offsets
  std::vector<error_code> answers;                   // of each group
  actors::reply<outcome<producer_identity>> done;
};

result<std::unique_ptr<transactions>> transactions::open(storage::record_log& log, const clock& time) {
  std::int64_t next = 0;
  auto read = log.read_table(storage::table::meta, [&](std::string_view key, std::string_view value) {
    if (key == next_producer_id_key) std::from_chars(value.data(), value.data() + value.size(), next);
  });
  if (!read) return tl::unexpected(read.error());
  const auto end = next + producer_ids_at_once;
  std::promise<result<void>> written;
  storage::append_request request;
  request.writes.push_back({storage::table::meta, std::string(next_producer_id_key), std::to_string(end)});
  request.done = [&](result<void> stored) { written.set_value(std::move(stored)); };
  log.append(std::move(request));
  if (auto stored = written.get_future().get(); !stored) return tl::unexpected(stored.error());
  return std::unique_ptr<transactions>(new transactions(time, next, end));
}

transactions::~transactions() { stop_watching(); }

void transactions::stop_watching() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopping_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void transactions::watch(coordinator& groups) {
  watcher_ = std::thread([this, &groups] {
    indispensable_thread("transactions", [this, &groups] {
      std::unique_lock lock(mutex_);
      while (!stopping_.wait_for(lock, late_ones_interval, [this] { return is_stopped_; })) {
        lock.unlock();
        abort_late_ones(groups);
        lock.lock();
      }
    });
  });
}

/// A group that cannot abort now does so when its own time is over.
void transactions::abort_late_ones(coordinator& groups) {
  std::vector<abandoned> late;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, of] : by_id_) notice_timeout(of);
    late.swap(abandoned_);
  }
  for (const auto& one : late) {
    groups.end_transaction({.group_id = one.group_id,
                            .producer_id = one.producer.id,
                            .producer_epoch = one.producer.epoch,
                            .commit = false,
                            .has_offsets = true},
                           [](error_code) {});
  }
}

transactions::outcome<producer_identity> transactions::new_producer() {
  const std::lock_guard lock(mutex_);
  return next_identity({});
}

void transactions::init(const producer_claim& claim, std::int64_t timeout_ms, coordinator& groups,
                        actors::reply<outcome<producer_identity>> done) {
  auto aborted = std::make_shared<ending>();
  outcome<producer_identity> answer;
  {
    const std::lock_guard lock(mutex_);
    answer = decide_init(claim, timeout_ms, *aborted);
  }
  if (aborted->transactional_id.empty()) return done(std::move(answer));
  aborted->done = std::move(done);
  tell_groups(std::move(aborted), groups);
}

transactions::outcome<void> transactions::add_group(const producer_claim& claim, std::string_view group_id) {
  const std::lock_guard lock(mutex_);
  const auto found = find_open(claim);
  if (!found) return tl::unexpected(found.error());
  begin(**found);
  return join_group(**found, group_id);
}

transactions::outcome<void> transactions::add_partitions(const producer_claim& claim) {
  const std::lock_guard lock(mutex_);
  const auto found = find_open(claim);
  if (!found) return tl::unexpected(found.error());
  begin(**found);
  return {};
}

transactions::outcome<group::producer> transactions::admit_commit(const producer_claim& claim,
                                                                  std::string_view group_id, std::int16_t version) {
  const std::lock_guard lock(mutex_);
  const auto found = find_open(claim);
  if (!found) {
    const bool is_fenced = found.error().code == error_code::producer_fenced;
    return refuse(is_fenced ? error_code::invalid_producer_epoch : found.error().code);
  }
  auto& of = **found;
  if (version >= implicit_add_from) {
    begin(of);
  } else if (of.state != phase::ongoing || !of.groups.contains(group_id)) {
    return refuse(version >= abortable_from ? error_code::transaction_abortable : error_code::invalid_txn_state);
  }
  if (auto joined = join_group(of, group_id); !joined) return tl::unexpected(joined.error());
  return group::producer{.id = claim.id, .epoch = claim.epoch, .deadline_ms = of.deadline_ms + grace_ms};
}

void transactions::given_offsets(const producer_claim& claim, std::string_view group_id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(claim.transactional_id);
  if (found == by_id_.end()) return;
  auto& of = found->second;
  const bool is_same = of.producer.id == claim.id && of.producer.epoch == claim.epoch && of.state == phase::ongoing;
  if (const auto group = of.groups.find(group_id); is_same && group != of.groups.end()) group->second = true;
}

void transactions::end(const producer_claim& claim, bool commit, std::int16_t version, coordinator& groups,
                       actors::reply<outcome<producer_identity>> done) {
  auto what = std::make_shared<ending>();
  outcome<producer_identity> answer;
  {
    const std::lock_guard lock(mutex_);
    what->after = commit ? phase::committed : phase::aborted;
    answer = decide_end(claim, version, *what);
  }
  if (what->transactional_id.empty()) return done(std::move(answer));
  what->done = std::move(done);
  tell_groups(std::move(what), groups);
}

// ---- with mutex_ held ----

/// The answer, unless `aborted` is filled: then groups have to be told first.
transactions::outcome<producer_identity> transactions::decide_init(const producer_claim& claim, std::int64_t timeout_ms,
                                                                   ending& aborted) {
  if (timeout_ms <= 0 || timeout_ms > transaction_timeout_max_ms) {
    return refuse(error_code::invalid_transaction_timeout);
  }
  auto settled = settle(claim);
  if (!settled) return tl::unexpected(settled.error());
  auto& of = **settled;
  of.timeout_ms = timeout_ms;
  const bool repeats = claim.id != -1 && claim.epoch != of.producer.epoch;  // so settle() says
  const auto given = repeats ? outcome<producer_identity>(of.producer) : next_identity(of.producer);
  if (!given) return given;
  if (!repeats) of.last_epoch = claim.epoch;
  if (of.state == phase::ongoing) {
    aborted = start_ending(claim.transactional_id, of, *given, phase::empty);
  } else if (!repeats) {
    of.producer = *given;
    of.state = phase::empty;
  }
  return given;
}

/// The answer, unless `what` is filled: then groups have to be told first.
transactions::outcome<producer_identity> transactions::decide_end(const producer_claim& claim, std::int16_t version,
                                                                  ending& what) {
  const bool gives_epoch = version >= new_epoch_from;
  const bool repeats = gives_epoch && is_repeated(claim);
  const auto wanted = what.after;
  auto current = claim;
  if (repeats) ++current.epoch;
  const auto found = find_open(current);
  if (!found) return tl::unexpected(found.error());
  auto& of = **found;
  if (of.state == wanted && (repeats || !gives_epoch)) return of.producer;
  if (repeats || !may_end(of, wanted, gives_epoch)) return refuse(error_code::invalid_txn_state);
  const auto next = gives_epoch ? next_identity(of.producer) : of.producer;
  if (next) what = start_ending(claim.transactional_id, of, *next, wanted);
  return next;
}

/// Once a commit has begun, only a commit may end the transaction. Where none is open, who gets an epoch may abort.
bool transactions::may_end(const transaction& of, phase wanted, bool gives_epoch) {
  if (of.state == phase::ongoing) return !of.commits || wanted == phase::committed;
  return gives_epoch && wanted == phase::aborted;
}

/// An EndTxn of a client that has not seen the epoch it got by the last one, or that was fenced for taking too long.
bool transactions::is_repeated(const producer_claim& claim) {
  const auto known = by_id_.find(claim.transactional_id);
  if (known == by_id_.end()) return false;
  auto& of = known->second;
  notice_timeout(of);
  const bool has_ended = of.state == phase::committed || of.state == phase::aborted;
  return has_ended && claim.epoch == of.producer.epoch - 1;
}

transactions::ending transactions::start_ending(const std::string& transactional_id, transaction& of,
                                                producer_identity next, phase after) {
  of.state = phase::ending;
  of.commits = of.commits || after == phase::committed;
  return {.transactional_id = transactional_id,
          .producer = of.producer,
          .next = next,
          .after = after,
          .commit = of.commits,
          .groups = {of.groups.begin(), of.groups.end()},
          .answers = {},
          .done = {}};
}

transactions::outcome<transactions::transaction*> transactions::find(const producer_claim& claim) {
  if (claim.transactional_id.empty()) return refuse(error_code::invalid_request);
  const auto found = by_id_.find(claim.transactional_id);
  if (found == by_id_.end() || found->second.producer.id != claim.id) {
    return refuse(error_code::invalid_producer_id_mapping);
  }
  auto& of = found->second;
  notice_timeout(of);
  if (of.producer.epoch != claim.epoch) return refuse(error_code::producer_fenced);
  of.used_ms = time_.now_ms();
  return &of;
}

transactions::outcome<transactions::transaction*> transactions::find_open(const producer_claim& claim) {
  auto found = find(claim);
  if (found && (*found)->state == phase::ending) return refuse(error_code::concurrent_transactions);
  return found;
}

/// Its groups are told soon; its producer is fenced.
void transactions::notice_timeout(transaction& of) {
  if (of.state != phase::ongoing || of.commits || of.deadline_ms > time_.now_ms()) return;
  of.state = phase::aborted;
  for (const auto& [group_id, has_offsets] : of.groups) abandoned_.push_back({of.producer, group_id});
  of.groups.clear();
  if (of.producer.epoch < std::numeric_limits<std::int16_t>::max()) ++of.producer.epoch;
}

void transactions::begin(transaction& of) const {
  if (of.state == phase::ongoing) return;
  of.state = phase::ongoing;
  of.deadline_ms = time_.now_ms() + of.timeout_ms;
}

transactions::outcome<void> transactions::join_group(transaction& of, std::string_view group_id) const {
  if (of.groups.contains(group_id)) return {};
  if (of.groups.size() >= groups_max) return refuse(error_code::coordinator_not_available);
  of.groups.emplace(group_id, false);
  return {};
}

transactions::outcome<producer_identity> transactions::next_identity(const producer_identity& now) {
  if (now.id >= 0 && now.epoch < std::numeric_limits<std::int16_t>::max() - 1) {
    return producer_identity{now.id, static_cast<std::int16_t>(now.epoch + 1)};
  }
  if (next_id_ == end_id_) return refuse(error_code::coordinator_not_available);
  return producer_identity{next_id_++, 0};
}

/// The transaction of that id, a new one if there is none; refused if the claim is somebody else's.
transactions::outcome<transactions::transaction*> transactions::settle(const producer_claim& claim) {
  const auto found = by_id_.find(claim.transactional_id);
  if (found == by_id_.end()) {
    if (claim.transactional_id.size() > transactional_id_bytes_max) return refuse(error_code::invalid_request);
    if (auto room = make_room(); !room) return tl::unexpected(room.error());
    auto& made = by_id_[claim.transactional_id];
    made.used_ms = time_.now_ms();
    return &made;
  }
  auto& of = found->second;
  notice_timeout(of);
  of.used_ms = time_.now_ms();
  if (of.state == phase::ending) return refuse(error_code::concurrent_transactions);
  if (claim.id == -1) return &of;
  const bool is_current = claim.epoch == of.producer.epoch || (claim.epoch != -1 && claim.epoch == of.last_epoch);
  if (claim.id != of.producer.id || !is_current) return refuse(error_code::producer_fenced);
  return &of;
}

transactions::outcome<void> transactions::make_room() {
  if (by_id_.size() < transactional_ids_max) return {};
  const auto busy = [](const transaction& t) { return t.state == phase::ongoing || t.state == phase::ending; };
  auto oldest = by_id_.end();
  for (auto entry = by_id_.begin(); entry != by_id_.end(); ++entry) {
    notice_timeout(entry->second);
    if (busy(entry->second)) continue;
    if (oldest == by_id_.end() || entry->second.used_ms < oldest->second.used_ms) oldest = entry;
  }
  if (oldest == by_id_.end()) return refuse(error_code::coordinator_not_available);
  by_id_.erase(oldest);
  return {};
}

// ---- telling the groups ----

void transactions::tell_groups(std::shared_ptr<ending> what, coordinator& groups) {
  const auto told = gather<error_code>::of(what->groups.size(), [this, what](std::vector<error_code> codes) {
    what->answers = std::move(codes);
    finish(*what);
  });
  for (std::size_t i = 0; i < what->groups.size(); ++i) {
    const auto& [group_id, has_offsets] = what->groups[i];
    groups.end_transaction({.group_id = group_id,
                            .producer_id = what->producer.id,
                            .producer_epoch = what->producer.epoch,
                            .commit = what->commit,
                            .has_offsets = has_offsets},
                           [told, i](error_code code) { told->put(i, code); });
  }
}

/// An EndTxn that gives the producer its next epoch leaves it the one it had to ask with again.
void transactions::take_identity(transaction& of, const ending& what) {
  if (what.after != phase::empty && what.next.epoch != of.producer.epoch) of.last_epoch = of.producer.epoch;
  of.producer = what.next;
}

/// What the groups have answered; what went wrong, if one has not ended it.
error_code transactions::note_answers(transaction& of, const ending& what) {
  auto failure = error_code::none;
  for (std::size_t i = 0; i < what.groups.size(); ++i) {
    const auto code = what.answers[i];
    const bool is_over = code == error_code::none || code == error_code::invalid_txn_state;
    if (is_over) of.groups.erase(what.groups[i].first);
    if (!is_over) failure = code;
    of.lost = of.lost || code == error_code::invalid_txn_state;
  }
  return failure;
}

/// After a failure the transaction is open as before for the groups that have not ended it, and its end may be asked
/// for again. A group that has lost its offsets says so for good: nothing is left to end there, the commit has failed,
/// and the id is free for its next producer.
void transactions::finish(const ending& what) {
  auto failure = error_code::none;
  bool is_lost = false;
  {
    const std::lock_guard lock(mutex_);
    auto& of = by_id_[what.transactional_id];
    failure = note_answers(of, what);
    is_lost = of.lost && what.after != phase::empty;  // a new producer does not ask what became of the former one's
    if (failure == error_code::none) {
      of.state = is_lost ? phase::aborted : what.after;
      if (!is_lost) take_identity(of, what);
      of.commits = of.lost = false;
    } else {
      of.state = phase::ongoing;
    }
  }
  if (failure != error_code::none) return what.done(refuse(error_code::coordinator_not_available));
  if (is_lost) return what.done(refuse(error_code::invalid_txn_state));
  what.done(what.next);
}

}  // namespace weir::server
