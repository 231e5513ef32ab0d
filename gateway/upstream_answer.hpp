// upstream_answer: what the upstream said to a question of the gateway's own, opened and decoded in one place.
#pragma once

#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/headers.hpp"

namespace weir::gateway {

/// A decoded answer with the frame that its texts look into; moving it keeps them valid.
template <class Response>
struct upstream_answer {
  Response message;
  bytes frame;
};

/// Error: why there is no frame, or that it does not hold an answer of this kind and version.
template <class Response>
result<upstream_answer<Response>> read_answer(result<bytes> frame, std::int16_t version) {
  if (!frame) return tl::unexpected(frame.error());
  const auto opened = protocol::open_response(byte_view(*frame).subspan(sizeof(std::int32_t)),
                                              static_cast<protocol::api>(Response::api_key), version);
  if (!opened) return fail("the upstream's answer: " + opened.error().message);
  auto message = protocol::decode<Response>(opened->body, version);
  if (!message) return fail("the upstream's answer: " + message.error().message);
  return upstream_answer<Response>{*std::move(message), *std::move(frame)};
}

}  // namespace weir::gateway
