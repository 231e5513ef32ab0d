#include "http/webhooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "http/client.hpp"
#include "http/resources/event_json.hpp"

namespace weir::http {
namespace {

/// Taken from the feed at one time.
constexpr std::size_t hook_entries_a_piece = 64;
constexpr std::uint64_t hook_answer_bytes_max = 65'536;
constexpr std::uint32_t hook_lines = 5;
constexpr std::int64_t hook_lines_period_ms = 60'000;

/// How one attempt ended.
enum class attempt : std::uint8_t { taken, refused, failed };

/// Of an HTTP status: 408, 429 and 5xx may be better later; redirects are not followed.
attempt judge(int status) {
  constexpr int request_timeout = 408;
  constexpr int too_many_requests = 429;
  if (status >= 200 && status < 300) return attempt::taken;
  return status >= 500 || status == request_timeout || status == too_many_requests ? attempt::failed
                                                                                   : attempt::refused;
}

/// One hook: a queue, and a thread that empties it.
class hook_sender {
 public:
  hook_sender(webhook hook, const webhook_options& options, std::shared_ptr<boost::asio::ssl::context> tls)
      : hook_(std::move(hook)),
        limits_(options.limits),
        user_agent_(options.user_agent),
        tls_(std::move(tls)),
        status_(std::make_shared<webhook_status>(about())),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void take(const actors::feed_entry& entry) {
    if (!hook_.causes.empty() && !hook_.causes.contains(entry.what->why)) return;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(entry);
      if (queue_.size() > limits_.queue_events_max) {
        queue_.pop_front();
        status_->note(webhook_outcome::dropped);
      }
      status_->note_queue(queue_.size());
    }
    changed_.notify_one();
  }
  /// Events that nobody knows the number of have been lost.
  void note_loss() { status_->note(webhook_outcome::dropped); }
  [[nodiscard]] std::shared_ptr<const webhook_status> status() const { return status_; }

 private:
  [[nodiscard]] webhook_about about() const {
    webhook_about out{.name = hook_.name,
                      .origin = hook_.url.origin(),
                      .causes = {},
                      .has_token = !hook_.token.empty(),
                      .queue_max = limits_.queue_events_max};
    for (const auto why : hook_.causes) out.causes.emplace_back(group::name(why));
    return out;
  }

  void run(const std::stop_token& stop) {
    while (auto next = wait_for_one(stop)) {
      guarded([&] { deliver(*next, stop); },
              [this](const char* what) {
                log::error("a fault in a web hook", {{"hook", hook_.name}, {"reason", what}});
              });
    }
  }

  std::optional<actors::feed_entry> wait_for_one(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !queue_.empty(); })) return std::nullopt;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    status_->note_queue(queue_.size());
    return next;
  }

  void deliver(const actors::feed_entry& entry, const std::stop_token& stop) {
    const auto asked = request_for(entry);
    auto pause_ms = limits_.backoff_ms;
    for (std::int32_t made = 1; !stop.stop_requested(); ++made) {
      std::string why;
      const auto ended = try_once(asked, stop, why);
      if (ended == attempt::taken) return status_->note(webhook_outcome::delivered);
      if (stop.stop_requested()) return;
      const bool is_last = ended == attempt::refused || made >= limits_.attempts_max;
      lines_.write(log::level::warn, is_last ? "a web hook has not taken an event" : "a web hook fails, trying again",
                   {{"hook", hook_.name}, {"event", entry.number}, {"attempt", made}, {"reason", why}});
      if (is_last) {
        return status_->note(ended == attempt::refused ? webhook_outcome::refused : webhook_outcome::given_up);
      }
      rest(pause_ms, stop);
      pause_ms = std::min(pause_ms * 2, limits_.backoff_max_ms);
    }
  }

  attempt try_once(const client_request& asked, const std::stop_token& stop, std::string& why) {
    const auto answer = send(hook_.url.origin(), asked,
                             {.timeout_ms = limits_.timeout_ms,
                              .answer_bytes_max = hook_answer_bytes_max,
                              .tls = tls_,
                              .stop = stop});
    const auto ended = answer ? judge(answer->status) : attempt::failed;
    if (ended != attempt::taken) {
      why = answer ? fmt::format("answered {}{}", answer->status,
                                 answer->status / 100 == 3 ? ", and redirects are not followed" : "")
                   : answer.error().message;
      status_->note_failure(why);
    }
    return ended;
  }

  [[nodiscard]] client_request request_for(const actors::feed_entry& entry) const {
    const auto delivery = fmt::format("{}-{}", hook_.name, entry.number);
    auto body = event_item(*entry.what);
    body["group_id"] = entry.group_id;
    body["delivery_id"] = delivery;
    client_request out;
    out.method = "POST";
    out.target = hook_.url.target;
    out.body = valid_utf8(boost::json::serialize(body));
    if (!hook_.token.empty()) out.token = hook_.token;
    out.headers = {{"User-Agent", user_agent_}, {"X-Weir-Delivery", delivery}};
    return out;
  }

  void rest(std::int64_t pause_ms, const std::stop_token& stop) {
    std::unique_lock lock(rest_mutex_);
    rest_over_.wait_for(lock, stop, std::chrono::milliseconds(pause_ms), [] { return false; });
  }

  const webhook hook_;
  const webhook_limits limits_;
  const std::string user_agent_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  const std::shared_ptr<webhook_status> status_;
  log::flood_guard lines_{hook_lines, hook_lines_period_ms};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<actors::feed_entry> queue_;
  std::mutex rest_mutex_;
  std::condition_variable_any rest_over_;
  std::jthread thread_;  // last: uses what is above
};

class all_hooks final : public webhooks {
 public:
  all_hooks(webhook_options options, actors::event_feed& feed, const std::shared_ptr<boost::asio::ssl::context>& tls)
      : feed_(feed), position_(feed.newest()) {
    for (auto& hook : options.hooks) senders_.push_back(std::make_unique<hook_sender>(std::move(hook), options, tls));
    listener_ = feed.listen([this](std::string_view /*group_id*/) { ring(); });
    thread_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }

  /// Nobody rings any more before the threads end.
  ~all_hooks() override { listener_.reset(); }
  all_hooks(const all_hooks&) = delete;
  all_hooks& operator=(const all_hooks&) = delete;

  [[nodiscard]] webhook_watch watch() const override {
    std::vector<std::shared_ptr<const webhook_status>> all;
    for (const auto& sender : senders_) all.push_back(sender->status());
    return [all = std::move(all)] {
      std::vector<webhook_state> out;
      for (const auto& one : all) out.push_back(one->now());
      return out;
    };
  }

 private:
  /// On a group's thread.
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    bell_.notify_one();
  }

  void follow(const std::stop_token& stop) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (!bell_.wait(lock, stop, [this] { return rung_; })) return;
        rung_ = false;
      }
      guarded([this] { while (hand_out()) continue; },
              [](const char* what) { log::error("a fault in the web hooks", {{"reason", what}}); });
    }
  }

  /// False: there was nothing.
  bool hand_out() {
    const auto part = feed_.read(position_, hook_entries_a_piece);
    for (const auto& sender : senders_) {
      if (part.lost) sender->note_loss();
      for (const auto& entry : part.entries) sender->take(entry);
    }
    if (part.entries.empty()) return false;
    position_ = part.entries.back().number;
    return true;
  }

  actors::event_feed& feed_;
  std::uint64_t position_;
  std::vector<std::unique_ptr<hook_sender>> senders_;
  std::mutex mutex_;
  std::condition_variable_any bell_;
  bool rung_ = false;
  std::unique_ptr<actors::event_feed::listener> listener_;
  std::jthread thread_;  // last: uses what is above
};

}  // namespace

result<std::unique_ptr<webhooks>> webhooks::start(webhook_options options, actors::event_feed& feed) {
  std::shared_ptr<boost::asio::ssl::context> tls;
  if (std::ranges::any_of(options.hooks, [](const webhook& hook) { return hook.url.tls; })) {
    auto made = make_client_tls(options.ca_file);
    if (!made) return tl::unexpected(made.error());
    tls = *std::move(made);
  }
  return std::make_unique<all_hooks>(std::move(options), feed, tls);
}

}  // namespace weir::http
