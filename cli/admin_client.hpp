// What the commands of `weir groups` have in common: asking a Weir over HTTP, and reading what it answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "http/json_value.hpp"

namespace weir::cli {

/// Where the admin API is, and who asks.
struct admin_options {
  std::string url = "http://127.0.0.1:8080";
  std::string ca_file;     ///< PEM file of whom to trust with https://; empty: whom the system trusts
  bool json = false;       ///< the documents as they come, instead of tables
  std::string token_file;  ///< file with the bearer token; empty: the environment variable WEIR_HTTP_TOKEN, or none
};

/// The body of a successful answer. Error: the server cannot be asked, or its problem document's detail.
[[nodiscard]] result<std::string> fetch(const admin_options& options, const std::string& target);
/// The same for a change: POST, PUT, PATCH, DELETE. An empty body is sent as none.
[[nodiscard]] result<std::string> change(const admin_options& options, std::string_view method,
                                         const std::string& target, std::string body,
                                         std::optional<std::string> if_match = {});

/// `/v1/groups/a%2Fb/config`, from {"a/b", "config"}.
[[nodiscard]] std::string group_path(const std::vector<std::string>& segments);

/// The document of an answer. Error: it is no object with that member, so whoever answered is no Weir.
[[nodiscard]] result<http::json_value> read_answer(const std::string& body, std::string_view member);
/// The same, and the member is a list.
[[nodiscard]] result<http::json_value> read_list_answer(const std::string& body, std::string_view list);

/// A page of a list: `target` has a query already; `after` is what the page before calls `next`, or empty.
[[nodiscard]] result<http::json_value> fetch_page(const admin_options& options, const std::string& target,
                                                  const std::string& after);

// Reading documents: what is not there reads as empty.
/// Printable.
[[nodiscard]] std::string shown_at(const http::json_value& of, std::string_view name);
/// As it is: to be compared or sent, or for a table.
[[nodiscard]] std::string plain_at(const http::json_value& of, std::string_view name);
[[nodiscard]] const http::json_items& items_at(const http::json_value& of, std::string_view name);
[[nodiscard]] const http::json_members& members_at(const http::json_value& of, std::string_view name);
/// The first page of a list with the items of all its pages: one document.
[[nodiscard]] http::json_value joined_pages(http::json_value first, http::json_items items);
/// `0_1 1_0`, from {"0":[1],"1":[0]} under that name.
[[nodiscard]] std::string tasks_at(const http::json_value& of, std::string_view name);

/// The text as JSON.
[[nodiscard]] std::string json_quoted(std::string_view text);
/// `name=value`, split at the first `=`. Error: there is none, or no name.
[[nodiscard]] result<std::pair<std::string, std::string>> name_and_value(std::string_view text);

}  // namespace weir::cli
