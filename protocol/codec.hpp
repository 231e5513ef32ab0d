// Whole messages and frames: decode with nothing left over, encode with the length and the right header in front.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/api_keys.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::protocol {
namespace detail {

/// "FetchRequest version 4: ends too early at byte 17"
tl::unexpected<error> decode_failure(std::string_view name, std::int16_t version, const wire::reader& in);
tl::unexpected<error> unknown_version(std::string_view name, std::int16_t version);

/// A buffer of this thread, empty. Its memory is kept for the next use, so that an answer costs one allocation, its
/// own.
class scratch {
 public:
  scratch();
  ~scratch();
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  [[nodiscard]] wire::writer& out() noexcept { return writer_; }
  /// An exact copy of what was written.
  [[nodiscard]] bytes copy() const;
  /// The same with the first four bytes replaced by the size of the rest.
  [[nodiscard]] bytes copy_frame();

 private:
  bytes& buffer_;
  wire::writer writer_;
};

void start_request(wire::writer& out, const api_row& row, std::int16_t version, std::int32_t correlation_id,
                   const std::optional<text>& client_id);
void start_response(wire::writer& out, const api_row& row, std::int16_t version, std::int32_t correlation_id);

}  // namespace detail

/// A request comes from anybody.
template <class M>
inline constexpr std::size_t elements_max =
    M::name.ends_with("Request") ? limits::request_elements_max : limits::array_elements_max;

/// Decodes a whole message. Its texts are views of body, which must outlive it. Error: a version outside the schema,
/// bytes that do not fit, bytes left over; the words name the message and the place.
template <class M>
[[nodiscard]] result<M> decode(byte_view body, std::int16_t version) {
  if (version < M::min_version || version > M::max_version) return detail::unknown_version(M::name, version);
  result<M> message{M{}};
  wire::reader in(body, elements_max<M>);
  message->read(in, version);
  if (in.ok() && in.left() > 0) in.fail("bytes left over");
  if (!in.ok()) return detail::decode_failure(M::name, version, in);
  return message;
}

/// The message alone. Fields that the version lacks are left out.
template <class M>
[[nodiscard]] bytes encode(const M& message, std::int16_t version) {
  detail::scratch scratch;
  message.write(scratch.out(), version);
  return scratch.copy();
}

/// A request as it goes to a broker: length, header, body.
template <class M>
[[nodiscard]] bytes encode_request_frame(std::int32_t correlation_id, const std::optional<text>& client_id,
                                         const M& request, std::int16_t version) {
  detail::scratch scratch;
  detail::start_request(scratch.out(), *find_api(M::api_key), version, correlation_id, client_id);
  request.write(scratch.out(), version);
  return scratch.copy_frame();
}

/// An answer as it goes to a client: length, header, body. `version` is the request's; one allocation. Throws
/// std::length_error above limits::answer_bytes_max.
template <class M>
[[nodiscard]] bytes encode_response_frame(std::int32_t correlation_id, const M& response, std::int16_t version) {
  detail::scratch scratch;
  detail::start_response(scratch.out(), *find_api(M::api_key), version, correlation_id);
  response.write(scratch.out(), version);
  return scratch.copy_frame();
}

}  // namespace weir::protocol
