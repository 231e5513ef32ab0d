// The client against servers that are none, or mean harm.
#include "http/client.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace weir::http {
namespace {

using ::testing::HasSubstr;

/// Answers one connection by `serve`.
class one_answer {
 public:
  explicit one_answer(std::function<void(int socket)> serve) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this, serve = std::move(serve)] {
      const int socket = ::accept(listener_, nullptr, nullptr);
      char request[4096];
      EXPECT_GT(::recv(socket, request, sizeof request, 0), 0);
      serve(socket);
      ::close(socket);
    });
  }
  ~one_answer() {
    thread_.join();
    ::close(listener_);
  }
  one_answer(const one_answer&) = delete;
  one_answer& operator=(const one_answer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  int listener_;
  std::string url_;
  std::thread thread_;
};

/// False: nobody reads any longer.
bool say(int socket, std::string_view text) {
  return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

TEST(http_client, rfc_9110_15_2_interim_answers_are_skipped) {
  const one_answer there([](int socket) {
    say(socket, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n");
    say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  });
  const auto answer = get(there.url(), "/");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "{}");
}

TEST(http_client, an_answer_without_end_is_given_up_by_its_size) {
  const one_answer there([](int socket) {
    say(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const auto piece = "1000\r\n" + std::string(0x1000, ' ') + "\r\n";
    while (say(socket, piece)) continue;
  });
  client_options options;
  options.answer_bytes_max = 1'000'000;
  const auto answer = get(there.url(), "/", options);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("more than 1000000 bytes"));
}

TEST(http_client, an_answer_without_end_is_given_up_by_its_time) {
  const one_answer there([](int socket) {
    while (say(socket, "HTTP/1.1 100 Continue\r\n\r\n")) continue;
  });
  client_options options;
  options.timeout_ms = 200;
  const auto answer = get(there.url(), "/", options);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer within 200 ms"));
}

}  // namespace
}  // namespace weir::http
