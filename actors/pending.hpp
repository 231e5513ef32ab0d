// A request on its way, until it is answered. Whatever happens to it (its actor ends, its message is dropped, a write
// fails) the asker gets exactly one answer: one that is destroyed unanswered says NOT_COORDINATOR, which clients
// retry.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/coordinator.hpp"
#include "protocol/error_codes.hpp"

namespace weir::actors {

class pending_answer {
 public:
  pending_answer() = default;
  virtual ~pending_answer() = default;
  pending_answer(const pending_answer&) = delete;
  pending_answer& operator=(const pending_answer&) = delete;
  /// Answers with an error; no effect if there has been an answer.
  virtual void reject(protocol::error_code code) noexcept = 0;
};

/// One heartbeat.
class pending_heartbeat final : public pending_answer {
 public:
  explicit pending_heartbeat(heartbeat_call call) : call_(std::move(call)) {}
  ~pending_heartbeat() override { reject(protocol::error_code::not_coordinator); }

  [[nodiscard]] const heartbeat_call& call() const noexcept { return call_; }
  /// Its group begins with it now.
  void begun() const noexcept;
  void answer(const protocol::streams_group_heartbeat_response& response) noexcept;
  void reject(protocol::error_code code) noexcept override;

 private:
  heartbeat_call call_;
  std::chrono::steady_clock::time_point arrived_ = std::chrono::steady_clock::now();
  bool answered_ = false;
};

/// How an Answer says that the request failed.
template <class Answer>
using refusal_maker = std::function<Answer(protocol::error_code)>;

/// Anything that is answered by a function.
template <class Answer>
class pending_reply final : public pending_answer {
 public:
  pending_reply(reply<Answer> done, refusal_maker<Answer> refused)
      : done_(std::move(done)), refused_(std::move(refused)) {}
  ~pending_reply() override { reject(protocol::error_code::not_coordinator); }

  void answer(Answer with) {
    if (auto done = std::exchange(done_, nullptr)) done(std::move(with));
  }
  void reject(protocol::error_code code) noexcept override { answer(refused_(code)); }

 private:
  reply<Answer> done_;
  refusal_maker<Answer> refused_;
};

template <class Answer>
using shared_reply = std::shared_ptr<pending_reply<Answer>>;

}  // namespace weir::actors
