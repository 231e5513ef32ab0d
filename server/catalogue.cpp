#include "server/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/log.hpp"

namespace weir::server {
namespace {

using protocol::error_code;
using protocol::kafka_error;
using protocol::refuse;

constexpr std::string_view cluster_id_key = "cluster.id";

}  // namespace

result<std::unique_ptr<catalogue>> catalogue::open(catalogue_options options, storage::record_log& log,
                                                   random_source& random, const clock& time) {
  std::unique_ptr<catalogue> made(new catalogue(std::move(options), log, random, time));
  if (auto loaded = made->load(); !loaded) return tl::unexpected(loaded.error());
  return made;
}

catalogue::~catalogue() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return !busy_; });
}

result<void> catalogue::load() {
  auto found = log_.read_table(storage::table::meta, [this](std::string_view key, std::string_view value) {
    if (key == cluster_id_key) cluster_id_ = value;
  });
  if (!found) return found;
  if (cluster_id_.empty()) {
    if (auto made = make_cluster_id(); !made) return made;
  }
  result<void> readable;
  found = log_.read_table(storage::table::topics, [&](std::string_view name, std::string_view value) {
    auto entry = decode_entry(name, value);
    if (entry) {
      topics_.emplace(name, std::move(*entry));
    } else if (readable) {
      readable = tl::unexpected(entry.error());
    }
  });
  if (!found || !readable) return !found ? found : readable;
  metadata::image_builder builder(nullptr);
  builder.set_cluster_id(cluster_id_);
  for (const auto& [name, entry] : topics_) builder.put_topic(*entry.topic);
  image_ = builder.build(1);
  return {};
}

result<void> catalogue::make_cluster_id() {
  cluster_id_ = uuid::random(random_).to_string();
  std::promise<result<void>> written;
  storage::append_request request;
  request.writes.push_back({storage::table::meta, std::string(cluster_id_key), cluster_id_});
  request.done = [&](result<void> stored) { written.set_value(std::move(stored)); };
  log_.append(std::move(request));
  return written.get_future().get();
}

void catalogue::publish_to(actors::coordinator& coordinator) {
  const std::lock_guard lock(mutex_);
  coordinator_ = &coordinator;
}

void catalogue::stop_publishing() {
  const std::lock_guard lock(mutex_);
  coordinator_ = nullptr;
}

metadata::image_ptr catalogue::current() const {
  const std::lock_guard lock(mutex_);
  return image_;
}

std::optional<config_map> catalogue::configs(std::string_view topic) const {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(topic);
  return found == topics_.end() ? std::nullopt : std::optional(found->second.configs);
}

// ---- changes, in batches: what gathers while one batch is being written is the next ----

void catalogue::submit(change wanted) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(wanted));
    if (std::exchange(busy_, true)) return;
  }
  run_next();
}

void catalogue::run_next() {
  while (const auto next = decide_batch()) {
    if (next->effects.empty()) {
      answer(*next);
      continue;
    }
    storage::append_request request;
    for (const auto& [name, entry] : next->effects) {
      request.writes.push_back(
          {storage::table::topics, name, entry ? std::optional(encode_entry(*entry)) : std::nullopt});
    }
    request.done = [this, next](const result<void>& written) { finish(next, written); };
    log_.append(std::move(request));
    return;
  }
}

/// An empty pointer: nothing waits, and nobody is busy any more.
std::shared_ptr<catalogue::batch> catalogue::decide_batch() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    busy_ = false;
    idle_.notify_all();
    return nullptr;
  }
  auto next = std::make_shared<batch>();
  next->changes = std::exchange(waiting_, {});
  draft topics(topics_);
  for (const auto& each : next->changes) next->outcomes.push_back(each.decide(topics));
  next->effects = topics.changes();
  return next;
}

/// Answers come after the coordinator has told its groups, and the next batch is published after this one.
void catalogue::finish(const std::shared_ptr<batch>& done, const result<void>& written) {
  if (!written) {
    log::error("topics not written", {{"reason", written.error().message}});
    for (auto& each : done->outcomes) {
      if (each) each = refuse(error_code::kafka_storage_error, written.error().message);
    }
    answer(*done);
    return run_next();
  }
  commit(*done);
  actors::coordinator* target = nullptr;
  metadata::image_ptr image;
  {
    const std::lock_guard lock(mutex_);
    target = coordinator_;
    image = image_;
  }
  if (target == nullptr) {
    answer(*done);
  } else {
    target->publish_image(std::move(image), [done] { answer(*done); });
  }
  run_next();
}

void catalogue::commit(const batch& durable) {
  const std::lock_guard lock(mutex_);
  metadata::image_builder builder(image_);
  for (const auto& [name, entry] : durable.effects) {
    if (entry) {
      builder.put_topic(*entry->topic);
      topics_.insert_or_assign(name, *entry);
    } else {
      builder.remove_topic(name);
      topics_.erase(name);
    }
  }
  image_ = builder.build(image_->version() + 1);
}

void catalogue::answer(const batch& finished) {
  for (std::size_t i = 0; i < finished.changes.size(); ++i) finished.changes[i].done(finished.outcomes[i]);
}

// ---- internal topics ----

std::vector<std::pair<std::string, std::string>> catalogue::ensure(
    std::string_view group_id, const std::map<std::string, group::internal_topic, std::less<>>& topics,
    std::int32_t heartbeat_interval_ms) {
  std::vector<std::pair<std::string, std::string>> failed;
  std::vector<std::string> missing;
  {
    const std::lock_guard lock(mutex_);
    const auto now_ms = time_.now_ms();
    for (const auto& [name, topic] : topics) {
      if (const auto* const text = errors_.find(name, now_ms)) {
        failed.emplace_back(name, *text);
      } else if (!topics_.contains(name) && creating_.insert(name).second) {
        missing.push_back(name);
      }
    }
  }
  if (!missing.empty()) {
    const auto names = fmt::format("{}", fmt::join(missing, ","));
    log::info("creating internal topics", {{"group", group_id}, {"topics", names}});
  }
  // Failures show in the next heartbeat, as with Kafka (EX-19): they are looked up before the creation starts.
  for (auto& name : missing) start_creating(name, topics.find(name)->second, 2 * std::int64_t{heartbeat_interval_ms});
  return failed;
}

void catalogue::start_creating(std::string name, const group::internal_topic& topic, std::int64_t error_life_ms) {
  new_topic wanted{.name = name,
                   .partitions = topic.partitions,
                   .replication_factor = topic.replication_factor,
                   .configs = {},
                   .racks = {}};
  for (const auto& [key, value] : topic.configs) wanted.configs.insert_or_assign(key, value);
  create(std::move(wanted), false, [this, name = std::move(name), error_life_ms](const outcome& created) {
    const std::lock_guard lock(mutex_);
    creating_.erase(name);
    if (created || created.error().code == error_code::topic_already_exists) {
      errors_.remove(name);
      return;
    }
    log::warn("internal topic not created", {{"topic", name}, {"reason", created.error().message}});
    errors_.put(name, created.error().message, time_.now_ms() + error_life_ms);
  });
}

}  // namespace weir::server
