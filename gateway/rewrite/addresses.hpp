// Broker addresses in answers (spec 05, 8.2): a client that sees one real address talks around the gateway. Node ids
// stay as they are, only host and port change.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "gateway/upstream.hpp"

namespace weir::gateway {

/// `frame` is a whole answer, length included, of that API and version; the result is what the client gets. Versions
/// that cannot hold an address come back untouched. Error: an answer that cannot be decoded, or one that names more
/// brokers than the gateway has listeners for.
[[nodiscard]] result<bytes> rewrite_addresses(bytes frame, std::int16_t key, std::int16_t version,
                                              const broker_address& advertised);

}  // namespace weir::gateway
