#include "gateway/gateway.hpp"

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gateway/client_session.hpp"

namespace weir::gateway {

constexpr std::int64_t housekeeping_ms = 1'000;

/// What the listener holds: closing it ends the client's session, whoever else still works on an answer.
class session_handle final : public server::connection_session {
 public:
  explicit session_handle(std::shared_ptr<client_session> session) : session_(std::move(session)) {}
  result<void> on_request(server::request_in request) override { return session_->on_request(std::move(request)); }
  void on_close() noexcept override { session_->on_close(); }

 private:
  std::shared_ptr<client_session> session_;
};

class gateway_sessions final : public server::session_factory {
 public:
  explicit gateway_sessions(gateway_state& state) : state_(state) {}
  std::unique_ptr<server::connection_session> open(
      const std::shared_ptr<server::client_connection>& connection) override {
    return std::make_unique<session_handle>(std::make_shared<client_session>(state_, connection));
  }

 private:
  gateway_state& state_;
};

class gateway::parts {
 public:
  parts(options with, actors::coordinator& coordinator, upstream_cluster& cluster, clock& time)
      : state_{coordinator, cluster, time, with.cluster.address, with.advertised, with.cluster.frame_bytes_max,
               {},          false},
        sessions_(state_) {}

  void start() {
    state_.cluster.start([this](metadata::image_ptr image) {
      state_.coordinator.publish_image(std::move(image), [this] {
        const std::lock_guard guard(mutex_);
        state_.published = true;
        changed_.notify_all();
      });
    });
    housekeeper_ = std::thread([this] { keep_house(); });
  }

  void wait(std::int64_t limit_ms) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(limit_ms), [this] { return state_.published.load(); });
  }

  void stop() {
    state_.cluster.stop();
    {
      const std::lock_guard guard(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    if (housekeeper_.joinable()) housekeeper_.join();
  }

  gateway_state& state() noexcept { return state_; }
  server::session_factory& sessions() noexcept { return sessions_; }

 private:
  void keep_house() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(housekeeping_ms), [this] { return stopping_; })) {
      lock.unlock();
      state_.order.expire(state_.time.now_ms());
      lock.lock();
    }
  }

  gateway_state state_;
  gateway_sessions sessions_;
  std::thread housekeeper_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
};

gateway::gateway(options with, actors::coordinator& coordinator, upstream_cluster& cluster, clock& time)
    : parts_(std::make_unique<parts>(std::move(with), coordinator, cluster, time)) {}

gateway::~gateway() { stop(); }

void gateway::start() { parts_->start(); }

void gateway::wait(std::int64_t limit_ms) { parts_->wait(limit_ms); }

void gateway::stop() { parts_->stop(); }

server::session_factory& gateway::sessions() noexcept { return parts_->sessions(); }

std::optional<std::string> gateway::problem() const {
  auto trouble = parts_->state().cluster.problem();
  if (!trouble && !parts_->state().published) trouble = "the groups have not been told of the upstream's topics yet";
  return trouble;
}

result<broker_address> parse_bootstrap(const std::string& servers) {
  const auto refuse = [&](const std::string& why) {
    return fail("must have the form host:port, not '" + servers + "': " + why);
  };
  if (servers.find(',') != std::string::npos) return refuse("more than one address, and the gateway serves one broker");
  const auto colon = servers.rfind(':');
  if (colon == std::string::npos || colon == 0) return refuse("no port");
  broker_address address{servers.substr(0, colon), 0};
  if (address.host.front() == '[' && address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  const char* const end = servers.data() + servers.size();
  const auto [stop, failure] = std::from_chars(servers.data() + colon + 1, end, address.port);
  if (failure != std::errc() || stop != end || address.port == 0)
    return refuse("the port is no number from 1 to 65535");
  return address;
}

}  // namespace weir::gateway
