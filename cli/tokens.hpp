// The tokens of administrators, from configuration and files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config.hpp"
#include "http/auth.hpp"

namespace weir::cli {

/// Told of each mistake: the key, what is wrong with it (never a part of a token), and other keys that are part of it.
using token_complaint =
    std::function<void(std::string_view key, std::string_view what, const std::vector<std::string_view>& others)>;

/// Of `http.token` or `http.token_file`, called `token`, and of `http.tokens` and `http.tokens_file` (`name=token`,
/// separated by commas or line ends). What is mistaken is left out.
[[nodiscard]] std::vector<http::named_token> read_tokens(const config& from, const token_complaint& complain);

}  // namespace weir::cli
