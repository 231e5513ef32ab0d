// What is told of web hooks: how deliveries go, and nothing that is secret.
#include "http/resources/webhooks.hpp"

#include <gmock/gmock.h>

#include "fakes.hpp"
#include "http/json_reader.hpp"

namespace weir::http {
namespace {

using test::api_under_test;
using ::testing::HasSubstr;
using ::testing::Not;

webhook_about pager() {
  return {.name = "pager", .origin = "https://pager.example:443", .causes = {"member-left"}, .has_token = true,
          .queue_max = 5};
}

std::string at(const json_value& of, std::string_view name) { return of.find(name)->plain(); }

TEST(webhooks_resource, is_an_empty_list_without_hooks) {
  const auto got = api_under_test().ask("GET", "/v1/webhooks");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "{\"items\":[],\"next\":null}\n");
}

TEST(webhooks_resource, tells_what_became_of_events_and_why_the_last_one_failed) {
  const auto status = std::make_shared<webhook_status>(pager());
  api_under_test api;
  api.parts.webhooks = [status] { return std::vector{status->now()}; };
  const auto first = [&] {
    const auto page = parse_json(api.ask("GET", "/v1/webhooks").body);
    return page->find("items")->as<json_items>()->at(0);
  };
  const auto fresh = first();
  EXPECT_EQ(at(fresh, "server"), "https://pager.example:443");
  EXPECT_EQ(fresh.find("causes")->as<json_items>()->at(0).plain(), "member-left");
  EXPECT_EQ(at(fresh, "has_token"), "true");
  EXPECT_EQ(at(fresh, "delivered"), "0");
  EXPECT_EQ(fresh.find("last_delivery")->kind(), "null");
  EXPECT_EQ(fresh.find("last_failure")->kind(), "null");

  status->note_queue(3);
  status->note_failure("answered 500");
  status->note(webhook_outcome::delivered);
  status->note(webhook_outcome::given_up);
  status->note(webhook_outcome::refused);
  status->note(webhook_outcome::refused);
  for (int i = 0; i < 3; ++i) status->note(webhook_outcome::dropped);
  const auto later = first();
  EXPECT_EQ(at(later, "queued"), "3");
  EXPECT_EQ(at(later, "queue_max"), "5");
  EXPECT_EQ(at(later, "attempts_failed"), "1");
  EXPECT_EQ(at(later, "delivered"), "1");
  EXPECT_EQ(at(later, "given_up"), "1");
  EXPECT_EQ(at(later, "refused"), "2");
  EXPECT_EQ(at(later, "dropped"), "3");
  EXPECT_THAT(at(later, "last_delivery"), ::testing::EndsWith("Z"));
  EXPECT_EQ(at(*later.find("last_failure"), "text"), "answered 500");
  EXPECT_THAT(at(*later.find("last_failure"), "time"), ::testing::EndsWith("Z"));
}

TEST(webhooks_resource, never_tells_a_token_nor_path_and_query_of_the_address) {
  actors::event_feed feed;
  webhook hook{.name = "pager", .url = *parse_url("http://127.0.0.1:9/secret-path?key=secret-query"), .causes = {},
               .token = "secret-token"};
  api_under_test api;
  {
    auto hooks = webhooks::start({.hooks = {std::move(hook)}, .limits = {}, .ca_file = {}, .user_agent = "t"}, feed);
    ASSERT_TRUE(hooks);
    api.parts.webhooks = (*hooks)->watch();
    const auto told = api.ask("GET", "/v1/webhooks").body;
    EXPECT_THAT(told, HasSubstr("\"http://127.0.0.1:9\""));
    EXPECT_THAT(told, HasSubstr("\"has_token\":true"));
    EXPECT_THAT(told, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(api.ask("GET", "/v1/webhooks").body, HasSubstr("pager")) << "it can be asked while Weir stops";
}

}  // namespace
}  // namespace weir::http
