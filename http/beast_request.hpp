// Beast's request as resources see one.
#pragma once

#include <boost/beast/http.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/request.hpp"

namespace weir::http {

using beast_request = boost::beast::http::request<boost::beast::http::string_body>;

[[nodiscard]] inline std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

/// Error: the target is none (parse_target()).
[[nodiscard]] result<request> to_request(beast_request&& from);

/// What is wrong with a header, before any of the body is read; nothing if the rest may come.
[[nodiscard]] std::optional<response> refuse_header(const beast_request& header);

}  // namespace weir::http
