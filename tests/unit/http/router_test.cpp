// What the router refuses before any resource is asked, and that openapi.yaml and the router agree.
#include "http/router.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "fakes.hpp"
#include "http/json_reader.hpp"
#include "http/resources/metrics.hpp"

namespace weir::http {
namespace {

using ::testing::HasSubstr;
using test::api_under_test;

std::string member_of(const response& answer, std::string_view name) {
  const auto body = parse_json(answer.body);
  const json_value* found = body ? body->find(name) : nullptr;
  return found == nullptr ? "" : found->plain();
}

TEST(router, an_unknown_path_is_a_404_problem) {
  const auto answer = api_under_test().ask("GET", "/v1/nothing");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_EQ(member_of(answer, "title"), "Not Found");
  EXPECT_EQ(member_of(answer, "status"), "404");
  EXPECT_EQ(member_of(answer, "error_code"), "404");
  EXPECT_EQ(member_of(answer, "message"), member_of(answer, "detail"));
}

TEST(router, another_method_is_a_405_with_allow) {
  const auto answer = api_under_test().ask("DELETE", "/v1/topics");
  EXPECT_EQ(answer.status, 405);
  EXPECT_THAT(answer.headers, testing::Contains(testing::Pair("Allow", "GET, POST")));
}

TEST(router, head_is_served_like_get) { EXPECT_EQ(api_under_test().ask("HEAD", "/livez").status, 200); }

TEST(router, a_segment_is_decoded_after_the_path_was_split) {
  router routes({});
  std::string seen;
  routes.add("GET", "/v1/groups/{group}", [&](const call& at, const respond&) { seen = at.captures.front(); });
  request asked;
  asked.method = "GET";
  ASSERT_TRUE(parse_target("/v1/groups/a%2Fb%20c+d", asked));
  routes(asked, [](const response&) {});
  EXPECT_EQ(seen, "a/b c+d");
}

TEST(router, rfc_9112_3_2_2_a_target_may_be_a_whole_address) {
  for (const auto* target : {"http://weir:8080/v1/groups?prefix=a", "http://weir/v1/groups?prefix=a"}) {
    request asked;
    ASSERT_TRUE(parse_target(target, asked)) << target;
    EXPECT_EQ(asked.segments, (std::vector<std::string>{"v1", "groups"})) << target;
  }
  request root;
  EXPECT_TRUE(parse_target("http://weir", root));
  EXPECT_TRUE(root.segments.empty());
}

TEST(router, writes_need_the_token_when_one_is_configured) {
  api_under_test api;
  api.parts.access.tokens = {{"ops", "secret"}, {"ci", "other1"}};
  const std::string body = R"({"name":"t"})";
  EXPECT_EQ(api.ask("POST", "/v1/topics", body).status, 401);
  EXPECT_EQ(api.ask("POST", "/v1/topics", body, "guess!").status, 401);
  EXPECT_EQ(api.ask("POST", "/v1/topics", body, "").status, 401);
  EXPECT_EQ(api.ask("POST", "/v1/topics", body, "secret").status, 201);
  EXPECT_EQ(api.ask("POST", "/v1/topics", body, "other1").status, 201);
  EXPECT_EQ(api.ask("GET", "/v1/topics").status, 200);
}

TEST(router, without_a_token_only_a_loopback_listener_accepts_writes) {
  api_under_test api;
  api.parts.access.loopback_only = false;
  const auto answer = api.ask("POST", "/v1/topics", R"({"name":"t"})");
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.body, HasSubstr("http.token"));
  EXPECT_TRUE(api.topics.created.empty());
}

TEST(router, a_web_page_cannot_write_through_the_loopback_listener) {
  request foreign;
  foreign.host = "rebound.example.com:8080";
  EXPECT_EQ(authorise(foreign, {{}, true}).error().status, 403);
  for (const auto* host : {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080"}) {
    foreign.host = host;
    EXPECT_TRUE(authorise(foreign, {{}, true})) << host;
  }
  for (const auto* host : {"", ":8080"}) {
    foreign.host = host;
    EXPECT_FALSE(authorise(foreign, {{}, true})) << host;
  }
  EXPECT_EQ(api_under_test().ask("POST", "/v1/topics").status, 415);  // no Content-Type: application/json
}

TEST(router, a_change_knows_the_name_of_the_token) {
  request asked;
  asked.bearer = "b";
  EXPECT_EQ(authorise(asked, {{{"ops", "a"}, {"ci", "b"}}, false}).value(), "ci");
  asked.host = "localhost";
  EXPECT_EQ(authorise(asked, {{}, true}).value(), "");
}

TEST(router, a_broken_percent_sign_is_an_error) {
  request asked;
  EXPECT_FALSE(parse_target("/v1/groups/%4", asked));
  EXPECT_FALSE(parse_target("/v1/groups/%zz", asked));
  EXPECT_FALSE(parse_target("v1", asked));
  EXPECT_FALSE(parse_target("ftp://host/v1", asked));
}

/// `GET /v1/groups` of every operation in the document: paths are indented by two, methods by four.
std::set<std::string> described_operations() {
  std::set<std::string> out;
  std::istringstream lines{std::string(openapi_yaml())};
  std::string path;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("components:")) break;
    if (line.starts_with("  /")) path = line.substr(2, line.size() - 3);
    for (const auto* method : {"get", "post", "put", "patch", "delete"}) {
      if (line != std::string("    ") + method + ":") continue;
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::toupper(c));
      out.insert(name + " " + path);
    }
  }
  return out;
}

TEST(openapi, describes_every_route_and_nothing_else) {
  api_under_test api;
  std::set<std::string> served;
  const router routes = make_router(api.parts);
  for (const auto& route : routes.routes()) served.insert(route.method + " " + route.pattern);
  EXPECT_EQ(described_operations(), served);
}

/// The parameters of the query that a line of the document names, in place or by reference.
void add_query_parameters(const std::string& line, std::set<std::string>& into) {
  static const std::regex in_place("\\{name: ([A-Za-z_]+), in: query");
  static const std::regex by_reference("#/components/parameters/(limit|after|dry_run|verbose|exclude)'");
  for (const auto* kind : {&in_place, &by_reference}) {
    for (std::sregex_iterator at(line.begin(), line.end(), *kind), end; at != end; ++at) into.insert((*at)[1].str());
  }
}

std::map<std::string, std::set<std::string>> described_parameters() {
  std::map<std::string, std::set<std::string>> out;
  std::istringstream lines{std::string(openapi_yaml())};
  std::string path;
  std::string operation;
  for (std::string line; std::getline(lines, line) && !line.starts_with("components:");) {
    if (line.starts_with("  /")) path = line.substr(2, line.size() - 3);
    if (line.starts_with("    ") && line.size() > 5 && line[4] != ' ') {
      operation = line.substr(4, line.size() - 5);
      for (char& c : operation) c = static_cast<char>(std::toupper(c));
    }
    add_query_parameters(line, out[operation + " " + path]);
  }
  return out;
}

TEST(openapi, names_the_parameters_that_each_resource_takes) {
  api_under_test api;
  auto described = described_parameters();
  const router routes = make_router(api.parts);
  for (const auto& route : routes.routes()) {
    if (!route.pattern.starts_with("/v1/")) continue;
    const std::set<std::string> taken(route.parameters.begin(), route.parameters.end());
    EXPECT_EQ(described[route.method + " " + route.pattern], taken) << route.method << " " << route.pattern;
  }
}

TEST(router, a_parameter_that_the_resource_does_not_have_is_refused_by_name) {
  api_under_test api;
  const auto answer = api.ask("GET", "/v1/groups?sate=Stable&limit=5");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(member_of(answer, "detail"), HasSubstr("'sate'"));
  EXPECT_THAT(member_of(answer, "detail"), HasSubstr("state, prefix, limit, after"));
  EXPECT_EQ(api.ask("HEAD", "/v1/groups?sate=Stable").status, 400);
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders?dry_run=true").status, 400);
  EXPECT_TRUE(api.groups.deleted.empty()) << "a deletion has no dry run";
  EXPECT_EQ(api.ask("GET", "/v1/groups?limit=5&prefix=a").status, 200);
  EXPECT_EQ(api.ask("GET", "/livez?whatever").status, 200) << "probes of others may add what they like";
}

TEST(router, a_parameter_that_is_there_twice_is_refused_by_name) {
  api_under_test api;
  const auto answer = api.ask("POST", "/v1/groups/orders/rebalance?dry_run=false&dry_run=true", "{}");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(member_of(answer, "detail"), HasSubstr("'dry_run' is there more than once"));
  EXPECT_EQ(api.ask("POST", "/v1/topics?dry_run=true", R"({"name":"t"})").status, 400);
  EXPECT_EQ(api.ask("PUT", "/v1/topics/t/racks?dry_run=true", R"({"racks":[]})").status, 400);
  EXPECT_TRUE(api.topics.created.empty());
  EXPECT_TRUE(api.topics.racks.empty());
}

TEST(router, if_match_is_refused_where_nothing_would_look_at_it) {
  api_under_test api;
  EXPECT_EQ(api.ask("POST", "/v1/groups/orders/rebalance", "{}", {}, "\"a\"").status, 400);
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders", {}, {}, "*").status, 400);
  EXPECT_TRUE(api.groups.administered.empty());
  EXPECT_TRUE(api.groups.deleted.empty());
  EXPECT_EQ(api.ask("GET", "/v1/groups", {}, {}, "*").status, 200);
  EXPECT_EQ(api.ask("DELETE", "/v1/groups/orders/config", {}, {}, "*").status, 200);
}

TEST(router, rfc_9110_8_3_1_a_media_type_is_compared_without_letter_case_and_blanks) {
  api_under_test api;
  const auto status = [&](const char* type) {
    request asked;
    asked.method = "POST";
    asked.host = "localhost";
    asked.content_type = type;
    asked.body = R"({"name":"t"})";
    EXPECT_TRUE(parse_target("/v1/topics", asked));
    response got;
    make_router(api.parts)(std::move(asked), test::into(got));
    return got.status;
  };
  for (const auto* type : {"application/json", "Application/JSON", "application/json ; charset=utf-8"}) {
    EXPECT_EQ(status(type), 201) << type;
  }
  for (const auto* type : {"application/jsonx", "text/plain", ";application/json", "application/json x"}) {
    EXPECT_EQ(status(type), 415) << type;
  }
}

TEST(router, a_name_that_is_empty_is_told_so) {
  request asked;
  const auto read = parse_target("/v1/groups/g/processes//drain", asked);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("is empty"));
  request probe;
  EXPECT_TRUE(parse_target("//livez", probe));
  request list;
  EXPECT_TRUE(parse_target("/v1/groups/", list));
}

TEST(openapi, is_served_as_yaml_and_as_json) {
  EXPECT_EQ(api_under_test().ask("GET", "/openapi.yaml").body, openapi_yaml());
  const auto json = api_under_test().ask("GET", "/openapi.json");
  EXPECT_EQ(json.content_type, "application/json");
  const auto parsed = boost::json::parse(json.body).as_object();
  EXPECT_TRUE(parsed.at("paths").as_object().contains("/v1/groups/{group}/topology"));
}

}  // namespace
}  // namespace weir::http
