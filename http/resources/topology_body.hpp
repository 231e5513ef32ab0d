// An application as a document: subtopologies and topics by name, as `weir simulate` and the rehearsal read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/json_value.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"

namespace weir::http {

struct topic_body {
  std::string name;
  std::int32_t partitions = 0;  ///< of an internal topic: 0 = as its sources have
};

struct subtopology_body {
  std::string id;
  std::vector<std::string> sources;
  std::vector<std::string> repartition_sinks;
  std::vector<topic_body> repartition_sources;
  std::vector<std::string> changelogs;
  std::vector<std::vector<std::string>> copartition;  ///< groups of topics that must have as many partitions
  std::vector<std::string> source_patterns = {};      ///< regular expressions of whole topic names
};

struct topology_body {
  std::vector<topic_body> topics;  ///< source topics, to be created by who plays the application
  std::vector<subtopology_body> subtopologies;
};

/// `path` stands in front of every problem (`topology`); empty at the root. Error: every mistake.
[[nodiscard]] result<topology_body> read_topology_body(const json_value& from, const std::string& path = {});

/// As the first heartbeat carries it (spec 01, 1.2); topology epoch 0 like shipped clients. Views of `from`.
[[nodiscard]] protocol::streams_group_heartbeat_request::topology_data to_wire(const topology_body& from);

}  // namespace weir::http
