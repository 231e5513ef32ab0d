// Records for tests of the logs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "group/record.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

inline group::record group_epoch(std::int32_t epoch) {
  group::group_metadata value;
  value.epoch = epoch;
  return group::group_metadata_record{value};
}

inline group::record member(const std::string& id, std::int32_t topology_epoch = 0) {
  group::member_metadata value;
  value.client_id = "client";
  value.topology_epoch = topology_epoch;
  return group::member_metadata_record{id, value};
}

inline group::record consumer_epoch(std::int32_t epoch) {
  return group::consumer_group_record{group::consumer_metadata{.epoch = epoch, .metadata_hash = 7}};
}

inline group::record offset(const std::string& topic, std::int32_t partition, std::int64_t at) {
  group::committed_offset value;
  value.offset = at;
  return group::offset_record{topic, partition, value};
}

using stored_groups = std::vector<std::pair<std::string, group::records>>;

/// Everything a log holds, group by group as replay() visits it.
inline stored_groups everything(record_log& log) {
  stored_groups out;
  const auto replayed = log.replay([&](std::string_view group_id, group::record r) {
    if (out.empty() || out.back().first != group_id) out.emplace_back(group_id, group::records{});
    out.back().second.push_back(std::move(r));
  });
  if (!replayed) out.emplace_back("error: " + replayed.error().message, group::records{});
  return out;
}

inline group::records one_group(record_log& log, std::string_view group_id) {
  group::records out;
  const auto replayed =
      log.replay_group(group_id, [&](std::string_view /*group*/, group::record r) { out.push_back(std::move(r)); });
  return replayed ? out : group::records{};
}

inline std::map<std::string, std::string> whole_table(record_log& log, table from) {
  std::map<std::string, std::string> out;
  const auto read =
      log.read_table(from, [&](std::string_view key, std::string_view value) { out.emplace(key, value); });
  return read ? out : std::map<std::string, std::string>{{"error", read.error().message}};
}

}  // namespace weir::storage
