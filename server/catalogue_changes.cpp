// What the changes of the catalogue check and do; catalogue.cpp makes them durable.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "group/topology/validate.hpp"
#include "server/catalogue.hpp"

namespace weir::server {
namespace {

using protocol::error_code;
using protocol::refuse;

constexpr std::int32_t standard_partitions = 1;

bool same_but_for_dots(std::string_view a, std::string_view b) noexcept {
  const auto plain = [](char c) { return c == '.' ? '_' : c; };
  return std::ranges::equal(a, b, {}, plain, plain);
}

tl::unexpected<protocol::kafka_error> unknown_topic(std::string_view name) {
  return refuse(error_code::unknown_topic_or_partition, fmt::format("The topic '{}' does not exist.", name));
}

/// A copy of the topic with other racks, so with another partition count where there are more or fewer.
catalogue_entry with_racks(const catalogue_entry& entry, std::vector<std::vector<std::string>> racks) {
  metadata::topic changed = *entry.topic;
  changed.partition_racks = std::move(racks);
  return {std::make_shared<const metadata::topic>(std::move(changed)), entry.configs};
}

/// The racks of one partition: named ones as given, absent replicas with what is left of the racks known so far.
std::vector<std::string> fill_absent(const std::vector<std::optional<std::string>>& given,
                                     std::vector<std::string> known) {
  std::vector<std::string> out;
  std::size_t absent = 0;
  for (const auto& rack : given) {
    if (!rack) {
      ++absent;
      continue;
    }
    out.push_back(*rack);
    if (const auto same = std::ranges::find(known, *rack); same != known.end()) known.erase(same);
  }
  const auto kept = std::min(absent, known.size());
  out.insert(out.end(), known.begin(), known.begin() + static_cast<std::ptrdiff_t>(kept));
  return out;
}

std::optional<protocol::kafka_error> check_counts(const new_topic& wanted) {
  using protocol::kafka_error;
  if (wanted.partitions == 0 || wanted.partitions < -1) {
    return kafka_error{error_code::invalid_partitions,
                       "Number of partitions was set to an invalid non-positive value."};
  }
  if (wanted.partitions > limits::topic_partitions_max) {
    return kafka_error{error_code::invalid_partitions,
                       fmt::format("Number of partitions must not exceed {}.", limits::topic_partitions_max)};
  }
  if (!wanted.racks.empty() && wanted.partitions != -1 &&
      wanted.racks.size() != static_cast<std::size_t>(wanted.partitions)) {
    return kafka_error{error_code::invalid_partitions, "There must be one list of racks for each partition."};
  }
  if (wanted.replication_factor == 0 || wanted.replication_factor < -1) {
    return kafka_error{error_code::invalid_replication_factor,
                       "Replication factor must be larger than 0, or -1 to use the default value."};
  }
  if (wanted.replication_factor > 1) {
    return kafka_error{error_code::invalid_replication_factor,
                       fmt::format("Unable to replicate the partition {0} time(s): The target replication factor of "
                                   "{0} cannot be reached because only 1 broker(s) are registered.",
                                   wanted.replication_factor)};
  }
  return std::nullopt;
}

std::optional<protocol::kafka_error> check_room(std::int64_t partitions) {
  if (partitions <= limits::catalogue_partitions_max) return std::nullopt;
  return protocol::kafka_error{
      error_code::invalid_partitions,
      fmt::format("All topics together must not have more than {} partitions.", limits::catalogue_partitions_max)};
}

std::optional<protocol::kafka_error> check_racks(const std::vector<std::vector<std::string>>& racks) {
  const auto is_long = [](const auto& rack) { return rack.size() > limits::rack_name_bytes_max; };
  for (const auto& of_partition : racks) {
    if (of_partition.size() <= limits::partition_replicas_max && std::ranges::none_of(of_partition, is_long)) continue;
    return protocol::kafka_error{error_code::invalid_request,
                                 fmt::format("A partition has at most {} racks, and a rack's name at most {} bytes.",
                                             limits::partition_replicas_max, limits::rack_name_bytes_max)};
  }
  return std::nullopt;
}

}  // namespace

void catalogue::create(new_topic topic, bool validate_only, reply<metadata::topic_ptr> done) {
  submit({[this, topic = std::move(topic), validate_only](draft& topics) {
            return decide_create(topics, topic, validate_only);
          },
          std::move(done)});
}

catalogue::outcome catalogue::decide_create(draft& topics, const new_topic& wanted, bool validate_only) {
  if (!group::is_legal_topic_name(wanted.name)) {
    return refuse(error_code::invalid_topic_exception,
                  fmt::format("Topic name '{}' is illegal: 1 to {} characters of [a-zA-Z0-9._-], not '.' or '..'.",
                              wanted.name, limits::topic_name_max));
  }
  if (topics.find(wanted.name) != nullptr) {
    return refuse(error_code::topic_already_exists, fmt::format("Topic '{}' already exists.", wanted.name));
  }
  if (const auto* const other = topics.collision(wanted.name)) {
    return refuse(error_code::invalid_topic_exception,
                  fmt::format("Topic '{}' collides with existing topic: {}", wanted.name, *other));
  }
  if (auto wrong = check_counts(wanted)) return tl::unexpected(std::move(*wrong));
  if (auto wrong = check_racks(wanted.racks)) return tl::unexpected(std::move(*wrong));
  const auto count = wanted.partitions == -1 ? standard_partitions : wanted.partitions;
  if (auto full = check_room(topics.partitions() + count)) return tl::unexpected(std::move(*full));
  if (auto wrong = check_topic_configs(wanted.configs)) return refuse(error_code::invalid_config, std::move(*wrong));
  metadata::topic made{.id = {}, .name = wanted.name, .partition_racks = wanted.racks};
  if (made.partition_racks.empty()) {
    made.partition_racks.assign(static_cast<std::size_t>(count), own_racks());
  }
  if (!validate_only) made.id = uuid::random(random_);
  catalogue_entry entry{std::make_shared<const metadata::topic>(std::move(made)), wanted.configs};
  const auto topic = entry.topic;
  if (!validate_only) topics.put(std::move(entry));
  return topic;
}

void catalogue::remove(std::string name, reply<metadata::topic_ptr> done) {
  submit({[this, name = std::move(name)](draft& topics) {
            return decide_remove(topics, topics.find(name), error_code::unknown_topic_or_partition);
          },
          std::move(done)});
}

void catalogue::remove(uuid id, reply<metadata::topic_ptr> done) {
  submit({[this, id](draft& topics) { return decide_remove(topics, topics.find(id), error_code::unknown_topic_id); },
          std::move(done)});
}

catalogue::outcome catalogue::decide_remove(draft& topics, const catalogue_entry* entry, error_code unknown) {
  if (entry == nullptr) return refuse(unknown, "This server does not host this topic.");
  const auto topic = entry->topic;
  topics.remove(topic->name);
  return topic;
}

void catalogue::add_partitions(std::string name, std::int32_t count, bool validate_only,
                               reply<metadata::topic_ptr> done) {
  submit({[this, name = std::move(name), count, validate_only](draft& topics) {
            return decide_partitions(topics, name, count, validate_only);
          },
          std::move(done)});
}

catalogue::outcome catalogue::decide_partitions(draft& topics, std::string_view name, std::int32_t count,
                                                bool validate_only) {
  const auto* const entry = topics.find(name);
  if (entry == nullptr) return unknown_topic(name);
  const auto now = entry->topic->partition_count();
  if (count == now) {
    return refuse(error_code::invalid_partitions, fmt::format("Topic already has {} partition(s).", now));
  }
  if (count < now) {
    return refuse(
        error_code::invalid_partitions,
        fmt::format("The topic {} currently has {} partition(s); {} would not be an increase.", name, now, count));
  }
  if (count > limits::topic_partitions_max) {
    return refuse(error_code::invalid_partitions,
                  fmt::format("Number of partitions must not exceed {}.", limits::topic_partitions_max));
  }
  if (auto full = check_room(topics.partitions() + count - now)) return tl::unexpected(std::move(*full));
  auto racks = entry->topic->partition_racks;
  racks.resize(static_cast<std::size_t>(count), own_racks());
  auto changed = with_racks(*entry, std::move(racks));
  auto topic = changed.topic;
  if (!validate_only) topics.put(std::move(changed));
  return topic;
}

void catalogue::edit_configs(std::string name, std::function<void(config_map&)> edit, bool validate_only,
                             reply<metadata::topic_ptr> done) {
  submit({[name = std::move(name), edit = std::move(edit), validate_only](draft& topics) -> outcome {
            const auto* const entry = topics.find(name);
            if (entry == nullptr) return unknown_topic(name);
            auto configs = entry->configs;
            edit(configs);
            if (auto wrong = check_topic_configs(configs)) return refuse(error_code::invalid_config, std::move(*wrong));
            const auto topic = entry->topic;
            if (!validate_only) topics.put({topic, std::move(configs)});
            return topic;
          },
          std::move(done)});
}

void catalogue::set_racks(std::string name, replica_racks racks, reply<metadata::topic_ptr> done) {
  submit({[name = std::move(name), racks = std::move(racks)](draft& topics) -> outcome {
            const auto* const entry = topics.find(name);
            if (entry == nullptr) return unknown_topic(name);
            const auto& known = entry->topic->partition_racks;
            if (racks.size() != known.size()) {
              return refuse(error_code::invalid_partitions, "There must be one list of racks for each partition.");
            }
            std::vector<std::vector<std::string>> filled;
            for (std::size_t i = 0; i < racks.size(); ++i) filled.push_back(fill_absent(racks[i], known[i]));
            if (auto wrong = check_racks(filled)) return tl::unexpected(std::move(*wrong));
            auto changed = with_racks(*entry, std::move(filled));
            auto topic = changed.topic;
            topics.put(std::move(changed));
            return topic;
          },
          std::move(done)});
}

std::vector<std::string> catalogue::own_racks() const {
  return options_.rack ? std::vector<std::string>{*options_.rack} : std::vector<std::string>{};
}

catalogue::draft::draft(const entries& committed) : committed_(committed) {
  for (const auto& [name, entry] : committed) partitions_ += entry.topic->partition_count();
}

const catalogue_entry* catalogue::draft::find(std::string_view name) const {
  if (const auto changed = changes_.find(name); changed != changes_.end()) {
    return changed->second ? &*changed->second : nullptr;
  }
  const auto found = committed_.find(name);
  return found == committed_.end() ? nullptr : &found->second;
}

const catalogue_entry* catalogue::draft::find(const uuid& id) const {
  for (const auto& [name, entry] : changes_) {
    if (entry && entry->topic->id == id) return &*entry;
  }
  for (const auto& [name, entry] : committed_) {
    if (entry.topic->id == id) return changes_.contains(name) ? nullptr : &entry;
  }
  return nullptr;
}

const std::string* catalogue::draft::collision(std::string_view name) const {
  if (name.find_first_of("._") == std::string_view::npos) return nullptr;
  for (const auto& [other, entry] : committed_) {
    if (!changes_.contains(other) && same_but_for_dots(other, name)) return &other;
  }
  return nullptr;
}

std::int32_t catalogue::draft::partitions_of(std::string_view name) const {
  const auto* const entry = find(name);
  return entry == nullptr ? 0 : entry->topic->partition_count();
}

void catalogue::draft::put(catalogue_entry entry) {
  const auto name = entry.topic->name;
  partitions_ += entry.topic->partition_count() - partitions_of(name);
  changes_.insert_or_assign(name, std::move(entry));
}

void catalogue::draft::remove(const std::string& name) {
  partitions_ -= partitions_of(name);
  changes_[name] = std::nullopt;
}

}  // namespace weir::server
