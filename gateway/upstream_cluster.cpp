#include "gateway/upstream_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "base/random.hpp"
#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/headers.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/metadata_request.hpp"

namespace weir::gateway {
namespace {

using protocol::api;

constexpr std::int16_t versions_version = 3;
constexpr std::int16_t metadata_min_version = 10;  // topic ids
constexpr std::int16_t metadata_max_version = 12;
constexpr std::int64_t eager_poll_ms = 150;
constexpr std::int64_t eager_for_ms = 5'000;
constexpr std::int64_t back_off_max_ms = 5'000;
constexpr std::int64_t back_off_first_ms = 100;
constexpr std::int64_t answer_limit_ms = 15'000;

constexpr std::string_view itself_words =
    "it is this gateway itself; set upstream.bootstrap.servers to a broker of the cluster behind it";

/// Equal topics are the same objects in both images; the image of before the first answer is like no other.
bool same_content(const metadata::image& before, const metadata::image& next) {
  return before.version() >= 0 && next.cluster_id() == before.cluster_id() &&
         std::ranges::equal(next.topics(), before.topics());
}

}  // namespace

upstream_cluster::upstream_cluster(cluster_options options, clock& time)
    : options_(std::move(options)),
      clock_(time),
      software_version_(fmt::format("1-{:016x}", system_random().next())),
      lag_looks_({.context = context_,
                  .connect = [this] { return connect_for_lag(); },
                  .max_version = [this](std::int16_t key) { return max_version(key); },
                  .image = [this] { return current(); },
                  .time = clock_},
                 {}),
      problem_(options_.address.named("no answer yet")) {}

upstream_cluster::~upstream_cluster() { stop(); }

void upstream_cluster::start(metadata::listener changed) {
  changed_ = std::move(changed);
  boost::asio::post(context_, [this] { poll(); });
  thread_ = std::thread([this] { indispensable_thread("upstream thread", [this] { context_.run(); }); });
}

void upstream_cluster::stop() {
  if (!thread_.joinable()) return;
  boost::asio::post(context_, [this] {
    if (connection_) connection_->close();
    lag_looks_.close();
    timer_.cancel();
    context_.stop();
  });
  thread_.join();
}

void upstream_cluster::poll() {
  if (polling_) return;
  polling_ = true;
  if (!connection_ || !connection_->usable()) {
    connection_ = std::make_shared<upstream>(context_, options_.address, upstream::limits{options_.frame_bytes_max});
    versions_known_ = false;
    met_itself_ = false;
  }
  watch();
  versions_known_ ? ask_metadata() : ask_versions();
}

/// An upstream that takes the connection and says nothing must not hold us for ever.
void upstream_cluster::watch() {
  timer_.expires_after(std::chrono::milliseconds(answer_limit_ms));
  timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled && polling_) trouble("no answer within " + std::to_string(answer_limit_ms) + " ms");
  });
}

void upstream_cluster::ask_versions() {
  protocol::api_versions_request request;
  request.client_software_name = "weir";
  request.client_software_version = text::view(software_version_);
  ask<protocol::api_versions_response>(request, versions_version,
                                       [this](const auto& answer) { take_versions(answer); });
}

void upstream_cluster::take_versions(const result<upstream_answer<protocol::api_versions_response>>& answer) {
  if (!answer) return trouble(answer.error().message);
  if (const auto fit = check_versions(answer->message, options_.allow_streams_groups); !fit)
    return trouble(fit.error().message);
  told_itself_ = false;
  {
    const std::lock_guard guard(mutex_);
    max_versions_.clear();
    for (const auto& range : answer->message.api_keys) max_versions_[range.api_key] = range.max_version;
  }
  versions_known_ = true;
  ask_metadata();
}

result<void> upstream_cluster::check_versions(const protocol::api_versions_response& versions,
                                              bool allow_streams_groups) {
  const auto max_of = [&](api key) -> std::int16_t {
    for (const auto& range : versions.api_keys) {
      if (range.api_key == protocol::key_of(key)) return range.max_version;
    }
    return -1;
  };
  if (versions.error_code != 0) {
    return fail("it refuses ApiVersions: " + std::string(name(static_cast<protocol::error_code>(versions.error_code))));
  }
  if (max_of(api::metadata) < metadata_min_version) {
    return fail("it is too old: topic ids (Metadata version 10, Kafka 2.8) are needed");
  }
  if (max_of(api::streams_group_heartbeat) >= 0 && !allow_streams_groups) {
    return fail(
        "it has streams groups of its own, so two coordinators could serve one group; "
        "set upstream.allow.streams.groups=true if that is wanted");
  }
  return {};
}

void upstream_cluster::ask_metadata() {
  const std::int16_t version = std::min(metadata_max_version, max_version(protocol::key_of(api::metadata)));
  protocol::metadata_request request;
  request.topics = std::nullopt;
  request.allow_auto_topic_creation = false;
  ask<protocol::metadata_response>(request, version, [this](const auto& answer) { take_metadata(answer); });
}

void upstream_cluster::take_metadata(const result<upstream_answer<protocol::metadata_response>>& told) {
  if (!told) return trouble(told.error().message);
  const auto* const answer = &told->message;
  if (answer->brokers.empty()) return trouble("its Metadata answer names no broker");
  if (answer->brokers.size() > 1) {
    return trouble("it has " + std::to_string(answer->brokers.size()) + " brokers; the gateway has a listener for one");
  }
  node_id_ = answer->brokers.front().node_id;
  const auto next = image_of(*answer);
  const bool news = next != nullptr;
  {
    const std::lock_guard guard(mutex_);
    if (news) image_ = next;
  }
  if (failures_ > 0 || !ready_) log::info("upstream answers", {{"address", options_.address.to_string()}});
  failures_ = 0;
  ready_ = true;
  {
    const std::lock_guard guard(mutex_);
    problem_.reset();  // not before clients can be served
  }
  if (news) changed_(next);  // who waits for the first image can be served by then
  polling_ = false;
  poll_after(next_poll_ms());
}

/// Null if nothing differs from the present image. A topic that is named with an error and no partitions is one the
/// broker cannot tell about right now: it stays what it was.
metadata::image_ptr upstream_cluster::image_of(const protocol::metadata_response& answer) {
  for (const auto& broker : answer.brokers) {
    if (broker.rack) racks_[broker.node_id] = broker.rack->str();
  }
  const auto before = current();
  metadata::image_builder builder(before);
  builder.set_cluster_id(answer.cluster_id ? answer.cluster_id->str() : std::string());
  std::set<std::string_view> seen;
  for (const auto& topic : answer.topics) {
    if (!topic.name || (topic.partitions.empty() && topic.error_code == 0)) continue;
    seen.insert(topic.name->view());
    if (!topic.partitions.empty()) builder.put_topic(topic_of(topic));
  }
  for (const auto& topic : before->topics()) {
    if (!seen.contains(topic->name)) builder.remove_topic(topic->name);
  }
  const auto next = builder.build(before->version() + 1);
  return same_content(*before, *next) ? nullptr : next;
}

metadata::topic upstream_cluster::topic_of(
    const protocol::metadata_response::metadata_response_topic_data& described) const {
  metadata::topic topic{described.topic_id, described.name->str(), {}};
  topic.partition_racks.resize(described.partitions.size());
  for (const auto& partition : described.partitions) {
    const auto index = static_cast<std::size_t>(partition.partition_index);
    if (index >= topic.partition_racks.size()) continue;
    for (const auto node : partition.replica_nodes) {
      const auto rack = racks_.find(node);
      if (rack != racks_.end()) topic.partition_racks[index].push_back(rack->second);
    }
  }
  return topic;
}

/// What comes from the connection names the upstream already. Whatever ends an attempt that met the gateway itself,
/// that is the reason.
void upstream_cluster::trouble(const std::string& what) {
  const bool itself = met_itself_;
  const std::string_view why = itself ? itself_words : what;
  const std::string reason =
      why.starts_with(options_.address.named("")) ? std::string(why) : options_.address.named(std::string(why));
  const bool is_news = failures_ == 0 || (itself && !told_itself_);
  if (is_news) log::warn("upstream is not usable", {{"reason", reason}});
  if (itself) ready_ = false;
  told_itself_ = itself;
  ++failures_;
  if (connection_) connection_->close();
  connection_.reset();
  give_up_looks(reason);
  {
    const std::lock_guard guard(mutex_);
    problem_ = reason;
  }
  polling_ = false;
  const std::int64_t wait = back_off_first_ms << std::min(failures_, 10);
  poll_after(std::min(wait, back_off_max_ms));
}

std::int64_t upstream_cluster::next_poll_ms() const {
  return clock_.now_ms() < eager_until_ms_ ? eager_poll_ms : options_.poll_interval_ms;
}

void upstream_cluster::poll_after(std::int64_t ms) {
  timer_.expires_after(std::chrono::milliseconds(ms));
  timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) poll();
  });
}

void upstream_cluster::meet_itself() {
  met_itself_ = true;
  boost::asio::post(context_, [this] {
    if (met_itself_) trouble({});
  });
}

void upstream_cluster::refresh() {
  eager_until_ms_ = clock_.now_ms() + eager_for_ms;
  boost::asio::post(context_, [this] {
    if (failures_ == 0 && !polling_) poll_after(0);
  });
}

metadata::image_ptr upstream_cluster::current() const {
  const std::lock_guard guard(mutex_);
  return image_;
}

std::optional<std::string> upstream_cluster::problem() const {
  const std::lock_guard guard(mutex_);
  return problem_;
}

std::int16_t upstream_cluster::max_version(std::int16_t key) const {
  const std::lock_guard guard(mutex_);
  const auto found = max_versions_.find(key);
  return found == max_versions_.end() ? std::int16_t{-1} : found->second;
}

}  // namespace weir::gateway
