#include "cli/admin_client.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "base/json_text.hpp"
#include "cli/output.hpp"
#include "cli/read_file.hpp"
#include "http/client.hpp"
#include "http/json_reader.hpp"
#include "http/request.hpp"
#include "http/url.hpp"

namespace weir::cli {
namespace {

using http::json_items;
using http::json_members;
using http::json_value;

result<std::optional<std::string>> token_of(const admin_options& options) {
  std::string token;
  if (!options.token_file.empty()) {
    auto content = read_file(options.token_file);
    if (!content) return tl::unexpected(content.error());
    token = *std::move(content);
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
    if (token.empty()) return fail(fmt::format("'{}' is empty", options.token_file));
  } else if (const char* given = std::getenv("WEIR_HTTP_TOKEN")) {
    token = given;
  }
  for (const char c : token) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) return fail("the token has more than one line");
  }
  return token.empty() ? std::nullopt : std::optional(std::move(token));
}

/// A path would be left out silently: what is behind a proxy has to be asked at its own address.
result<void> check_has_no_path(const std::string& url) {
  const auto to = http::parse_url(url);
  if (!to || to->target == "/") return {};  // the client says what else is wrong
  return fail(fmt::format("the URL must end after host and port, without '{}'", to->target));
}

result<std::string> send(const admin_options& options, http::client_request asked) {
  if (const auto fits = check_has_no_path(options.url); !fits) return tl::unexpected(fits.error());
  http::client_options how;
  if (!options.ca_file.empty()) {
    auto tls = http::make_client_tls(options.ca_file);
    if (!tls) return fail("--ca-file: " + tls.error().message);
    how.tls = *std::move(tls);
  }
  const auto answer = http::send(options.url, asked, how);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status >= 200 && answer->status < 300) return answer->body;
  const auto problem = http::parse_json(answer->body);
  const std::string detail = problem ? plain_at(*problem, "detail") : std::string();
  return fail(detail.empty() ? fmt::format("{} answered {}", options.url, answer->status) : printable(detail));
}

}  // namespace

result<std::string> fetch(const admin_options& options, const std::string& target) {
  return send(options, {.method = "GET", .target = target, .body = {}, .token = {}, .if_match = {}});
}

result<std::string> change(const admin_options& options, std::string_view method, const std::string& target,
                           std::string body, std::optional<std::string> if_match) {
  auto token = token_of(options);
  if (!token) return tl::unexpected(token.error());
  return send(options, {.method = std::string(method),
                        .target = target,
                        .body = std::move(body),
                        .token = *std::move(token),
                        .if_match = std::move(if_match)});
}

std::string group_path(const std::vector<std::string>& segments) {
  std::string path = "/v1/groups";
  for (const auto& segment : segments) path += "/" + http::percent_encode(segment);
  return path;
}

result<json_value> read_answer(const std::string& body, std::string_view member) {
  auto document = http::parse_json(body);
  if (!document) return fail("the answer is no JSON: is that a Weir?");
  const json_value* found = document->find(member);
  if (found != nullptr && found->as<std::nullptr_t>() == nullptr) return document;
  return fail(fmt::format("the answer has no '{}': is that a Weir?", member));
}

result<json_value> read_list_answer(const std::string& body, std::string_view list) {
  auto document = read_answer(body, list);
  if (!document || document->find(list)->as<json_items>() != nullptr) return document;
  return fail(fmt::format("'{}' of the answer is no list: is that a Weir?", list));
}

std::string shown_at(const json_value& of, std::string_view name) { return printable(plain_at(of, name)); }

std::string plain_at(const json_value& of, std::string_view name) {
  const json_value* found = of.find(name);
  return found == nullptr ? std::string() : found->plain();
}

const json_items& items_at(const json_value& of, std::string_view name) {
  static const json_items none;
  const json_value* found = of.find(name);
  const auto* list = found == nullptr ? nullptr : found->as<json_items>();
  return list == nullptr ? none : *list;
}

const json_members& members_at(const json_value& of, std::string_view name) {
  static const json_members none;
  const json_value* found = of.find(name);
  const auto* members = found == nullptr ? nullptr : found->as<json_members>();
  return members == nullptr ? none : *members;
}

std::string tasks_at(const json_value& of, std::string_view name) {
  std::string out;
  for (const auto& [subtopology, partitions] : members_at(of, name)) {
    const auto* list = partitions.as<json_items>();
    if (list == nullptr) continue;
    for (const json_value& partition : *list) {
      out += fmt::format("{}{}_{}", out.empty() ? "" : " ", subtopology, partition.plain());
    }
  }
  return out;
}

std::string json_quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

result<std::pair<std::string, std::string>> name_and_value(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return fail(fmt::format("'{}' is not name=value", text));
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

result<json_value> fetch_page(const admin_options& options, const std::string& target, const std::string& after) {
  const auto body = fetch(options, after.empty() ? target : target + "&after=" + http::percent_encode(after));
  if (!body) return tl::unexpected(body.error());
  return read_list_answer(*body, "items");
}

http::json_value joined_pages(http::json_value first, http::json_items items) {
  auto* const members = std::get_if<http::json_members>(&first.value);
  if (members == nullptr) return first;
  for (auto& [name, member] : *members) {
    if (name == "items") member.value = std::move(items);
    if (name == "next") member.value = nullptr;
  }
  return first;
}

}  // namespace weir::cli
