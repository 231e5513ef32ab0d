// The catalogue of embedded mode as the admin API wants it.
#pragma once

#include <memory>

#include "http/resources/topics.hpp"
#include "server/catalogue.hpp"

namespace weir::cli {

/// `topics` must outlive the port.
[[nodiscard]] std::unique_ptr<http::topic_admin> make_topic_port(server::catalogue& topics);

}  // namespace weir::cli
