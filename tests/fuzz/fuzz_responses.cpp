// An answer of an upstream. Input: int16 key and int16 version of the request, then the frame without its length.
#include "protocol/headers.hpp"
#include "protocol/messages/message_lists.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::protocol::wire::reader in({data, size});
  const auto key = in.int16();
  const auto version = in.int16();
  const auto* const row = weir::protocol::find_api(key);
  if (!in.ok() || row == nullptr) return 0;
  const auto opened = weir::protocol::open_response({data + in.position(), in.left()}, row->key, version);
  if (!opened) return 0;
  weir::fuzz::check_decode_one_of(weir::protocol::all_responses{}, key, opened->body, version);
  return 0;
}
