// frame_cutter: cuts what a socket delivers into frames, whatever the pieces. One for each connection, owned by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"

namespace weir::protocol {

/// What a frame_cutter keeps of its memory when no frame is under way.
inline constexpr std::size_t kept_bytes_max = std::size_t{64} * 1024;

/// A frame is a 4-byte length and that many bytes; callers see the bytes only. Memory grows with what has arrived,
/// never with what a length announces. One thread.
class frame_cutter {
 public:
  explicit frame_cutter(std::size_t frame_bytes_max = limits::frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  /// Room for at least `size` more bytes, to be read into. Ends the life of views from next().
  [[nodiscard]] std::span<std::uint8_t> prepare(std::size_t size);
  /// `size` bytes of the last prepare() have been filled.
  void commit(std::size_t size);
  /// Both at once, for bytes that are elsewhere.
  void append(byte_view data);

  /// The next complete frame, a view until prepare() or append(); none if more bytes are needed. Error: a negative
  /// length or one above the limit; the stream is then lost and every later call fails too.
  [[nodiscard]] result<std::optional<byte_view>> next();

  /// Gives up the memory of an unusually large frame that has ended; what arrived behind it is kept. Ends the life of
  /// views from next().
  void trim();
  /// Memory held, in bytes.
  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return buffer_.capacity(); }

  /// Bytes that arrived and are not part of a returned frame. Above zero after next() gave none: a frame has begun.
  [[nodiscard]] std::size_t pending() const noexcept { return filled_ - consumed_; }

 private:
  std::size_t frame_bytes_max_;
  bytes buffer_;
  std::size_t consumed_ = 0;  // returned to the caller
  std::size_t filled_ = 0;    // arrived
};

/// A copy of a frame that may be shared.
[[nodiscard]] inline shared_frame keep(byte_view frame) {
  return std::make_shared<const bytes>(frame.begin(), frame.end());
}

}  // namespace weir::protocol
