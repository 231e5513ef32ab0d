#include "protocol/framing.hpp"

#include <algorithm>
#include <string>

#include "base/assert.hpp"
#include "protocol/wire/reader.hpp"

namespace weir::protocol {
namespace {

constexpr std::size_t length_bytes = 4;

}  // namespace

std::span<std::uint8_t> frame_cutter::prepare(std::size_t size) {
  if (consumed_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= consumed_;
    consumed_ = 0;
  }
  if (buffer_.size() - filled_ < size) {
    buffer_.resize(std::max(filled_ + size, std::min(2 * filled_, filled_ + frame_bytes_max_)));
  }
  return std::span(buffer_).subspan(filled_);
}

void frame_cutter::commit(std::size_t size) {
  WEIR_ASSERT(size <= buffer_.size() - filled_);
  filled_ += size;
}

void frame_cutter::append(byte_view data) {
  std::copy(data.begin(), data.end(), prepare(data.size()).begin());
  commit(data.size());
}

void frame_cutter::trim() {
  if (buffer_.size() <= kept_bytes_max || pending() > kept_bytes_max / 2) return;
  const auto rest = byte_view(buffer_).subspan(consumed_, pending());
  bytes(rest.begin(), rest.end()).swap(buffer_);
  consumed_ = 0;
  filled_ = buffer_.size();
}

result<std::optional<byte_view>> frame_cutter::next() {
  if (pending() < length_bytes) return std::nullopt;
  const auto waiting = byte_view(buffer_).subspan(consumed_, pending());
  const auto length = wire::reader(waiting).int32();
  if (length < 0) return fail("frame of negative length " + std::to_string(length));
  const auto size = static_cast<std::size_t>(length);
  if (size > frame_bytes_max_) {
    return fail("frame of " + std::to_string(size) + " bytes, the limit is " + std::to_string(frame_bytes_max_));
  }
  if (waiting.size() - length_bytes < size) return std::nullopt;
  consumed_ += length_bytes + size;
  return waiting.subspan(length_bytes, size);
}

}  // namespace weir::protocol
