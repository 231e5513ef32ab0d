#include "http/resources/webhooks.hpp"

#include <boost/json/array.hpp>
#include <utility>

#include "http/json_writer.hpp"

namespace weir::http {
namespace {

boost::json::value time_or_null(const std::optional<std::int64_t>& time_ms) {
  return time_ms ? boost::json::value(utc_time(*time_ms)) : nullptr;
}

boost::json::value failure_document(const webhook_state& of) {
  if (!of.failed_ms) return nullptr;
  return boost::json::object{{"time", utc_time(*of.failed_ms)}, {"text", of.failure}};
}

boost::json::object webhook_document(const webhook_state& of) {
  const auto count = [&of](webhook_outcome outcome) { return of.events[static_cast<std::size_t>(outcome)]; };
  return {{"name", of.about.name},
          {"server", of.about.origin},
          {"causes", boost::json::array(of.about.causes.begin(), of.about.causes.end())},
          {"has_token", of.about.has_token},
          {"queued", of.queued},
          {"queue_max", of.about.queue_max},
          {"delivered", count(webhook_outcome::delivered)},
          {"refused", count(webhook_outcome::refused)},
          {"given_up", count(webhook_outcome::given_up)},
          {"dropped", count(webhook_outcome::dropped)},
          {"attempts_failed", of.attempts_failed},
          {"last_delivery", time_or_null(of.delivered_ms)},
          {"last_failure", failure_document(of)}};
}

}  // namespace

void add_webhooks(router& to, webhook_watch watch) {
  to.add("GET", "/v1/webhooks", [watch = std::move(watch)](const call& /*at*/, const respond& answer) {
    boost::json::array items;
    if (watch) {
      for (const auto& hook : watch()) items.push_back(webhook_document(hook));
    }
    answer(json_response(boost::json::object{{"items", std::move(items)}, {"next", nullptr}}));
  });
}

}  // namespace weir::http
