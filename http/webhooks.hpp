// Web hooks: events of all groups, posted to the servers that want them. One follower of the event feed; each hook has
// a thread and a bounded queue of its own, so a slow receiver delays neither groups nor other hooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/event_feed.hpp"
#include "base/result.hpp"
#include "group/event.hpp"
#include "http/url.hpp"
#include "http/webhook_status.hpp"

namespace weir::http {

struct webhook {
  std::string name;  ///< in metrics and log lines
  server_url url;
  std::set<group::cause> causes;  ///< empty: all
  std::string token;              ///< for `Authorization: Bearer`; empty: none
};

/// The same for all hooks. Times in milliseconds.
struct webhook_limits {
  std::int64_t timeout_ms = 5'000;       ///< for one attempt
  std::size_t queue_events_max = 1'000;  ///< that wait for one hook; then the oldest goes
  std::int32_t attempts_max = 8;         ///< for one event, at least 1
  std::int64_t backoff_ms = 500;         ///< before the second attempt; doubled each time
  std::int64_t backoff_max_ms = 60'000;
};

struct webhook_options {
  std::vector<webhook> hooks;
  webhook_limits limits;
  std::string ca_file;     ///< PEM file of whom to trust; empty: whom the system trusts
  std::string user_agent;  ///< `weir/0.1.0`
};

inline constexpr std::size_t webhooks_max = 16;

/// How each hook does, in the order of the options. Any thread, also after the hooks have ended.
using webhook_watch = std::function<std::vector<webhook_state>()>;

/// Delivers from its start on until it is destroyed, which takes no longer than resolving a name.
class webhooks {
 public:
  virtual ~webhooks() = default;
  [[nodiscard]] virtual webhook_watch watch() const = 0;
  /// `feed` must outlive it. Error: the file of certificates cannot be used.
  static result<std::unique_ptr<webhooks>> start(webhook_options options, actors::event_feed& feed);
};

}  // namespace weir::http
