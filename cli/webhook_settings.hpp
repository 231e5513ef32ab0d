// Web hooks, from configuration and files.
#pragma once

#include "cli/config.hpp"
#include "cli/tokens.hpp"
#include "http/webhooks.hpp"

namespace weir::cli {

/// Of the keys `webhook.*`. What is mistaken is left out.
[[nodiscard]] http::webhook_options read_webhooks(const config& from, const token_complaint& complain);

}  // namespace weir::cli
