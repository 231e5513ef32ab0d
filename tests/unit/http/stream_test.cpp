// Answers that take their time, over real sockets: bodies that go on and on, and requests that wait for news.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "raw_client.hpp"

namespace weir::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a test has to say, and whether somebody still listens.
class told_stream final : public stream_source {
 public:
  explicit told_stream(std::int64_t idle_ms = 60'000) : idle_ms_(idle_ms) {}
  ~told_stream() override { gone_.set_value(); }

  void say(std::string text, bool is_last = false) {
    std::function<void()> wake;
    {
      const std::lock_guard lock(mutex_);
      pieces_.push_back({std::move(text), is_last});
      wake = wake_;
    }
    if (wake) wake();
  }
  void listen(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  piece next(bool is_idle) override {
    const std::lock_guard lock(mutex_);
    if (pieces_.empty()) return {is_idle ? "idle\n" : "", false};
    auto first = std::move(pieces_.front());
    pieces_.pop_front();
    ++taken_;
    return first;
  }
  [[nodiscard]] std::int64_t idle_ms() const override { return idle_ms_; }
  std::future<void> gone() { return gone_.get_future(); }
  std::size_t taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  std::int64_t idle_ms_;
  std::mutex mutex_;
  std::deque<piece> pieces_;
  std::size_t taken_ = 0;
  std::function<void()> wake_;
  std::promise<void> gone_;
};

/// Serves one stream; the test keeps no hold of it but this.
struct streaming {
  explicit streaming(server_options options = {}, std::int64_t idle_ms = 60'000)
      : source(std::make_shared<told_stream>(idle_ms)),
        gone(source->gone()),
        under_test(started(options, [this](const request&, const respond& answer) {
          response out;
          out.content_type = "text/event-stream";
          out.stream = std::exchange(source, nullptr);
          answer(std::move(out));
        })),
        speaker(source) {}

  /// Whether it has been let go of by the server.
  bool is_over() {
    speaker.reset();
    return gone.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

  std::shared_ptr<told_stream> source;
  std::future<void> gone;
  std::unique_ptr<server> under_test;
  std::shared_ptr<told_stream> speaker;
};

TEST(http_stream, sends_each_piece_as_a_chunk_when_it_comes_and_closes_behind_the_last) {
  streaming s;
  raw_client client(s.under_test->ports().front());
  client.send(request_of("/"));
  const auto header = client.read_until("\r\n\r\n");
  EXPECT_THAT(header, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(header, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(header, HasSubstr("Content-Type: text/event-stream\r\n"));
  s.speaker->say("hello");
  EXPECT_EQ(client.read_until("hello\r\n"), "5\r\nhello\r\n");
  s.speaker->say("bye", true);
  EXPECT_EQ(client.read_all(), "3\r\nbye\r\n0\r\n\r\n");
  EXPECT_TRUE(s.is_over());
}

TEST(http_stream, a_client_of_http_1_0_gets_no_chunks) {
  streaming s;
  raw_client client(s.under_test->ports().front());
  client.send("GET / HTTP/1.0\r\n\r\n");
  client.read_until("\r\n\r\n");
  s.speaker->say("hello", true);
  EXPECT_EQ(client.read_all(), "hello");
}

TEST(http_stream, what_was_said_from_many_threads_all_arrives) {
  streaming s;
  raw_client client(s.under_test->ports().front());
  client.send(request_of("/"));
  client.read_until("\r\n\r\n");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) s.speaker->say("x");
    });
  }
  for (auto& one : threads) one.join();
  s.speaker->say("end", true);
  const auto all = client.read_all();
  EXPECT_EQ(std::count(all.begin(), all.end(), 'x'), 400);
}

TEST(http_stream, says_that_it_is_there_when_nothing_comes) {
  streaming s({}, 20);
  raw_client client(s.under_test->ports().front());
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("idle\n\r\n"), EndsWith("5\r\nidle\n\r\n"));
}

TEST(http_stream, a_follower_that_hangs_up_is_noticed_although_nothing_is_sent) {
  streaming s;
  {
    raw_client client(s.under_test->ports().front());
    client.send(request_of("/"));
    client.read_until("\r\n\r\n");
  }
  EXPECT_TRUE(s.is_over());
}

TEST(http_stream, a_follower_that_does_not_read_is_given_up_and_little_is_kept_for_it) {
  server_options options;
  options.idle_timeout_ms = 300;
  streaming s(options);
  raw_client client(s.under_test->ports().front());
  client.send(request_of("/"));
  client.read_until("\r\n\r\n");
  constexpr std::size_t pieces = 200;
  for (std::size_t i = 0; i < pieces; ++i) s.speaker->say(std::string(1 << 18, 'x'));
  const auto speaker = s.speaker;
  s.speaker.reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (speaker.use_count() > 1 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(speaker.use_count(), 1) << "the server still has it";
  EXPECT_LT(speaker->taken(), pieces) << "pieces are taken one by one, as they are sent";
}

TEST(http_stream, head_has_no_body_and_the_connection_goes_on) {
  streaming s;
  raw_client client(s.under_test->ports().front());
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(s.is_over());
}

TEST(http_stream, stopping_the_server_ends_it) {
  streaming s;
  raw_client client(s.under_test->ports().front());
  client.send(request_of("/"));
  client.read_until("\r\n\r\n");
  s.under_test->stop();
  EXPECT_TRUE(s.is_over());
}

/// Answers with `left` once it is 0 or the time is up; the test rings.
class countdown final : public postponed, public std::enable_shared_from_this<countdown> {
 public:
  explicit countdown(std::int64_t wait_ms) : wait_ms_(wait_ms) {}
  ~countdown() override { gone_.set_value(); }
  std::atomic<int> left = 2;
  std::atomic<int> asked = 0;

  void listen(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
    listening_.notify_all();
  }
  void ring() {
    std::unique_lock lock(mutex_);
    listening_.wait(lock, [this] { return wake_ != nullptr; });
    wake_();
  }
  [[nodiscard]] std::int64_t wait_ms() const override { return wait_ms_; }
  void ask(bool time_is_up, const respond& answer) override {
    ++asked;
    response out;
    if (left > 0 && !time_is_up) {
      out.later = shared_from_this();
    } else {
      out.content_type = "text/plain";
      out.body = time_is_up ? "late" : "done";
    }
    answer(std::move(out));
  }
  std::future<void> gone() { return gone_.get_future(); }

 private:
  std::int64_t wait_ms_;
  std::mutex mutex_;
  std::condition_variable listening_;
  std::function<void()> wake_;
  std::promise<void> gone_;
};

std::unique_ptr<server> waiting_on(const std::shared_ptr<countdown>& what, server_options options = {}) {
  return started(options, [weak = std::weak_ptr(what)](const request& asked, const respond& answer) {
    if (asked.segments.size() == 1) return weak.lock()->ask(false, answer);
    response out;
    out.body = "other";
    answer(std::move(out));
  });
}

TEST(http_wait, is_asked_again_at_each_ring_until_there_is_an_answer) {
  const auto what = std::make_shared<countdown>(60'000);
  const auto under_test = waiting_on(what);
  raw_client client(under_test->ports().front());
  client.send(request_of("/wait"));
  what->ring();
  what->left = 0;
  what->ring();
  EXPECT_THAT(client.read_until("done"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_GE(what->asked, 2);
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("other"), StartsWith("HTTP/1.1 200 OK\r\n")) << "the connection is kept";
}

TEST(http_wait, may_take_longer_than_other_answers_and_ends_with_its_time) {
  server_options options;
  options.answer_timeout_ms = 50;
  const auto what = std::make_shared<countdown>(400);
  const auto under_test = waiting_on(what, options);
  raw_client client(under_test->ports().front());
  const auto began = std::chrono::steady_clock::now();
  client.send(request_of("/wait"));
  EXPECT_THAT(client.read_until("late"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(390));
}

TEST(http_wait, a_client_that_hangs_up_is_noticed) {
  auto what = std::make_shared<countdown>(600'000);
  auto gone = what->gone();
  const auto under_test = waiting_on(what);
  {
    raw_client client(under_test->ports().front());
    client.send(request_of("/wait"));
    what->ring();
  }
  what.reset();
  EXPECT_EQ(gone.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(http_wait, a_client_that_hangs_up_behind_an_unread_byte_is_noticed) {
  auto what = std::make_shared<countdown>(600'000);
  auto gone = what->gone();
  const auto under_test = waiting_on(what);
  {
    raw_client client(under_test->ports().front());
    client.send(request_of("/wait") + "G");
    what->ring();
  }
  what.reset();
  EXPECT_EQ(gone.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(http_stream, a_follower_that_hangs_up_behind_an_unread_byte_is_noticed) {
  streaming s;
  {
    raw_client client(s.under_test->ports().front());
    client.send(request_of("/") + "G");
    client.read_until("\r\n\r\n");
  }
  EXPECT_TRUE(s.is_over());
}

TEST(http_wait, a_request_behind_it_is_served_after_it) {
  const auto what = std::make_shared<countdown>(60'000);
  const auto under_test = waiting_on(what);
  raw_client client(under_test->ports().front());
  client.send(request_of("/wait") + request_of("/"));
  what->ring();  // waits until it is listened for
  what->left = 0;
  what->ring();
  EXPECT_THAT(client.read_until("other"), HasSubstr("done"));
}

}  // namespace
}  // namespace weir::http
