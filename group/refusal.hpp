// refusal: a request or a topology is turned down, with Kafka's error code and the text that goes to the client.
#pragma once

#include "protocol/error_codes.hpp"

namespace weir::group {

/// {code, message}; the rules of a group return one where a client is told "no".
using refusal = protocol::kafka_error;

}  // namespace weir::group
