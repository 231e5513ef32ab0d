// The application that `weir simulate` pretends to be: subtopologies and source topics, from a TOML or JSON file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "http/json_value.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"

namespace weir::cli {

struct sim_topic {
  std::string name;
  std::int32_t partitions = 0;  ///< of an internal topic: 0 = as its sources have
};

struct sim_subtopology {
  std::string id;
  std::vector<std::string> sources;
  std::vector<std::string> repartition_sinks;
  std::vector<sim_topic> repartition_sources;
  std::vector<std::string> changelogs;
  std::vector<std::vector<std::string>> copartition;  ///< groups of topics that must have as many partitions
};

struct sim_topology {
  std::vector<sim_topic> topics;  ///< source topics, to be created if they are missing
  std::vector<sim_subtopology> subtopologies;
};

/// Words are counted: lines in, a repartition topic by word, a store of counts with its changelog.
[[nodiscard]] sim_topology word_count(std::string_view application_id);
/// A file that ends in `.json` is JSON, any other TOML. Error: every mistake.
[[nodiscard]] result<sim_topology> read_topology(const std::string& path);
[[nodiscard]] result<sim_topology> parse_topology(const http::json_value& tree);

/// As the first heartbeat carries it (spec 01, 1.2); topology epoch 0 like shipped clients. Views of `from`.
[[nodiscard]] protocol::streams_group_heartbeat_request::topology_data to_wire(const sim_topology& from);

}  // namespace weir::cli
