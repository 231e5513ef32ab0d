// GET and POST /v1/topics, PUT /v1/topics/{topic}/racks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/coordinator.hpp"
#include "http/router.hpp"
#include "protocol/error_codes.hpp"

namespace weir::http {

struct new_topic {
  std::string name;
  std::int32_t partitions = 1;  ///< 1 .. limits::topic_partitions_max
  /// Racks of the replicas of each partition; empty, or one entry for each partition.
  std::vector<std::vector<std::string>> racks;
  std::map<std::string, std::string> configs;
};

/// Racks of the replicas of each partition; nothing stands for a replica whose broker is away.
using rack_lists = std::vector<std::vector<std::optional<std::string>>>;

/// Port: the catalogue of embedded mode.
class topic_admin {
 public:
  virtual ~topic_admin() = default;
  /// `done` is called once, on any thread, when the topic is durable and every group has been told, or with why not.
  virtual void create(new_topic topic, std::function<void(std::optional<protocol::kafka_error>)> done) = 0;
  /// Likewise. A replica that is away keeps the rack it had.
  virtual void set_racks(std::string topic, rack_lists racks,
                         std::function<void(std::optional<protocol::kafka_error>)> done) = 0;
};

/// admin: null in gateway mode, where topics are created in the upstream cluster. Both must outlive the router.
void add_topics(router& to, actors::coordinator& groups, topic_admin* admin);

}  // namespace weir::http
