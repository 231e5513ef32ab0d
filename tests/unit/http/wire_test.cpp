// Requests that two readers could understand in two ways: framing and header fields, over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "raw_client.hpp"

namespace weir::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Says what of the header a resource sees.
std::unique_ptr<server> telling() {
  return started({}, [](const request& asked, const respond& answer) {
    response out;
    out.body = fmt::format("{} bearer={}.", asked.method, asked.bearer.value_or("none"));
    answer(std::move(out));
  });
}

/// All that comes back for a request with these further lines; what follows it must not be read as another one.
std::string answers_to(std::uint16_t port, std::string_view lines, std::string_view version = "1.1") {
  raw_client client(port);
  client.send(fmt::format("POST / HTTP/{}\r\nHost: x\r\n{}\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", version,
                          lines));
  return client.read_all();
}

TEST(http_wire, rfc_9112_6_1_a_body_ends_in_one_way_only) {
  const auto under_test = telling();
  const auto port = under_test->ports().front();
  struct {
    std::string_view lines, version, status;
  } const cases[] = {
      {"Transfer-Encoding: xchunked\r\n", "1.1", "HTTP/1.1 501"},
      {"Transfer-Encoding: identity\r\n", "1.1", "HTTP/1.1 501"},
      {"Transfer-Encoding: chunked, identity\r\n", "1.1", "HTTP/1.1 501"},
      {"Transfer-Encoding: gzip, chunked\r\n", "1.1", "HTTP/1.1 501"},
      {"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "1.1", "HTTP/1.1 400"},
      {"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "1.1", "HTTP/1.1 400"},
      {"Transfer-Encoding: identity\r\nContent-Length: 2\r\n", "1.1", "HTTP/1.1 400"},
      {"Transfer-Encoding: identity\r\n", "1.0", "HTTP/1.1 400"},
      {"Content-Encoding: gzip\r\nContent-Length: 2\r\n", "1.1", "HTTP/1.1 415"},
  };
  for (const auto& one : cases) {
    const auto all = answers_to(port, one.lines, one.version);
    EXPECT_THAT(all, StartsWith(one.status)) << one.lines;
    EXPECT_EQ(all.find("bearer="), std::string::npos) << one.lines << all;
  }
}

TEST(http_wire, a_body_in_chunks_is_read_in_any_letter_case) {
  const auto under_test = telling();
  raw_client client(under_test->ports().front());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  EXPECT_THAT(client.read_until("bearer=none"), HasSubstr("POST bearer=none"));
}

TEST(http_wire, fields_that_are_there_twice_or_say_nothing_are_refused_by_name) {
  const auto under_test = telling();
  const auto port = under_test->ports().front();
  for (const std::string_view name : {"Authorization", "If-Match", "Content-Type"}) {
    const auto all = answers_to(port, fmt::format("{}: a\r\n{}: b\r\n", name, name));
    EXPECT_THAT(all, testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(name)));
  }
  raw_client nameless(port);
  nameless.send("GET / HTTP/1.1\r\nHost: \r\n\r\n");
  EXPECT_THAT(nameless.read_all(), testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("Host")));
}

TEST(http_wire, rfc_9110_11_1_the_scheme_of_a_token_has_no_letter_case) {
  const auto under_test = telling();
  for (const std::string_view sent : {"Bearer s", "bearer s", "BEARER  s"}) {
    raw_client client(under_test->ports().front());
    client.send(fmt::format("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n", sent));
    EXPECT_THAT(client.read_until("bearer=s."), HasSubstr("bearer=s.")) << sent;
  }
}

}  // namespace
}  // namespace weir::http
