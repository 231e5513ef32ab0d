// The application that `weir simulate` pretends to be: subtopologies and source topics, from a TOML or JSON file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/resources/topology_body.hpp"

namespace weir::cli {

using sim_topic = http::topic_body;
using sim_subtopology = http::subtopology_body;
using sim_topology = http::topology_body;

/// Words are counted: lines in, a repartition topic by word, a store of counts with its changelog.
[[nodiscard]] sim_topology word_count(std::string_view application_id);
/// A file that ends in `.json` is JSON, any other TOML. Error: every mistake.
[[nodiscard]] result<sim_topology> read_topology(const std::string& path);

}  // namespace weir::cli
