// transactions: the transaction coordinator of embedded mode, as far as offsets of groups are concerned: producer ids,
// fencing, and which groups a transaction has to tell when it ends (spec 05, 4.4 and 4.11). Producer ids are never
// given twice; everything else is memory, so a restart aborts what is open and its producers have to start again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/clock.hpp"
#include "protocol/error_codes.hpp"
#include "storage/record_log.hpp"

namespace weir::server {

/// Who a producer says it is.
struct producer_claim {
  std::string transactional_id;
  std::int64_t id = -1;
  std::int16_t epoch = -1;
};
struct producer_identity {
  std::int64_t id = -1;
  std::int16_t epoch = -1;
};

/// Any thread; answers come inside the call or on a thread of the coordinator.
class transactions {
 public:
  using coordinator = actors::coordinator;
  template <class T>
  using outcome = protocol::kafka_result<T>;

  /// Takes producer ids out of the log, durably; waits for it. Both must outlive the transactions. Error: the log's.
  static result<std::unique_ptr<transactions>> open(storage::record_log& log, const clock& time);

  ~transactions();
  transactions(const transactions&) = delete;
  transactions& operator=(const transactions&) = delete;

  /// Groups are told to abort what was not ended in time.
  void abort_late_ones(coordinator& groups);
  /// From now on that is done once a second, until stop_watching(); `groups` must outlive it.
  void watch(coordinator& groups);
  void stop_watching();

  /// InitProducerId without a transactional id. Error: all ids are used up until the next start.
  outcome<producer_identity> new_producer();
  /// With one. An open transaction of the former epoch is aborted before the answer.
  void init(const producer_claim& claim, std::int64_t timeout_ms, coordinator& groups,
            actors::reply<outcome<producer_identity>> done);
  /// AddOffsetsToTxn.
  outcome<void> add_group(const producer_claim& claim, std::string_view group_id);
  /// AddPartitionsToTxn: there is no data in embedded mode, so partitions need no markers.
  outcome<void> add_partitions(const producer_claim& claim);
  /// TxnOffsetCommit: versions from 5 on add the group themselves.
  outcome<group::producer> admit_commit(const producer_claim& claim, std::string_view group_id, std::int16_t version);
  /// A group holds offsets of the transaction back: if it has none at the commit, they are lost and the commit fails.
  void given_offsets(const producer_claim& claim, std::string_view group_id);
  /// EndTxn: answers when every group has made it durable. Versions from 5 on give the producer its next epoch, and may
  /// abort where nothing is open.
  void end(const producer_claim& claim, bool commit, std::int16_t version, coordinator& groups,
           actors::reply<outcome<producer_identity>> done);

 private:
  enum class phase : std::uint8_t { empty, ongoing, ending, committed, aborted };
  struct transaction {
    producer_identity producer;
    std::int16_t last_epoch = -1;  // the producer's own before it asked for this one, which it may ask for again
    phase state = phase::empty;
    std::int64_t timeout_ms = 0;
    std::int64_t deadline_ms = 0;  // while ongoing
    std::int64_t used_ms = 0;
    bool commits = false;  // a commit has begun: some groups may have made it durable, nothing else may follow
    bool lost = false;     // and a group had lost its offsets: it cannot succeed any longer
    std::map<std::string, bool, std::less<>> groups;  // not ended yet; whether one was given offsets
  };
  struct ending;
  /// What a group was given of a transaction whose time is over.
  struct abandoned {
    producer_identity producer;
    std::string group_id;
  };

  transactions(const clock& time, std::int64_t first_id, std::int64_t end_id)
      : time_(time), next_id_(first_id), end_id_(end_id) {}
  outcome<transaction*> find(const producer_claim& claim);
  outcome<transaction*> find_open(const producer_claim& claim);
  void notice_timeout(transaction& of);
  void begin(transaction& of) const;
  outcome<void> join_group(transaction& of, std::string_view group_id) const;
  outcome<producer_identity> next_identity(const producer_identity& now);
  outcome<transaction*> settle(const producer_claim& claim);
  outcome<void> make_room();
  outcome<producer_identity> decide_init(const producer_claim& claim, std::int64_t timeout_ms, ending& aborted);
  static void take_identity(transaction& of, const ending& what);
  static protocol::error_code note_answers(transaction& of, const ending& what);
  ending start_ending(const std::string& transactional_id, transaction& of, producer_identity next, phase after);
  static bool may_end(const transaction& of, phase wanted, bool gives_epoch);
  bool is_repeated(const producer_claim& claim);
  outcome<producer_identity> decide_end(const producer_claim& claim, std::int16_t version, ending& what);
  void tell_groups(std::shared_ptr<ending> what, coordinator& groups);
  void finish(const ending& what);

  const clock& time_;
  std::mutex mutex_;
  std::int64_t next_id_;
  const std::int64_t end_id_;
  std::map<std::string, transaction, std::less<>> by_id_;
  std::vector<abandoned> abandoned_;  // not told yet
  std::condition_variable stopping_;
  bool is_stopped_ = false;
  std::thread watcher_;
};

}  // namespace weir::server
