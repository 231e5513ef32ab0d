#include "cli/webhook_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/named_entries.hpp"
#include "cli/read_file.hpp"
#include "cli/wiring.hpp"
#include "http/client.hpp"
#include "http/resources/followers.hpp"

namespace weir::cli {
namespace {

class hook_reader {
 public:
  hook_reader(const config& from, const token_complaint& complain) : from_(from), complain_(complain) {}

  http::webhook_options read() {
    read_urls();
    read_causes();
    add_tokens("webhook.tokens", from_.text("webhook.tokens"));
    read_token_file();
    read_limits();
    return std::move(out_);
  }

 private:
  void read_urls() {
    constexpr std::string_view key = "webhook.urls";
    std::size_t number = 0;
    for (const auto& entry : from_.list(key)) {
      ++number;
      const auto pair = split_named(entry);
      if (!pair || !is_hook_name(pair->first)) {  // it is not shown: the path of a URL may be a secret
        complain(key, fmt::format("entry {} must have the form name=url, the name of at most 64 letters, digits, '.', "
                                  "'_' or '-'",
                                  number));
        continue;
      }
      const auto url = http::parse_url(pair->second);
      if (!url) {
        complain(key, fmt::format("entry '{}': {}", pair->first, url.error().message));
      } else if (find(pair->first) != nullptr) {
        complain(key, fmt::format("the name '{}' is there twice", pair->first));
      } else {
        out_.hooks.push_back({std::string(pair->first), *url, {}, {}});
      }
    }
    if (out_.hooks.size() > http::webhooks_max) {
      complain(key, fmt::format("can have at most {} entries", http::webhooks_max));
    }
  }

  /// A hook that is not named gets all.
  void read_causes() {
    constexpr std::string_view key = "webhook.causes";
    for (const auto& entry : from_.list(key)) {
      const auto pair = split_named(entry);
      http::webhook* hook = pair ? find(pair->first) : nullptr;
      if (hook == nullptr) {
        complain(
            key, fmt::format("must have entries of the form name=cause with a name of 'webhook.urls', not '{}'", entry),
            {"webhook.urls"});
      } else if (const auto cause = group::cause_of(pair->second)) {
        hook->causes.insert(*cause);
      } else {
        complain(key, http::unknown_cause(pair->second));
      }
    }
  }

  void read_token_file() {
    const std::string& file = from_.text("webhook.tokens_file");
    if (file.empty()) return;
    const auto content = read_file(file);
    if (!content) return complain("webhook.tokens_file", content.error().message);
    add_tokens("webhook.tokens_file", *content);
  }

  /// No part of a token is told. `text`: name=token, separated by commas or line ends.
  void add_tokens(std::string_view key, std::string_view text) {
    for (const auto& [number, name, token] : named_entries(text)) {
      http::webhook* hook = find(name);
      if (hook == nullptr || token.empty()) {
        complain(key, fmt::format("entry {} must have the form name=token with a name of 'webhook.urls'", number),
                 {"webhook.urls"});
      } else if (std::ranges::any_of(token, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
        complain(key, fmt::format("entry {} has control characters", number));
      } else if (!hook->token.empty()) {
        complain(key, fmt::format("the name '{}' is there twice", hook->name));
      } else {
        hook->token = token;
      }
    }
  }

  void read_limits() {
    auto& limits = out_.limits;
    limits.timeout_ms = from_.integer("webhook.timeout.ms");
    limits.queue_events_max = static_cast<std::size_t>(from_.integer("webhook.queue.events.max"));
    limits.attempts_max = static_cast<std::int32_t>(from_.integer("webhook.attempts.max"));
    limits.backoff_ms = from_.integer("webhook.backoff.ms");
    limits.backoff_max_ms = from_.integer("webhook.backoff.max.ms");
    if (limits.backoff_ms > limits.backoff_max_ms) {
      complain("webhook.backoff.max.ms", "must not be below 'webhook.backoff.ms'", {"webhook.backoff.ms"});
    }
    out_.ca_file = from_.text("webhook.ca.file");
    if (!out_.ca_file.empty()) {
      const auto made = http::make_client_tls(out_.ca_file);
      if (!made) complain("webhook.ca.file", made.error().message);
    }
    out_.user_agent = "weir/" + version();
  }

  http::webhook* find(std::string_view name) {
    const auto found = std::ranges::find(out_.hooks, name, &http::webhook::name);
    return found == out_.hooks.end() ? nullptr : &*found;
  }

  void complain(std::string_view key, std::string_view what, const std::vector<std::string_view>& others = {}) const {
    complain_(key, what, others);
  }

  const config& from_;
  const token_complaint& complain_;
  http::webhook_options out_;
};

}  // namespace

bool is_hook_name(std::string_view name) {
  constexpr std::size_t name_bytes_max = 64;
  return !name.empty() && name.size() <= name_bytes_max && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

http::webhook_options read_webhooks(const config& from, const token_complaint& complain) {
  return hook_reader(from, complain).read();
}

}  // namespace weir::cli
