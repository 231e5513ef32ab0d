#include "server/catalogue_record.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::server {
namespace {

/// In front of every value. A release that changes the layout counts it up and keeps reading the older ones.
constexpr std::int8_t format_version = 1;

struct config_pair {
  std::string name;
  std::string value;
};

}  // namespace

std::string encode_entry(const catalogue_entry& entry) {
  bytes out;
  protocol::wire::writer writer(out);
  writer.int8(format_version);
  writer.uuid(entry.topic->id);
  writer.array(entry.topic->partition_racks, true, [&](const std::vector<std::string>& racks) {
    writer.array(racks, true, [&](const std::string& rack) { writer.string(rack, true); });
  });
  const std::vector<std::pair<std::string, std::string>> configs(entry.configs.begin(), entry.configs.end());
  writer.array(configs, true, [&](const auto& config) {
    writer.string(config.first, true);
    writer.string(config.second, true);
  });
  return {out.begin(), out.end()};
}

result<catalogue_entry> decode_entry(std::string_view name, std::string_view value) {
  protocol::wire::reader reader({reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
  if (const auto version = reader.int8(); version != format_version) {
    return fail("topic " + std::string(name) + " is stored in format " + std::to_string(version) +
                ", this release knows format " + std::to_string(format_version));
  }
  metadata::topic topic{.id = reader.uuid(), .name = std::string(name), .partition_racks = {}};
  reader.array(true, 1, topic.partition_racks, [&](std::vector<std::string>& racks) {
    reader.array(true, 1, racks, [&](std::string& rack) { rack = reader.string(true).str(); });
  });
  std::vector<config_pair> configs;
  reader.array(true, 2, configs, [&](config_pair& config) {
    config.name = reader.string(true).str();
    config.value = reader.string(true).str();
  });
  if (!reader.ok() || reader.left() > 0) {
    return fail("topic " + std::string(name) + " is stored in a way we cannot read");
  }
  catalogue_entry entry{std::make_shared<const metadata::topic>(std::move(topic)), {}};
  for (auto& config : configs) entry.configs.emplace(std::move(config.name), std::move(config.value));
  return entry;
}

}  // namespace weir::server
