// The files of the web page: types, caching, what the page may load.
#include "http/resources/page.hpp"

#include <gmock/gmock.h>

#include "fakes.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::HasSubstr;
using ::testing::Not;

std::string header(const response& of, std::string_view name) {
  for (const auto& [key, value] : of.headers) {
    if (key == name) return value;
  }
  return {};
}

response ask(std::string_view target, std::string if_none_match) {
  request asked;
  asked.method = "GET";
  asked.if_none_match = std::move(if_none_match);
  response got;
  if (!parse_target(target, asked)) return got;
  router routes({});
  add_page(routes);
  routes(std::move(asked), [&](response out) { got = std::move(out); });
  return got;
}

TEST(page, is_html_that_loads_only_from_here) {
  const auto page = api_under_test().ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("web/app.js"));
  EXPECT_THAT(page.body, Not(HasSubstr("//")));
  const auto policy = header(page, "Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(header(page, "X-Frame-Options"), "DENY");
}

TEST(page, each_file_has_its_type_and_the_policy) {
  for (const page_file& file : page_files()) {
    if (file.name == "index.html") continue;
    const auto got = ask("/web/" + std::string(file.name), "");
    EXPECT_EQ(got.status, 200) << file.name;
    EXPECT_EQ(got.content_type, file.content_type);
    EXPECT_EQ(got.body, file.body);
    EXPECT_FALSE(header(got, "Content-Security-Policy").empty()) << file.name;
  }
  EXPECT_EQ(ask("/web/app.js", "").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(ask("/web/style.css", "").content_type, "text/css; charset=utf-8");
  EXPECT_EQ(ask("/web/icon.svg", "").content_type, "image/svg+xml");
}

TEST(page, rfc_9110_13_1_2_what_the_browser_has_is_not_sent_again) {
  const auto first = ask("/web/app.js", "");
  const auto etag = header(first, "ETag");
  EXPECT_EQ(header(first, "Cache-Control"), "no-cache");
  EXPECT_THAT(etag, ::testing::StartsWith("W/\""));
  for (const std::string& same : {etag, etag.substr(2), "\"other\", " + etag, std::string("*")}) {
    const auto again = ask("/web/app.js", same);
    EXPECT_EQ(again.status, 304) << same;
    EXPECT_TRUE(again.body.empty());
    EXPECT_EQ(header(again, "ETag"), etag);
  }
  EXPECT_EQ(ask("/web/app.js", "W/\"other\"").status, 200);
  EXPECT_NE(header(ask("/web/api.js", ""), "ETag"), etag);
}

TEST(page, has_no_other_files) {
  for (const auto* target : {"/web/nothing.js", "/web/index.html", "/web/..%2Fopenapi.yaml", "/web/package.json"}) {
    EXPECT_EQ(ask(target, "").status, 404) << target;
  }
}

}  // namespace
}  // namespace weir::http
