// GET / and /web/{file}: the web page, whose files are inside the binary. It uses the same API as everybody else.
#pragma once

#include <span>
#include <string_view>

#include "http/router.hpp"

namespace weir::http {

/// One file as it was built in.
struct page_file {
  std::string_view name;  ///< without folder: `app.js`
  std::string_view content_type;
  std::string_view etag;  ///< with its quotes; weak, since the answer may be compressed
  std::string_view body;
};

/// Every file of http/web, and `dagre.js`. Lives as long as the process.
[[nodiscard]] std::span<const page_file> page_files() noexcept;

/// Answers 304 without a body if the asker has that version already (RFC 9110, 13.1.2). The page may load only from
/// here, and nobody may frame it.
void add_page(router& to);

}  // namespace weir::http
