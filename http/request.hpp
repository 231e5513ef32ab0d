// A request and its answer as resources see them: no sockets, no Beast. A handler may answer later and from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace weir::http {

struct request {
  std::string method;                 ///< as sent: `GET`, `POST`, ...
  std::vector<std::string> segments;  ///< the path between slashes, each percent-decoded: `/v1/groups/a%2Fb` has 3
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in order; a name may repeat
  std::string host;                   ///< Host header, may be empty
  std::string content_type;           ///< may be empty
  std::string if_none_match;          ///< as sent; may be empty
  std::optional<std::string> bearer;  ///< token of `Authorization: Bearer`
  std::optional<std::string> last_event_id;  ///< of a follower of events that comes back
  std::optional<std::string> if_match;  ///< as sent, with its quotes
  std::string body;

  /// First value of a query parameter; present but empty for `?verbose`.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> parameters(std::string_view name) const;
};

class postponed;
class stream_source;

struct response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<postponed> later = nullptr;       ///< if there is one, nothing of the above is an answer yet
  std::shared_ptr<stream_source> stream = nullptr;  ///< if there is one, the body goes on with what it has to say
  /// If there is some, nothing of the above is an answer yet: the server runs it on a thread that has time, and it
  /// answers there (at_leisure()).
  std::function<void()> work = nullptr;
  /// Of work: it may take many seconds, as a plan does. Such work waits for its like and not for large answers, and is
  /// not begun if its client has hung up by then.
  bool is_long = false;
};

/// Called exactly once, on any thread.
using respond = std::function<void(response)>;
using handler = std::function<void(request, respond)>;

/// Leaves it to the server to run `work`, which answers, where it keeps neither a group nor other requests waiting. May
/// be called instead of `answer`, on any thread. is_long: as of a response.
inline void at_leisure(const respond& answer, std::function<void()> work, bool is_long = false) {
  response to_be_made;
  to_be_made.work = std::move(work);
  to_be_made.is_long = is_long;
  answer(std::move(to_be_made));
}

/// A question that has no answer yet and is asked again: when it is woken, and when its time is up. Goes when nobody
/// waits for the answer any longer.
class postponed {
 public:
  postponed() = default;
  virtual ~postponed() = default;
  postponed(const postponed&) = delete;
  postponed& operator=(const postponed&) = delete;
  /// `wake` may be called on any thread and as often as there is news; it does not block.
  virtual void listen(std::function<void()> wake) = 0;
  /// How long it may take altogether.
  [[nodiscard]] virtual std::int64_t wait_ms() const = 0;
  /// Asks again. The answer may be postponed again, by itself, unless the time is up.
  virtual void ask(bool time_is_up, const respond& answer) = 0;
};

/// A body that goes on for as long as somebody reads it. Goes when nobody does any longer.
class stream_source {
 public:
  struct piece {
    std::string text;      ///< empty: nothing at the moment
    bool is_last = false;  ///< the connection is closed behind it
  };
  stream_source() = default;
  virtual ~stream_source() = default;
  stream_source(const stream_source&) = delete;
  stream_source& operator=(const stream_source&) = delete;
  /// As for postponed.
  virtual void listen(std::function<void()> wake) = 0;
  /// What comes next. Asked for when it was woken, as long as there is something, each time when what was taken before
  /// has been sent; and with `is_idle` when there was nothing to send for idle_ms(). One thread at a time.
  virtual piece next(bool is_idle) = 0;
  [[nodiscard]] virtual std::int64_t idle_ms() const = 0;
};

/// Splits and decodes a request target (`/v1/groups?state=Stable`) into segments and query. Error: not an absolute
/// path, a percent sign without two hexadecimal digits, or an empty name between slashes below /v1.
[[nodiscard]] result<void> parse_target(std::string_view target, request& into);
/// So that text may stand as one path segment or query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace weir::http
