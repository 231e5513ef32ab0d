#include "protocol/group_records.hpp"

namespace weir::protocol {
namespace {

std::optional<std::int16_t> first_int16(byte_view data) noexcept {
  wire::reader in(data);
  const auto value = in.int16();
  return in.ok() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::int16_t> record_type(byte_view key) noexcept { return first_int16(key); }

std::optional<std::int16_t> value_version(byte_view value) noexcept { return first_int16(value); }

}  // namespace weir::protocol
