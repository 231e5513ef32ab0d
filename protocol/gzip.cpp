#include "protocol/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>

namespace weir::protocol {

result<bytes> gunzip(byte_view packed, std::size_t bytes_max) {
  constexpr int gzip_window_bits = 16 + MAX_WBITS;
  constexpr std::size_t step_bytes = std::size_t{64} << 10;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window_bits) != Z_OK) return fail("out of memory");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, &inflateEnd);
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  bytes out;
  int code = Z_OK;
  while (code == Z_OK) {
    const auto before = out.size();
    if (before >= bytes_max) return fail("unpacked it is too large");
    out.resize(before + std::min(step_bytes, bytes_max - before));
    stream.next_out = out.data() + before;
    stream.avail_out = static_cast<uInt>(out.size() - before);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  if (code != Z_STREAM_END) return fail(code == Z_BUF_ERROR ? "gzip data that ends too early" : "not gzip data");
  if (stream.avail_in > 0) return fail("bytes left over behind gzip data");
  return out;
}

}  // namespace weir::protocol
