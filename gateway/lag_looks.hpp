// lag_looks: how far groups have read, asked of the upstream for the admin API with the gateway's own identity. It has
// a connection of its own, so that a slow answer holds up nothing else, and one answer serves everybody who asks within
// a few seconds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "gateway/upstream.hpp"
#include "gateway/upstream_answer.hpp"
#include "group/offsets/input_lag.hpp"
#include "metadata/image.hpp"

namespace weir::gateway {

/// Lives on one io_context and is used from its thread alone.
class lag_looks {
 public:
  /// Called once unless close() comes first; never with null.
  using look = std::function<void(group::told_offsets_ptr)>;

  struct ports {
    boost::asio::io_context& context;
    std::function<std::shared_ptr<upstream>()> connect;  ///< null: the upstream is not usable now
    /// Highest version the upstream offers of an API; -1: none.
    std::function<std::int16_t(std::int16_t)> max_version;
    std::function<metadata::image_ptr()> image;  ///< the topics there are; not null
    clock& time;
  };
  struct limits {
    std::int64_t answer_ms = 5'000;   ///< for all that one question takes
    std::int64_t kept_ms = 3'000;     ///< an answer is told again so long
    std::size_t questions_max = 64;   ///< on their way or kept; a kept one makes room
    std::size_t waiting_max = 1'000;  ///< who waits for one question
  };

  lag_looks(ports with, limits most);
  ~lag_looks();

  /// Committed offsets first, then the ends of at most group::lag_partitions_max partitions: those of the topics named
  /// and those with a committed offset.
  void ask(group::offset_question asked, look done);
  /// What waits is dropped without a call.
  void close() noexcept;

 private:
  struct question;
  using question_ptr = std::shared_ptr<question>;

  void start(const question_ptr& one);
  void ask_ends(const question_ptr& one);
  void finish(const question_ptr& one, std::string problem);
  [[nodiscard]] bool has_room();
  [[nodiscard]] group::told_offsets_ptr nothing_told(std::string why) const;
  struct versions {
    std::int16_t oldest = 0;
    std::int16_t newest = 0;
  };
  /// `done` gets the answer; a question that fails is finished with the reason.
  template <class Response, class Request, class Done>
  void send(const question_ptr& one, const Request& message, versions wanted, Done done);

  ports with_;
  limits limits_;
  std::shared_ptr<upstream> connection_;
  std::int32_t correlation_id_ = 0;
  std::map<std::string, question_ptr> questions_;  // by group
};

}  // namespace weir::gateway
