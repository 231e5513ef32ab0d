// handler: how an API is served. A handler names its request and its versions, and nothing else knows them: the table
// that requests are looked up in and the answer to ApiVersions are both made of the handlers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics.hpp"
#include "protocol/api_versions.hpp"
#include "protocol/codec.hpp"
#include "server/answer_code.hpp"
#include "server/answering.hpp"
#include "server/session.hpp"

namespace weir::server {

/// Inclusive.
struct versions {
  std::int16_t min;
  std::int16_t max;
};

/// One request on its way through a handler. Copies share the frame and the connection and keep both alive, so views
/// into the request live as long as any copy.
struct call {
  request_in in;

  [[nodiscard]] std::int16_t version() const noexcept { return in.header.request_api_version; }
  /// Once for each call; any thread. Without memory for the answer the connection is closed.
  template <class Response>
  void answer(const Response& response) const {
    answering(in, [&] {
      metrics::requests().count(Response::api_key, protocol::api_name(Response::api_key), first_error(response));
      write_answer(in, response);
    });
  }
};

/// Base of every handler, which adds `static void handle(Request, call, Node&)`. Request may be incomplete here. One
/// whose answer has a part for each of many names adds `named(request)`, what is limited to names_per_request_max.
template <class Request, versions Served>
struct handler {
  using request = Request;
  static constexpr versions served = Served;
};

/// A row of the table: what is served, and how.
template <class Node>
struct handled_api {
  protocol::api_range range;
  result<void> (*run)(Node& node, request_in in);
};

/// Error: more names than a request may have.
[[nodiscard]] result<void> check_names(std::string_view request, std::size_t count);

template <class Handler, class Node>
[[nodiscard]] constexpr handled_api<Node> handled() {
  using request = typename Handler::request;
  static_assert(Handler::served.min >= request::min_version && Handler::served.max <= request::max_version);
  return {{static_cast<protocol::api>(request::api_key), Handler::served.min, Handler::served.max},
          [](Node& node, request_in in) -> result<void> {
            auto decoded = protocol::decode<request>(in.body, in.header.request_api_version);
            if (!decoded) return tl::unexpected(std::move(decoded.error()));
            if constexpr (requires { Handler::named(*decoded); }) {
              if (auto few = check_names(request::name, Handler::named(*decoded).size()); !few) return few;
            }
            Handler::handle(std::move(*decoded), call{std::move(in)}, node);
            return {};
          }};
}

/// Collects the parts of one answer that come from several places in any order.
template <class T>
class gather {
 public:
  using all_done = std::function<void(std::vector<T>)>;

  /// `done` is called once, with the parts in order, when the last has come; at once if there are none.
  static std::shared_ptr<gather> of(std::size_t count, all_done done) {
    auto made = std::make_shared<gather>(count, std::move(done));
    if (count == 0) made->done_({});
    return made;
  }
  gather(std::size_t count, all_done done) : parts_(count), left_(count), done_(std::move(done)) {}

  /// Once for each index; any thread.
  void put(std::size_t index, T part) {
    parts_[index] = std::move(part);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_(std::move(parts_));
  }

 private:
  std::vector<T> parts_;
  std::atomic<std::size_t> left_;
  all_done done_;
};

}  // namespace weir::server
