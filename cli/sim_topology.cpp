#include "cli/sim_topology.hpp"

#include <fmt/format.h>

#include "cli/read_file.hpp"
#include "cli/toml_reader.hpp"
#include "http/json_reader.hpp"

namespace weir::cli {
namespace {

constexpr std::int32_t source_partitions = 4;

}  // namespace

sim_topology word_count(std::string_view application_id) {
  const std::string repartition = fmt::format("{}-words-repartition", application_id);
  sim_topology out;
  out.topics = {{"text-lines", source_partitions}};
  out.subtopologies.push_back({"0", {"text-lines"}, {repartition}, {}, {}, {}});
  const std::string changelog = fmt::format("{}-counts-changelog", application_id);
  out.subtopologies.push_back({"1", {}, {}, {{repartition, 0}}, {changelog}, {}});
  return out;
}

result<sim_topology> read_topology(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return fail("topology file: " + content.error().message);
  const auto tree = path.ends_with(".json") ? http::parse_json(*content) : read_toml(*content);
  if (!tree) return fail(fmt::format("{}: {}", path, tree.error().message));
  auto made = http::read_topology_body(*tree);
  if (!made) return fail(fmt::format("{}: {}", path, made.error().message));
  return made;
}

}  // namespace weir::cli
