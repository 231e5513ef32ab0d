// `weir completion`: scripts that complete commands and options, made from the commands themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::cli {

/// For `bash`, `zsh` or `fish`; to be sourced. Error: another shell.
[[nodiscard]] result<std::string> completion_script(const CLI::App& app, std::string_view shell);

}  // namespace weir::cli
