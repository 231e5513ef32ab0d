#include "protocol/error_codes.hpp"

#include <algorithm>
#include <iterator>

namespace weir::protocol {
namespace {

const error_code_row* find(error_code code) noexcept {
  const auto* const row = std::ranges::lower_bound(error_code_rows, code, {}, &error_code_row::code);
  return row != std::end(error_code_rows) && row->code == code ? row : nullptr;
}

}  // namespace

std::string_view name(error_code code) noexcept {
  const auto* const row = find(code);
  return row == nullptr ? "UNKNOWN_ERROR_CODE" : row->name;
}

bool retriable(error_code code) noexcept {
  const auto* const row = find(code);
  return row != nullptr && row->retriable;
}

}  // namespace weir::protocol
