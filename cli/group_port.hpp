// Groups of the cluster behind a gateway as the admin API wants them.
#pragma once

#include <memory>

#include "gateway/upstream_cluster.hpp"
#include "http/resources/offsets.hpp"
#include "http/resources/rehearsal.hpp"

namespace weir::cli {

/// `cluster` must outlive the ports.
[[nodiscard]] std::unique_ptr<http::upstream_groups> make_group_port(gateway::upstream_cluster& cluster);
[[nodiscard]] std::unique_ptr<http::upstream_offsets> make_offset_port(gateway::upstream_cluster& cluster);

}  // namespace weir::cli
