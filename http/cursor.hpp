// Pages of a collection: `limit` and an opaque `after`. A cursor carries the query it belongs to, so it cannot be used
// with another one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/request.hpp"

namespace weir::http {

/// Which part of a collection, ordered by name, a request wants.
struct page {
  static constexpr std::size_t limit_default = 100;
  static constexpr std::size_t limit_max = 1000;

  std::size_t limit = limit_default;
  std::string after;  ///< the last name of the page before; empty = from the start
  std::string query;  ///< the filters this page belongs to

  /// The cursor for what follows `last`.
  [[nodiscard]] std::string next(std::string_view last) const;
};

/// Reads `limit` and `after`; `query` spells the other parameters. Error: limit out of range, or a cursor that was not
/// made for this query.
[[nodiscard]] result<page> read_page(const request& asked, std::string query);

}  // namespace weir::http
