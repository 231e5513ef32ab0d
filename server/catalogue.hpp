// catalogue: the topics of embedded mode. Kept in table `topics` of the log; every change is durable and told to the
// coordinator before it is answered. Creates internal topics for the groups.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "metadata/source.hpp"
#include "protocol/error_codes.hpp"
#include "server/catalogue_record.hpp"
#include "server/error_cache.hpp"
#include "storage/record_log.hpp"

namespace weir::server {

/// A topic to create. The node is the only broker, so a replication factor above 1 is refused, as Kafka would.
struct new_topic {
  std::string name;
  std::int32_t partitions = -1;          ///< -1: the default, 1 (or as many as `racks` has)
  std::int16_t replication_factor = -1;  ///< -1: the default, 1
  config_map configs;
  /// For tests of rack awareness: per partition the racks of its replicas, instead of the node's own rack.
  std::vector<std::vector<std::string>> racks;
};

struct catalogue_options {
  std::optional<std::string> rack;  ///< of this node (`broker.rack`)
};

/// Racks of the replicas of each partition; nothing stands for a replica whose broker is away.
using replica_racks = std::vector<std::vector<std::optional<std::string>>>;

/// Any thread may call; nothing blocks but open() and the destructor. Answers come on the log's thread or inside the
/// call, exactly once.
class catalogue final : public actors::internal_topics, public metadata::source {
 public:
  template <class T>
  using reply = std::function<void(protocol::kafka_result<T>)>;

  /// Reads what is stored; makes up a cluster id and stores it if there is none. `log`, `random` and `time` must
  /// outlive the catalogue. Error: the log cannot be read or written, or holds something unreadable.
  static result<std::unique_ptr<catalogue>> open(catalogue_options options, storage::record_log& log,
                                                 random_source& random, const clock& time);
  catalogue(const catalogue&) = delete;
  catalogue& operator=(const catalogue&) = delete;
  ~catalogue() override;  ///< waits for what the log still has to answer

  /// Images go to the coordinator from now on; it must live until stop_publishing() or the catalogue's end.
  void publish_to(actors::coordinator& coordinator);
  void stop_publishing();

  [[nodiscard]] metadata::image_ptr current() const override;
  [[nodiscard]] const std::string& cluster_id() const noexcept { return cluster_id_; }
  /// What was set for that topic; nothing if there is no such topic.
  [[nodiscard]] std::optional<config_map> configs(std::string_view topic) const;

  /// Errors are Kafka's: INVALID_TOPIC_EXCEPTION, TOPIC_ALREADY_EXISTS, INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR,
  /// INVALID_CONFIG; KAFKA_STORAGE_ERROR (retriable) if the log could not write. validate_only changes nothing; the id
  /// answered then is zero.
  void create(new_topic topic, bool validate_only, reply<metadata::topic_ptr> done);
  /// Answers the topic that was removed, or UNKNOWN_TOPIC_OR_PARTITION.
  void remove(std::string name, reply<metadata::topic_ptr> done);
  void remove(uuid id, reply<metadata::topic_ptr> done);  ///< or UNKNOWN_TOPIC_ID
  /// `count` is the new total; INVALID_PARTITIONS unless it is more than now.
  void add_partitions(std::string name, std::int32_t count, bool validate_only, reply<metadata::topic_ptr> done);
  /// Changes what is set; INVALID_CONFIG if a name or value is wrong afterwards. `edit` sees what every change before
  /// this one has left, so two edits at the same time both count; it runs once, on any thread, and must not block.
  void edit_configs(std::string name, std::function<void(config_map&)> edit, bool validate_only,
                    reply<metadata::topic_ptr> done);
  /// For tests of rack awareness. An absent replica keeps the rack it had. INVALID_PARTITIONS unless there is one list
  /// for each partition.
  void set_racks(std::string name, replica_racks racks, reply<metadata::topic_ptr> done);

  std::vector<std::pair<std::string, std::string>> ensure(
      std::string_view group_id, const std::map<std::string, group::internal_topic, std::less<>>& topics,
      std::int32_t heartbeat_interval_ms) override;

 private:
  using entries = std::map<std::string, catalogue_entry, std::less<>>;

  /// The topics as a batch of changes would leave them.
  class draft {
   public:
    explicit draft(const entries& committed);
    [[nodiscard]] const catalogue_entry* find(std::string_view name) const;
    [[nodiscard]] const catalogue_entry* find(const uuid& id) const;
    /// A topic whose name differs from this one only in '.' and '_', which Kafka's metric names cannot tell apart. As
    /// in Kafka, topics that are made together are not held against each other.
    [[nodiscard]] const std::string* collision(std::string_view name) const;
    /// Of all topics.
    [[nodiscard]] std::int64_t partitions() const noexcept { return partitions_; }
    void put(catalogue_entry entry);
    void remove(const std::string& name);
    [[nodiscard]] const auto& changes() const noexcept { return changes_; }

   private:
    [[nodiscard]] std::int32_t partitions_of(std::string_view name) const;

    const entries& committed_;
    std::map<std::string, std::optional<catalogue_entry>, std::less<>> changes_;
    std::int64_t partitions_ = 0;
  };

  using outcome = protocol::kafka_result<metadata::topic_ptr>;
  struct change {
    std::function<outcome(draft&)> decide;
    reply<metadata::topic_ptr> done;
  };
  struct batch {
    std::vector<change> changes;
    std::vector<outcome> outcomes;
    std::map<std::string, std::optional<catalogue_entry>, std::less<>> effects;
  };

  catalogue(catalogue_options options, storage::record_log& log, random_source& random, const clock& time)
      : options_(std::move(options)), log_(log), random_(random), time_(time) {}
  [[nodiscard]] result<void> load();
  [[nodiscard]] result<void> make_cluster_id();
  void submit(change wanted);
  void run_next();
  [[nodiscard]] std::shared_ptr<batch> decide_batch();
  void finish(const std::shared_ptr<batch>& done, const result<void>& written);
  void commit(const batch& durable);
  static void answer(const batch& finished);

  [[nodiscard]] outcome decide_create(draft& topics, const new_topic& wanted, bool validate_only);
  [[nodiscard]] outcome decide_remove(draft& topics, const catalogue_entry* entry, protocol::error_code unknown);
  [[nodiscard]] outcome decide_partitions(draft& topics, std::string_view name, std::int32_t count, bool validate_only);
  [[nodiscard]] std::vector<std::string> own_racks() const;
  void start_creating(std::string name, const group::internal_topic& topic, std::int64_t error_life_ms);

  catalogue_options options_;
  storage::record_log& log_;
  random_source& random_;
  const clock& time_;
  std::string cluster_id_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  entries topics_;             // durable
  metadata::image_ptr image_;  // of topics_
  std::vector<change> waiting_;
  bool busy_ = false;  // a batch is being decided or written
  actors::coordinator* coordinator_ = nullptr;
  std::set<std::string, std::less<>> creating_;  // internal topics on their way
  error_cache errors_;
};

}  // namespace weir::server
