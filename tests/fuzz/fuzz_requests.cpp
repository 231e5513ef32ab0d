// A request frame (without its length): header, then the body by key and version.
#include "protocol/headers.hpp"
#include "protocol/messages/message_lists.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto opened = weir::protocol::open_request({data, size});
  if (!opened) return 0;
  weir::fuzz::check(opened->body.size() <= size);
  const auto& header = opened->header;
  weir::fuzz::check_decode_one_of(weir::protocol::all_requests{}, header.request_api_key, opened->body,
                                  header.request_api_version);
  return 0;
}
