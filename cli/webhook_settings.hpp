// Web hooks, from configuration and files.
#pragma once

#include <string_view>

#include "cli/config.hpp"
#include "cli/tokens.hpp"
#include "http/webhooks.hpp"

namespace weir::cli {

/// 1 to 64 letters, digits, `-`, `_` or `.`.
[[nodiscard]] bool is_hook_name(std::string_view name);

/// Of the keys `webhook.*`. What is mistaken is left out.
[[nodiscard]] http::webhook_options read_webhooks(const config& from, const token_complaint& complain);

}  // namespace weir::cli
