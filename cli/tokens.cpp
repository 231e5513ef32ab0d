#include "cli/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/named_entries.hpp"
#include "cli/read_file.hpp"

namespace weir::cli {
namespace {

class token_reader {
 public:
  token_reader(const config& from, const token_complaint& complaint) : from_(from), complaint_(complaint) {}

  std::vector<http::named_token> read() {
    settle_token();
    settle_named_tokens();
    return std::move(out_);
  }

 private:
  /// The one token without a name of its own is called `token`.
  void settle_token() {
    const std::string& token = from_.text("http.token");
    if (!token.empty()) out_.push_back({"token", token});
    const std::string& file = from_.text("http.token_file");
    if (file.empty()) return;
    if (!token.empty()) {
      return complain("http.token_file", "must not be set together with 'http.token'", {"http.token"});
    }
    read_token(file);
  }

  void read_token(const std::string& path) {
    auto content = read_file(path);
    if (!content) return complain("http.token_file", content.error().message);
    std::string token = *std::move(content);
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
    if (token.empty()) return complain("http.token_file", fmt::format("'{}' is empty", path));
    if (std::ranges::any_of(token, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
      return complain("http.token_file", fmt::format("'{}' has more than one line, or control characters", path));
    }
    out_.push_back({"token", std::move(token)});
  }

  void settle_named_tokens() {
    add_named_tokens("http.tokens", from_.text("http.tokens"));
    const std::string& file = from_.text("http.tokens_file");
    if (file.empty()) return;
    const auto content = read_file(file);
    if (!content) return complain("http.tokens_file", content.error().message);
    add_named_tokens("http.tokens_file", *content);
  }

  /// No part of a token is told. `text`: name=token, separated by commas or line ends.
  void add_named_tokens(std::string_view key, std::string_view text) {
    for (const auto& [number, name, token] : named_entries(text)) {
      if (name.empty() || token.empty()) {
        complain(key, fmt::format("entry {} must have the form name=token", number));
        continue;
      }
      const auto same = [&name, &token](const http::named_token& known) {
        return known.name == name || known.token == token;
      };
      if (std::ranges::any_of(out_, same)) {
        complain(key, fmt::format("the name '{}' or its token is there twice", name));
        continue;
      }
      out_.push_back({std::string(name), std::string(token)});
    }
  }

  void complain(std::string_view key, std::string_view what, const std::vector<std::string_view>& others = {}) const {
    complaint_(key, what, others);
  }

  const config& from_;
  const token_complaint& complaint_;
  std::vector<http::named_token> out_;
};

}  // namespace

std::vector<http::named_token> read_tokens(const config& from, const token_complaint& complain) {
  return token_reader(from, complain).read();
}

}  // namespace weir::cli
