// A small blocking Kafka client: one connection, one request at a time. For `weir simulate`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"
#include "protocol/headers.hpp"

namespace weir::cli {

class kafka_client {
 public:
  /// Error: the address does not exist or does not answer within timeout_ms, which also bounds each later call.
  static result<kafka_client> connect(std::string host, std::uint16_t port, std::string client_id,
                                      std::int64_t timeout_ms = 10'000);
  kafka_client(kafka_client&&) noexcept;
  kafka_client& operator=(kafka_client&&) noexcept;
  ~kafka_client();

  /// Sends and waits for the answer, whose texts are views that live until the next call. After an error the connection
  /// is of no use any more.
  template <class Response, class Request>
  result<Response> call(const Request& request, std::int16_t version) {
    ++correlation_id_;
    auto answer = exchange(protocol::encode_request_frame(correlation_id_, text::view(client_id_), request, version));
    if (!answer) return tl::unexpected(answer.error());
    frame_ = *std::move(answer);
    const auto opened = protocol::open_response(frame_, static_cast<protocol::api>(Request::api_key), version);
    if (!opened) return tl::unexpected(opened.error());
    if (opened->header.correlation_id != correlation_id_) return fail("an answer to another request");
    return protocol::decode<Response>(opened->body, version);
  }

 private:
  class connection;
  kafka_client(std::unique_ptr<connection> open, std::string client_id);
  /// The answer without its length.
  result<bytes> exchange(const bytes& frame);

  std::unique_ptr<connection> connection_;
  std::string client_id_;
  std::int32_t correlation_id_ = 0;
  bytes frame_;
};

}  // namespace weir::cli
