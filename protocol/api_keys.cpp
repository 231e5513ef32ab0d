#include "protocol/api_keys.hpp"

#include <algorithm>
#include <iterator>

namespace weir::protocol {

const api_row* find_api(std::int16_t key) noexcept {
  const auto* const row = std::ranges::lower_bound(api_rows, static_cast<api>(key), {}, &api_row::key);
  return row != std::end(api_rows) && key_of(row->key) == key ? row : nullptr;
}

std::string_view api_name(std::int16_t key) noexcept {
  const auto* const row = find_api(key);
  return row == nullptr ? "unknown" : row->name;
}

}  // namespace weir::protocol
