#include "protocol/codec.hpp"

#include <stdexcept>
#include <string>

#include "base/assert.hpp"
#include "protocol/messages/request_header.hpp"
#include "protocol/messages/response_header.hpp"

namespace weir::protocol::detail {
namespace {

constexpr std::size_t length_bytes = 4;
/// A thread does not keep more than this after an unusually large answer.
constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;

struct thread_buffer {
  bytes buffer;
  bool in_use = false;
};
thread_local thread_buffer mine;

}  // namespace

tl::unexpected<error> decode_failure(std::string_view name, std::int16_t version, const wire::reader& in) {
  const auto place = " at byte " + std::to_string(in.position());
  return fail(std::string(name) + " version " + std::to_string(version) + ": " + std::string(in.reason()) + place);
}

tl::unexpected<error> unknown_version(std::string_view name, std::int16_t version) {
  return fail(std::string(name) + ": unknown version " + std::to_string(version));
}

scratch::scratch() : buffer_(mine.buffer), writer_(buffer_) {
  WEIR_ASSERT(!mine.in_use);
  mine.in_use = true;
}

scratch::~scratch() {
  mine.in_use = false;
  buffer_.clear();
  if (buffer_.capacity() > kept_bytes_max) buffer_.shrink_to_fit();
}

bytes scratch::copy() const { return bytes(buffer_.begin(), buffer_.end()); }

bytes scratch::copy_frame() {
  const auto size = buffer_.size() - length_bytes;
  if (size > limits::answer_bytes_max) {
    throw std::length_error("a frame of " + std::to_string(size) + " bytes, the limit is " +
                            std::to_string(limits::answer_bytes_max));
  }
  writer_.patch_int32(0, static_cast<std::int32_t>(size));
  return copy();
}

void start_request(wire::writer& out, const api_row& row, std::int16_t version, std::int32_t correlation_id,
                   const std::optional<text>& client_id) {
  out.int32(0);
  const request_header header{key_of(row.key), version, correlation_id, client_id, {}};
  header.write(out, request_header_version(row, version));
}

void start_response(wire::writer& out, const api_row& row, std::int16_t version, std::int32_t correlation_id) {
  out.int32(0);
  const response_header header{correlation_id, {}};
  header.write(out, response_header_version(row, version));
}

}  // namespace weir::protocol::detail
