// upstream_cluster: what the gateway knows of the cluster behind it, kept fresh on one connection of its own. It is the
// metadata source of gateway mode, and creates internal topics there.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "gateway/lag_looks.hpp"
#include "gateway/upstream.hpp"
#include "gateway/upstream_answer.hpp"
#include "group/rehearsal/rehearsal.hpp"
#include "metadata/source.hpp"
#include "protocol/api_versions.hpp"
#include "protocol/messages/create_topics_response.hpp"
#include "protocol/messages/metadata_response.hpp"
#include "server/error_cache.hpp"

namespace weir::gateway {

struct cluster_options {
  broker_address address;
  std::int64_t poll_interval_ms = 2'000;
  bool allow_streams_groups = false;  ///< the upstream may have a coordinator for streams groups of its own
  std::size_t frame_bytes_max = 100U * 1024 * 1024;
};

/// Any thread may ask; one thread of its own does the work.
class upstream_cluster final : public metadata::source, public actors::internal_topics {
 public:
  upstream_cluster(cluster_options options, clock& time);
  ~upstream_cluster() override;

  /// Starts polling; `changed` is called on this object's thread with each image that differs from the one before.
  void start(metadata::listener changed);
  void stop();

  [[nodiscard]] metadata::image_ptr current() const override;
  /// True once the first image is there and the upstream is one that may be served.
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  /// In words, for /readyz; nothing while the upstream answers.
  [[nodiscard]] std::optional<std::string> problem() const;
  /// Highest version the upstream offers for that API; -1 if none or not known yet.
  [[nodiscard]] std::int16_t max_version(std::int16_t key) const;
  [[nodiscard]] std::int32_t node_id() const noexcept { return node_id_; }

  /// The gateway's version in its questions to the upstream. It is like no other's, so a question of its own that comes
  /// back is known by it.
  [[nodiscard]] const std::string& software_version() const noexcept { return software_version_; }
  /// Such a question has come back: the upstream is the gateway itself.
  void meet_itself();

  /// Polls now, and often for the next seconds: something just changed there.
  void refresh();

  std::vector<std::pair<std::string, std::string>> ensure(
      std::string_view group_id, const std::map<std::string, group::internal_topic, std::less<>>& topics,
      std::int32_t heartbeat_interval_ms) override;

  /// What is under that id there, with its committed offsets. `done` is called on this object's thread, unless it is
  /// stopped first; at most 16 may wait.
  using group_look = std::function<void(group::former_group)>;
  void look_at_group(std::string group_id, group_look done);

  /// How far a group has read, as lag_looks. `done` is called on this object's thread, unless it is stopped first.
  void look_at_lag(group::offset_question asked, lag_looks::look done);

  /// What the ApiVersions answer says, and whether the gateway may serve that cluster. Error: why not.
  static result<void> check_versions(const protocol::api_versions_response& versions, bool allow_streams_groups);

 private:
  void poll();
  void watch();
  void ask_versions();
  void ask_metadata();
  /// Sends on connection_, which must be there; `done` gets the answer or why there is none.
  template <class Response, class Request>
  void ask(const Request& question, std::int16_t version, std::function<void(result<upstream_answer<Response>>)> done);
  void take_versions(const result<upstream_answer<protocol::api_versions_response>>& answer);
  void take_metadata(const result<upstream_answer<protocol::metadata_response>>& told);
  void take_created(const std::vector<std::string>& names, std::int64_t errors_live_ms,
                    const result<upstream_answer<protocol::create_topics_response>>& answer);
  void create(std::vector<std::pair<std::string, group::internal_topic>> topics, std::int64_t errors_live_ms);
  void look_at_offsets(std::uint64_t number, const std::string& group_id, group::former_group known);
  void end_look(std::uint64_t number, group::former_group what);
  void give_up_looks(const std::string& why);
  /// Null while the upstream is not usable.
  [[nodiscard]] std::shared_ptr<upstream> connect_for_lag();
  [[nodiscard]] metadata::image_ptr image_of(const protocol::metadata_response& answer);
  [[nodiscard]] metadata::topic topic_of(
      const protocol::metadata_response::metadata_response_topic_data& described) const;
  void trouble(const std::string& what);
  void poll_after(std::int64_t ms);
  [[nodiscard]] std::int64_t next_poll_ms() const;

  cluster_options options_;
  clock& clock_;
  const std::string software_version_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  boost::asio::steady_timer timer_{context_};
  std::thread thread_;
  metadata::listener changed_;

  // This object's thread only.
  std::shared_ptr<upstream> connection_;
  bool versions_known_ = false;
  bool polling_ = false;
  std::int32_t failures_ = 0;
  bool told_itself_ = false;  // the log line that it is its own upstream
  std::int32_t correlation_id_ = 0;
  std::map<std::uint64_t, group_look> looks_;  // that wait for an answer
  std::uint64_t last_look_ = 0;
  lag_looks lag_looks_;
  std::map<std::int32_t, std::string> racks_;  // last known rack of every broker ever seen (spec 02, 3)

  std::atomic<bool> ready_{false};
  std::atomic<bool> met_itself_{false};
  std::atomic<std::int32_t> node_id_{-1};
  std::atomic<std::int64_t> eager_until_ms_{0};
  mutable std::mutex mutex_;  // guards what follows
  metadata::image_ptr image_ = std::make_shared<const metadata::image>();
  std::optional<std::string> problem_;
  std::map<std::int16_t, std::int16_t> max_versions_;
  std::map<std::string, std::int64_t> creating_;  // topic -> when to forget that it is being created
  server::error_cache failed_;
};

template <class Response, class Request>
void upstream_cluster::ask(const Request& question, std::int16_t version,
                           std::function<void(result<upstream_answer<Response>>)> done) {
  if (version < Request::min_version) return done(fail("it does not offer " + std::string(Request::name)));
  correlation_id_ = (correlation_id_ + 1) & std::numeric_limits<std::int32_t>::max();
  connection_->send(protocol::encode_request_frame(correlation_id_, text("weir-gateway"), question, version),
                    upstream::patience::bounded, [this, version, done = std::move(done)](result<bytes> frame) {
                      guarded([&] { done(read_answer<Response>(std::move(frame), version)); },
                              [this](const char* what) { trouble(std::string("a fault with its answer: ") + what); });
                    });
}

}  // namespace weir::gateway
