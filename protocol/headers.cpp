#include "protocol/headers.hpp"

#include <string>

#include "base/assert.hpp"
#include "protocol/codec.hpp"
#include "protocol/wire/reader.hpp"

namespace weir::protocol {
namespace {

constexpr std::size_t key_and_version_bytes = 4;

template <class Frame, class Header>
result<Frame> open(byte_view frame, std::int16_t header_version) {
  result<Frame> opened{Frame{}};
  wire::reader in(frame);
  opened->header.read(in, header_version);
  if (!in.ok()) return detail::decode_failure(Header::name, header_version, in);
  opened->body = frame.subspan(in.position());
  return opened;
}

}  // namespace

result<request_frame> open_request(byte_view frame) {
  if (frame.size() < key_and_version_bytes) {
    return fail("request of " + std::to_string(frame.size()) + " bytes has no header");
  }
  wire::reader peek(frame);
  const auto key = peek.int16();
  const auto version = peek.int16();
  const auto* const row = find_api(key);
  if (row == nullptr) return fail("unknown api key " + std::to_string(key));
  return open<request_frame, request_header>(frame, request_header_version(*row, version));
}

result<response_frame> open_response(byte_view frame, api key, std::int16_t version) {
  const auto* const row = find_api(key_of(key));
  WEIR_ASSERT(row != nullptr);
  return open<response_frame, response_header>(frame, response_header_version(*row, version));
}

}  // namespace weir::protocol
