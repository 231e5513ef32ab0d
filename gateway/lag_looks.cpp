#include "gateway/lag_looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "gateway/committed_offsets.hpp"
#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/list_offsets_request.hpp"
#include "protocol/messages/list_offsets_response.hpp"

namespace weir::gateway {

struct lag_looks::question {
  question(boost::asio::io_context& context, group::offset_question what)
      : asked(std::move(what)), told(std::make_shared<group::told_offsets>()), timer(context) {}

  group::offset_question asked;
  std::shared_ptr<group::told_offsets> told;
  std::vector<look> waiting;
  boost::asio::steady_timer timer;  // of the answer, then of keeping it
  bool is_over = false;
};

namespace {

using protocol::error_code;

constexpr std::int16_t ends_version = 7;       // later ones have other positions, which are not asked for
constexpr std::int64_t latest = -1;            // as a timestamp: where the next record goes

std::string refused_with(error_code code) { return fmt::format("the upstream says {}", protocol::name(code)); }

void note_ends(const protocol::list_offsets_response& answer, group::told_offsets& told) {
  for (const auto& topic : answer.topics) {
    auto& ends = told.ends[topic.name.str()];
    for (const auto& partition : topic.partitions) {
      auto& end = ends[partition.partition_index];
      const auto code = static_cast<error_code>(partition.error_code);
      if (code == error_code::none && partition.offset >= 0) {
        end.offset = partition.offset;
      } else {
        end.reason = code == error_code::none ? "the upstream knows no end of it" : refused_with(code);
      }
    }
  }
}

/// Partitions of the topics named, and those with a committed offset.
std::map<std::string, std::set<std::int32_t>> partitions_to_ask(const group::offset_question& asked,
                                                                const group::told_offsets& told,
                                                                const metadata::image& image) {
  std::map<std::string, std::set<std::int32_t>> out;
  for (const auto& name : asked.topics) {
    const auto* const topic = image.find(name);
    if (topic == nullptr) continue;
    auto& partitions = out[name];
    for (std::int32_t p = 0; p < topic->partition_count(); ++p) partitions.insert(partitions.end(), p);
  }
  for (const auto& [name, committed] : told.committed) {
    for (const auto& [partition, offset] : committed) out[name].insert(partition);
  }
  return out;
}

/// At most lag_partitions_max of them, dealt out over the topics, so that a large one leaves room for the others. The
/// names are views.
protocol::list_offsets_request end_question(const std::map<std::string, std::set<std::int32_t>>& of) {
  protocol::list_offsets_request message;
  message.replica_id = -1;
  std::vector<std::pair<const std::set<std::int32_t>*, std::size_t>> topics;  // partitions, and how many of them
  for (const auto& [name, partitions] : of) {
    if (!partitions.empty()) topics.emplace_back(&partitions, 0);
  }
  std::ranges::sort(topics, {}, [](const auto& one) { return one.first->size(); });
  std::size_t left = group::lag_partitions_max;
  for (std::size_t i = 0; i < topics.size(); ++i) {  // the smallest first: what it does not need is for the others
    auto& [partitions, share] = topics[i];
    share = std::min(partitions->size(), left / (topics.size() - i));
    left -= share;
  }
  for (const auto& [name, partitions] : of) {
    const auto found = std::ranges::find(topics, &partitions, [](const auto& one) { return one.first; });
    if (found == topics.end() || found->second == 0) continue;
    auto& topic = message.topics.emplace_back();
    topic.name = text::view(name);
    for (auto at = partitions.begin(); topic.partitions.size() < found->second; ++at) {
      auto& wanted = topic.partitions.emplace_back();
      wanted.partition_index = *at;
      wanted.timestamp = latest;
    }
  }
  return message;
}

}  // namespace

lag_looks::lag_looks(ports with, limits most) : with_(std::move(with)), limits_(most) {}

lag_looks::~lag_looks() = default;

void lag_looks::ask(group::offset_question asked, look done) {
  if (const auto known = questions_.find(asked.group_id); known != questions_.end()) {
    auto& one = *known->second;
    if (one.is_over) return done(one.told);
    if (one.waiting.size() >= limits_.waiting_max) return done(nothing_told("too many are asking"));
    one.waiting.push_back(std::move(done));
    return;
  }
  if (!has_room()) return done(nothing_told("too many groups are asked about"));
  const auto one = std::make_shared<question>(with_.context, std::move(asked));
  one->waiting.push_back(std::move(done));
  questions_.emplace(one->asked.group_id, one);
  guarded([&] { start(one); }, [&](const char* what) { finish(one, std::string("a fault: ") + what); });
}

void lag_looks::close() noexcept {
  for (auto& [key, one] : questions_) one->timer.cancel();
  questions_.clear();
  if (connection_) connection_->close();
  connection_.reset();
}

/// Kept answers go before somebody is turned away.
bool lag_looks::has_room() {
  if (questions_.size() < limits_.questions_max) return true;
  const auto kept = std::ranges::find_if(questions_, [](const auto& entry) { return entry.second->is_over; });
  if (kept == questions_.end()) return false;
  kept->second->timer.cancel();
  questions_.erase(kept);
  return true;
}

group::told_offsets_ptr lag_looks::nothing_told(std::string why) const {
  auto told = std::make_shared<group::told_offsets>();
  told->at_ms = with_.time.now_ms();
  told->problem = std::move(why);
  return told;
}

void lag_looks::start(const question_ptr& one) {
  one->timer.expires_after(std::chrono::milliseconds(limits_.answer_ms));
  one->timer.async_wait([this, weak = std::weak_ptr(one)](boost::system::error_code cancelled) {
    const auto late = weak.lock();
    if (cancelled || !late) return;
    guarded([&] { finish(late, fmt::format("the upstream does not answer within {} ms", limits_.answer_ms)); },
            [&](const char*) { late->is_over = true; });
  });
  if (!connection_ || !connection_->usable()) connection_ = with_.connect();
  if (!connection_) return finish(one, "the upstream is not reachable");
  const auto message = all_offsets_of(one->asked.group_id);
  const versions wanted{all_offsets_from, all_offsets_version};
  send<protocol::offset_fetch_response>(one, message, wanted, [this, one](const auto& answer) {
    auto committed = committed_in(answer);
    if (!committed) return finish(one, std::move(committed.error().message));
    one->told->has_committed = true;
    one->told->committed = *std::move(committed);
    ask_ends(one);
  });
}

void lag_looks::ask_ends(const question_ptr& one) {
  const auto image = with_.image();
  const auto wanted = partitions_to_ask(one->asked, *one->told, *image);
  const auto message = end_question(wanted);
  if (message.topics.empty()) return finish(one, {});
  send<protocol::list_offsets_response>(one, message, {0, ends_version}, [this, one](const auto& answer) {
    note_ends(answer, *one->told);
    finish(one, {});
  });
}

void lag_looks::finish(const question_ptr& one, std::string problem) {
  if (std::exchange(one->is_over, true)) return;
  one->told->at_ms = with_.time.now_ms();
  one->told->problem = std::move(problem);
  one->timer.expires_after(std::chrono::milliseconds(limits_.kept_ms));
  one->timer.async_wait([this, weak = std::weak_ptr(one)](boost::system::error_code cancelled) {
    const auto old = weak.lock();
    if (!cancelled && old) questions_.erase(old->asked.group_id);
  });
  for (const auto& done : std::exchange(one->waiting, {})) {
    guarded([&] { done(one->told); }, [](const char* what) {
      log::error("a fault while an answer about offsets was made", {{"reason", what}});
    });
  }
}

template <class Response, class Request, class Done>
void lag_looks::send(const question_ptr& one, const Request& message, versions wanted, Done done) {
  const auto version = std::min(wanted.newest, with_.max_version(Request::api_key));
  if (version < std::max(wanted.oldest, Request::min_version)) {
    return finish(one, "it does not offer " + std::string(Request::name));
  }
  correlation_id_ = (correlation_id_ + 1) & std::numeric_limits<std::int32_t>::max();
  connection_->send(
      protocol::encode_request_frame(correlation_id_, text("weir-gateway"), message, version),
      upstream::patience::bounded, [this, one, version, done = std::move(done)](result<bytes> frame) {
        if (one->is_over) return;
        const auto taken = [&] {
          const auto answer = read_answer<Response>(std::move(frame), version);
          answer ? done(answer->message) : finish(one, answer.error().message);
        };
        guarded(taken, [&](const char* what) { finish(one, std::string("a fault with its answer: ") + what); });
      });
}

}  // namespace weir::gateway
