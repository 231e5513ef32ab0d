// Frames cut from pieces are the frames cut from the whole. Input: a byte for the size of the pieces, then the stream.
#include <algorithm>
#include <string>
#include <vector>

#include "protocol/framing.hpp"
#include "tests/fuzz/check.hpp"

namespace {

constexpr std::size_t frame_bytes_max = 2048;

struct cut_stream {
  std::vector<std::string> frames;
  std::string error;

  bool operator==(const cut_stream&) const = default;
};

cut_stream cut(weir::byte_view stream, std::size_t piece) {
  cut_stream out;
  weir::protocol::frame_cutter cutter(frame_bytes_max);
  while (!stream.empty() && out.error.empty()) {
    const auto size = std::min(piece, stream.size());
    cutter.append(stream.first(size));
    stream = stream.subspan(size);
    for (;;) {
      const auto frame = cutter.next();
      if (!frame) out.error = frame.error().message;
      if (!frame || !*frame) break;
      weir::fuzz::check((*frame)->size() <= frame_bytes_max);
      out.frames.emplace_back((*frame)->begin(), (*frame)->end());
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const weir::byte_view stream(data + 1, size - 1);
  weir::fuzz::check(cut(stream, std::size_t{1} + data[0]) == cut(stream, size));
  return 0;
}
