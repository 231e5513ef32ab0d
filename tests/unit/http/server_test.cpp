// The listener over real sockets: keep-alive, answers from another thread, limits, slow clients, stopping.
#include "http/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/limits.hpp"
#include "base/metrics.hpp"
#include "raw_client.hpp"

namespace weir::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Echoes method and body.
void echo(request asked, const respond& answer) {
  response out;
  out.content_type = "text/plain";
  out.body = asked.method + ":" + asked.body;
  answer(std::move(out));
}

TEST(http_server, serves_several_requests_on_one_connection) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  for (int i = 0; i < 3; ++i) {
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(client.read_until("POST:hi"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST(http_server, closes_when_the_client_asks_for_it) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), testing::EndsWith("GET:"));
}

TEST(http_server, a_head_answer_has_the_length_but_no_body) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.read_all();
  EXPECT_THAT(all, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\n"));
}

TEST(http_server, large_answers_are_compressed_for_those_who_ask) {
  const auto under_test = started({}, [](const request& asked, const respond& answer) {
    response out;
    const auto& size = asked.segments.front();
    out.body = std::string(size == "huge" ? 50'000 : size == "large" ? 5000 : 1024, 'x');
    answer(std::move(out));
  });
  const auto answer_to = [&](std::string_view path, std::string_view header) {
    raw_client client(under_test->ports().front());
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{}\r\n", path, header));
    return client.read_all();
  };
  const std::string asked = "Accept-Encoding: gzip\r\n";
  const auto packed = answer_to("/large", asked);
  EXPECT_THAT(packed, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(packed, HasSubstr("Vary: Accept-Encoding\r\n"));
  EXPECT_THAT(packed, HasSubstr("\r\n\r\n\x1f\x8b"));
  EXPECT_LT(packed.size(), 1000U);
  const auto huge = answer_to("/huge", asked);
  EXPECT_THAT(huge, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_EQ(huge.find("Content-Encoding"), huge.rfind("Content-Encoding"));
  EXPECT_EQ(huge.find("Vary"), huge.rfind("Vary"));
  EXPECT_LT(huge.size(), 1000U);
  EXPECT_THAT(answer_to("/large", ""), testing::AllOf(Not(HasSubstr("Content-Encoding")), HasSubstr("Vary:"),
                                                      HasSubstr("Content-Length: 5000\r\n")));
  EXPECT_THAT(answer_to("/small", asked), Not(HasSubstr("Content-Encoding")));
}

TEST(http_server, rfc_9110_15_4_5_what_has_not_changed_has_no_length) {
  const auto under_test = started({}, [](const request& asked, const respond& answer) {
    response out;
    out.status = asked.if_none_match == "\"a\"" ? 304 : 200;
    answer(std::move(out));
  });
  raw_client client(under_test->ports().front());
  client.send("GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\n\r\n");
  const auto first = client.read_until("\r\n\r\n");
  EXPECT_THAT(first, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(first, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(first, Not(HasSubstr("Transfer-Encoding")));
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(http_server, an_answer_may_come_from_another_thread) {
  std::thread later;
  {
    const auto under_test = started({}, [&](request asked, const respond& answer) {
      later = std::thread([asked = std::move(asked), answer] { echo(asked, answer); });
    });
    raw_client client(under_test->ports().front());
    client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read_all(), HasSubstr("GET:"));
  }
  later.join();
}

TEST(http_server, a_handler_that_throws_is_a_problem_document_and_the_server_goes_on) {
  const auto under_test = started({}, [](request asked, const respond& answer) {
    if (asked.method == "PUT") throw std::bad_alloc();
    if (asked.method == "DELETE") throw std::runtime_error("broken");
    echo(std::move(asked), answer);
  });
  raw_client client(under_test->ports().front());
  client.send("PUT / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("}\n"), StartsWith("HTTP/1.1 503"));
  client.send("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("}\n"), StartsWith("HTTP/1.1 500"));
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("GET:"), StartsWith("HTTP/1.1 200"));
}

TEST(http_server, a_large_body_is_a_413_and_a_large_header_a_431) {
  server_options options;
  options.body_bytes_max = 10;
  options.header_bytes_max = 200;
  const auto under_test = started(options, echo);
  raw_client fat(under_test->ports().front());
  fat.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  EXPECT_THAT(fat.read_all(), StartsWith("HTTP/1.1 413"));
  raw_client talkative(under_test->ports().front());
  talkative.send("GET / HTTP/1.1\r\nX: " + std::string(200, 'x'));
  EXPECT_THAT(talkative.read_until("\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST(http_server, what_is_not_http_is_a_400) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  client.send("hello there\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST(http_server, a_slow_client_is_cut_off) {
  server_options options;
  options.idle_timeout_ms = 50;
  const auto under_test = started(options, echo);
  raw_client client(under_test->ports().front());
  client.send("GET / HT");
  EXPECT_EQ(client.read_all(), "");
}

TEST(http_server, at_the_limit_the_connection_that_waits_longest_makes_room) {
  server_options options;
  options.connections_max = 2;
  const auto under_test = started(options, echo);
  const auto port = under_test->ports().front();
  raw_client slow(port);
  slow.send("GET / HT");
  raw_client lively(port);
  lively.send(request_of("/"));
  EXPECT_THAT(lively.read_until("GET:"), HasSubstr("200"));
  raw_client probe(port);
  probe.send(request_of("/livez"));
  EXPECT_THAT(probe.read_until("GET:"), HasSubstr("200"));
  EXPECT_EQ(slow.read_all(), "");
  lively.send(request_of("/"));
  EXPECT_THAT(lively.read_until("GET:"), HasSubstr("200"));
}

TEST(http_server, a_connection_that_is_being_answered_never_makes_room) {
  server_options options;
  options.connections_max = 1;
  respond kept;
  std::promise<void> asked;
  const auto under_test = started(options, [&](const request&, const respond& answer) {
    kept = answer;
    asked.set_value();
  });
  raw_client first(under_test->ports().front());
  first.send(request_of("/"));
  asked.get_future().wait();
  raw_client second(under_test->ports().front());
  EXPECT_EQ(second.read_all(), "");
  kept({200, "text/plain", "late", {}});
  EXPECT_THAT(first.read_until("late"), HasSubstr("200"));
}

TEST(http_server, a_connection_that_takes_a_long_answer_never_makes_room) {
  server_options options;
  options.connections_max = 1;
  const std::string longer_than_buffers(std::size_t{32} << 20, 'x');
  const auto under_test = started(options, [&](const request&, const respond& answer) {
    answer({200, "text/plain", longer_than_buffers + "end", {}});
  });
  raw_client first(under_test->ports().front());
  first.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(first.read_until("\r\n"), HasSubstr("200"));
  raw_client second(under_test->ports().front());
  EXPECT_EQ(second.read_all(), "");
  EXPECT_TRUE(first.read_all().ends_with("xend"));
}

TEST(http_server, rfc_9110_10_1_1_a_body_that_is_held_back_is_asked_for) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  for (int i = 0; i < 2; ++i) {
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("hi");
    EXPECT_THAT(client.read_until("POST:hi"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST(http_server, rfc_9110_10_1_1_a_body_that_came_unasked_is_not_asked_for) {
  const auto under_test = started({}, echo);
  raw_client client(under_test->ports().front());
  client.send("GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.read_until("GET:"), StartsWith("HTTP/1.1 200 OK\r\n"));
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_THAT(client.read_until("POST:hi"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(http_server, rfc_9110_10_1_1_other_expectations_are_a_417_and_a_body_too_large_is_not_asked_for) {
  server_options options;
  options.body_bytes_max = 10;
  const auto under_test = started(options, echo);
  raw_client hopeful(under_test->ports().front());
  hopeful.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: the-best\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(hopeful.read_all(), StartsWith("HTTP/1.1 417"));
  raw_client fat(under_test->ports().front());
  fat.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_THAT(fat.read_all(), StartsWith("HTTP/1.1 413"));
}

TEST(http_server, rfc_9112_3_2_a_request_without_host_or_with_two_is_a_400) {
  const auto under_test = started({}, echo);
  for (const auto* hosts : {"", "Host: x\r\nHost: y\r\n"}) {
    raw_client client(under_test->ports().front());
    client.send(fmt::format("GET / HTTP/1.1\r\n{}\r\n", hosts));
    EXPECT_THAT(client.read_all(), testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("Host"))) << hosts;
  }
  raw_client old(under_test->ports().front());
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_all(), StartsWith("HTTP/1.1 200"));
}

TEST(http_server, an_answer_that_does_not_come_is_a_503_and_ignored_when_it_does) {
  server_options options;
  options.answer_timeout_ms = 30;
  respond kept;
  const auto under_test = started(options, [&](request asked, const respond& answer) {
    if (!kept) {
      kept = answer;
      return;
    }
    kept({200, "text/plain", "late", {}});
    echo(std::move(asked), answer);
  });
  raw_client client(under_test->ports().front());
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("}"), StartsWith("HTTP/1.1 503"));
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("GET:"), Not(HasSubstr("late")));
}

TEST(http_server, others_are_answered_while_one_answer_takes_long) {
  std::promise<void> finish;
  const auto under_test = started({}, [&](request asked, const respond& answer) {
    if (asked.segments.front() != "long") return echo(std::move(asked), answer);
    at_leisure(answer, [&finish, answer] {
      finish.get_future().wait();
      answer({200, "text/plain", "long work", {}});
    });
  });
  raw_client slow(under_test->ports().front());
  slow.send(request_of("/long"));
  raw_client quick(under_test->ports().front());
  quick.send(request_of("/quick"));
  EXPECT_THAT(quick.read_until("GET:"), HasSubstr("200"));
  finish.set_value();
  EXPECT_THAT(slow.read_until("long work"), HasSubstr("200"));
}

TEST(http_server, what_takes_long_may_fail) {
  const auto under_test = started({}, [](const request&, const respond& answer) {
    at_leisure(answer, [] { throw std::runtime_error("on purpose"); });
  });
  raw_client client(under_test->ports().front());
  client.send(request_of("/"));
  EXPECT_THAT(client.read_until("}"), testing::AllOf(StartsWith("HTTP/1.1 500"), Not(HasSubstr("on purpose"))));
}

TEST(http_server, more_than_so_many_long_answers_are_refused_and_the_others_come) {
  std::promise<void> finish;
  std::promise<void> begun;
  std::promise<void> all_asked;
  std::size_t asked = 0;
  const auto under_test = started({}, [&](request of, const respond& answer) {
    if (of.segments.front() == "quick") return echo(std::move(of), answer);
    const auto number = asked++;
    if (number == limits::large_answers_max + 1) all_asked.set_value();
    at_leisure(answer, [&, answer, number] {
      if (number == 0) {
        begun.set_value();
        finish.get_future().wait();
      }
      answer({200, "text/plain", "made", {}});
    });
  });
  std::vector<std::unique_ptr<raw_client>> clients;
  const auto ask = [&] {
    clients.push_back(std::make_unique<raw_client>(under_test->ports().front()));
    clients.back()->send(request_of("/long"));
  };
  ask();
  begun.get_future().wait();
  for (std::size_t i = 0; i <= limits::large_answers_max; ++i) ask();
  all_asked.get_future().wait();
  raw_client quick(under_test->ports().front());
  quick.send(request_of("/quick"));
  quick.read_until("GET:");  // so what was asked before is in its place
  finish.set_value();
  std::size_t refused = 0;
  for (auto& client : clients) refused += client->read_until("\r\n").starts_with("HTTP/1.1 503") ? 1 : 0;
  EXPECT_EQ(refused, 1U);
}

TEST(http_server, stops_while_long_answers_wait) {
  std::promise<void> begun;
  std::promise<void> finish;
  std::atomic<int> made = 0;
  const auto under_test = started({}, [&](const request& asked, const respond& answer) {
    const bool is_first = asked.segments.front() == "first";
    at_leisure(answer, [&, is_first] {
      ++made;
      if (!is_first) return;
      begun.set_value();
      finish.get_future().wait();
    });
  });
  raw_client first(under_test->ports().front());
  first.send(request_of("/first"));
  begun.get_future().wait();
  raw_client second(under_test->ports().front());
  second.send(request_of("/second"));
  under_test->stop();
  finish.set_value();
  EXPECT_EQ(first.read_all(), "");
  EXPECT_EQ(made, 1);
}

TEST(http_server, a_stop_does_not_wait_for_a_long_question_and_says_that_it_goes_on) {
  std::promise<void> begun;
  std::promise<void> finish;
  const auto under_test = started({}, [&](const request&, const respond& answer) {
    at_leisure(answer, [&] {
      begun.set_value();
      finish.get_future().wait();
    }, true);
  });
  raw_client client(under_test->ports().front());
  client.send(request_of("/"));
  begun.get_future().wait();
  under_test->stop();
  EXPECT_EQ(client.read_all(), "");
  EXPECT_FALSE(under_test->is_quiet(0));
  finish.set_value();
  EXPECT_TRUE(under_test->is_quiet(20'000));
}

TEST(http_server, a_long_question_of_a_client_that_has_gone_is_not_begun) {
  std::promise<void> begun;
  std::promise<void> finish;
  std::promise<void> second_asked;
  std::atomic<bool> is_second_begun = false;
  const auto under_test = started({}, [&](request asked, const respond& answer) {
    const auto what = asked.segments.front();
    if (what == "quick") return echo(std::move(asked), answer);
    at_leisure(answer, [&, answer, what] {
      if (what == "second") is_second_begun = true;
      if (what == "first") {
        begun.set_value();
        finish.get_future().wait();
      }
      answer({200, "text/plain", "made", {}});
    }, true);
    if (what == "second") second_asked.set_value();
  });
  raw_client first(under_test->ports().front());
  first.send(request_of("/first"));
  begun.get_future().wait();
  {
    raw_client second(under_test->ports().front());
    second.send(request_of("/second"));
    second_asked.get_future().wait();
  }
  raw_client quick(under_test->ports().front());
  for (int i = 0; i < 5; ++i) {  // by then the server has seen what came before
    quick.send(request_of("/quick"));
    quick.read_until("GET:");
  }
  finish.set_value();
  first.read_until("made");
  raw_client third(under_test->ports().front());
  third.send(request_of("/third"));
  EXPECT_THAT(third.read_until("made"), HasSubstr("200"));
  EXPECT_FALSE(is_second_begun);
}

/// Takes every file descriptor the process may have, until it ends.
class no_descriptors {
 public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 200;
    setrlimit(RLIMIT_NOFILE, &few);
    for (int one = 0; (one = ::dup(0)) >= 0;) taken_.push_back(one);
  }
  ~no_descriptors() {
    for (const int one : taken_) ::close(one);
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(http_server, answers_one_after_the_other_while_no_file_descriptor_is_left) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers need a descriptor of their own to look at memory; runs without them";
#endif
  const auto under_test = started({}, echo);
  raw_client clients[3];
  auto& failures = weir::metrics::all().accept_failures.with({"http"});
  const auto before = failures.value();
  {
    const no_descriptors all_gone;
    for (auto& client : clients) {
      client.connect(under_test->ports().front());
      client.send(request_of("/livez"));
      EXPECT_THAT(client.read_until("GET:"), HasSubstr("200"));
    }
  }
  EXPECT_GE(failures.value(), before + 2);
  raw_client later(under_test->ports().front());
  later.send(request_of("/"));
  EXPECT_THAT(later.read_until("GET:"), HasSubstr("200"));
}

TEST(http_server, a_port_in_use_is_named_with_the_key_to_change) {
  const auto under_test = started({}, echo);
  server_options same;
  same.listeners = {{"127.0.0.1", under_test->ports().front()}};
  const auto second = server::start(same, echo);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another process has this port"));
  EXPECT_THAT(second.error().message, HasSubstr("http.listeners"));
}

TEST(http_server, stops_with_open_connections_and_drops_late_answers) {
  respond kept;
  {
    const auto under_test = started({}, [&](const request&, const respond& answer) {
      kept = answer;
      answer({200, "text/plain", "once", {}});
    });
    raw_client idle(under_test->ports().front());
    raw_client client(under_test->ports().front());
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read_until("once");
    under_test->stop();
    EXPECT_EQ(idle.read_all(), "");
  }
  kept({200, "text/plain", "late", {}});
}

}  // namespace
}  // namespace weir::http
