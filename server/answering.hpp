// How the answer of a request is written, by handlers and by the gateway.
#pragma once

#include <string>
#include <utility>

#include "base/guarded.hpp"
#include "protocol/codec.hpp"
#include "server/session.hpp"

namespace weir::server {

/// Runs `work`, which writes the answer. What it throws, for want of memory or above limits::answer_bytes_max, closes
/// the connection. Any thread.
template <class Work>
void answering(const request_in& in, Work&& work) {
  guarded(std::forward<Work>(work),
          [&in](const char* what) { in.connection->close(std::string("an answer was not written: ") + what); });
}

/// Writes it in the slot and the version of its request.
template <class Response>
void write_answer(const request_in& in, const Response& response) {
  in.connection->answer(in.slot, protocol::encode_response_frame(in.header.correlation_id, response,
                                                                 in.header.request_api_version));
}

}  // namespace weir::server
