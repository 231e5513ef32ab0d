// Sessions for tests: keep what they are asked until the test answers, or answer at once.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "client.hpp"
#include "server/session.hpp"

namespace weir::server::testing {

class recorded_sessions final : public session_factory {
 public:
  /// Runs in place of keeping the request, if set. Set before the server starts.
  std::function<result<void>(request_in)> instead;

  std::unique_ptr<connection_session> open(const std::shared_ptr<client_connection>& connection) override {
    const std::lock_guard lock(mutex_);
    connections_.push_back(connection);
    changed_.notify_all();
    return std::make_unique<session>(*this);
  }

  /// Waits until that many requests have come and are kept.
  bool wait_for(std::size_t count) {
    return wait([&] { return requests_.size() >= count; });
  }
  bool wait_closed(std::size_t count) {
    return wait([&] { return closed_ >= count; });
  }
  [[nodiscard]] std::size_t kept() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }
  [[nodiscard]] request_in request(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return requests_.at(index);
  }
  void answer(std::size_t index, std::string_view payload = {}) { answer(request(index), payload); }
  static void answer(const request_in& request, std::string_view payload = {}) {
    request.connection->answer(request.slot, plain_answer(request.header.correlation_id, payload));
  }
  [[nodiscard]] std::shared_ptr<client_connection> connection(std::size_t index) {
    wait([&] { return connections_.size() > index; });
    const std::lock_guard lock(mutex_);
    return connections_.at(index).lock();
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    requests_.clear();
  }

 private:
  class session final : public connection_session {
   public:
    explicit session(recorded_sessions& all) : all_(all) {}
    result<void> on_request(request_in request) override {
      if (all_.instead) return all_.instead(std::move(request));
      const std::lock_guard lock(all_.mutex_);
      all_.requests_.push_back(std::move(request));
      all_.changed_.notify_all();
      return {};
    }
    void on_close() noexcept override {
      const std::lock_guard lock(all_.mutex_);
      ++all_.closed_;
      all_.changed_.notify_all();
    }

   private:
    recorded_sessions& all_;
  };

  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<request_in> requests_;
  std::vector<std::weak_ptr<client_connection>> connections_;
  std::size_t closed_ = 0;
};

}  // namespace weir::server::testing
