// catalogue_record: how a topic of the embedded catalogue is stored in table `topics`, under its name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "metadata/image.hpp"
#include "server/topic_configs.hpp"

namespace weir::server {

/// One topic of the catalogue.
struct catalogue_entry {
  metadata::topic_ptr topic;
  config_map configs;  ///< what was set; the rest has Kafka's defaults
};

[[nodiscard]] std::string encode_entry(const catalogue_entry& entry);
/// Error: not a value of ours, or of a newer format.
[[nodiscard]] result<catalogue_entry> decode_entry(std::string_view name, std::string_view value);

}  // namespace weir::server
