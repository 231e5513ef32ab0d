// Where a server is: what a URL may say, and what is told of one that is wrong.
#include "http/url.hpp"

#include <gmock/gmock.h>

namespace weir::http {
namespace {

using ::testing::HasSubstr;

TEST(url, has_scheme_host_port_and_target) {
  struct {
    std::string_view text;
    bool tls;
    std::string host, port, target, origin;
  } const cases[] = {
      {"http://weir", false, "weir", "80", "/", "http://weir:80"},
      {"https://weir.example/a/b?c=d", true, "weir.example", "443", "/a/b?c=d", "https://weir.example:443"},
      {"http://127.0.0.1:8080?q", false, "127.0.0.1", "8080", "/?q", "http://127.0.0.1:8080"},
      {"https://[::1]:8443/x", true, "::1", "8443", "/x", "https://[::1]:8443"},
      {"http://[::1]", false, "::1", "80", "/", "http://[::1]:80"},
  };
  for (const auto& wanted : cases) {
    const auto read = parse_url(wanted.text);
    ASSERT_TRUE(read) << wanted.text << ": " << read.error().message;
    EXPECT_EQ(read->tls, wanted.tls) << wanted.text;
    EXPECT_EQ(read->host, wanted.host) << wanted.text;
    EXPECT_EQ(read->port, wanted.port) << wanted.text;
    EXPECT_EQ(read->target, wanted.target) << wanted.text;
    EXPECT_EQ(read->origin(), wanted.origin) << wanted.text;
  }
}

TEST(url, that_is_wrong_is_told_why) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "http:// or https://"}, {"weir:8080", "http:// or https://"}, {"ftp://weir", "http:// or https://"},
      {"http://", "no host"},            {"http:///path", "no host"},          {"http://:80", "no host"},
      {"http://weir:", "the port"},       {"http://weir:0", "the port"},         {"http://weir:65536", "the port"},
      {"http://weir:8o", "the port"},     {"http://u:p@weir/", "user or password"},
      {"http://weir/a b", "percent-encoded"}, {"http://weir/\r\nX: y", "percent-encoded"},
      {"http://weir/\xc3\xa4", "percent-encoded"}, {"http://weir/#top", "'#'"},
  };
  for (const auto& [text, words] : cases) {
    const auto read = parse_url(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(std::string(words))) << text;
  }
  EXPECT_THAT(parse_url("http://user:secret@weir/").error().message, testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace weir::http
