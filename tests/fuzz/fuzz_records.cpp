// Keys and values of the group log. Input: the key's size (one byte), the key, the value.
#include "protocol/group_records.hpp"
#include "protocol/messages/message_lists.hpp"
#include "tests/fuzz/check.hpp"

namespace {

constexpr std::size_t type_bytes = 2;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const weir::byte_view rest(data + 1, size - 1);
  const auto key = rest.first(data[0] < rest.size() ? data[0] : rest.size());
  const auto value = rest.subspan(key.size());
  const auto type = weir::protocol::record_type(key);
  if (!type) return 0;
  weir::fuzz::check_decode_one_of(weir::protocol::all_keys{}, *type, key.subspan(type_bytes), 0);
  const auto version = weir::protocol::value_version(value);
  if (!version) return 0;
  weir::fuzz::check_decode_one_of(weir::protocol::all_values{}, *type, value.subspan(type_bytes), *version);
  return 0;
}
