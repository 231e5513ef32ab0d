// Frames opened: the header, and the body that is still to be decoded. Spec 05, 1.1.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/api_keys.hpp"
#include "protocol/messages/request_header.hpp"
#include "protocol/messages/response_header.hpp"

namespace weir::protocol {

/// A request without its length. The client id and the body are views of the frame.
struct request_frame {
  request_header header;
  byte_view body;
};

/// Reads a request's header: version 2 if the API version is flexible, else 1. The API version itself is not checked.
/// Error: a key we do not know (then the header's layout is unknown too), or bytes that do not fit.
[[nodiscard]] result<request_frame> open_request(byte_view frame);

/// An answer without its length.
struct response_frame {
  response_header header;
  byte_view body;
};

/// Reads the header of an answer to a request of that API and version.
[[nodiscard]] result<response_frame> open_response(byte_view frame, api key, std::int16_t version);

}  // namespace weir::protocol
