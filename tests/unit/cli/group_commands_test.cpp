// `weir groups ...`: what the commands send, how they show answers (canned documents), and shell completion.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

#include "cli/admin_client.hpp"
#include "cli/completion.hpp"
#include "cli/groups_change.hpp"
#include "cli/groups_commands.hpp"
#include "cli/groups_offsets.hpp"
#include "cli/groups_plan.hpp"
#include "cli/groups_rehearse.hpp"
#include "cli/groups_timeline.hpp"
#include "cli/output.hpp"
#include "http/json_reader.hpp"
#include "http/json_writer.hpp"

namespace weir::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

http::json_value document(std::string_view text) {
  auto read = http::parse_json(text);
  EXPECT_TRUE(read) << text;
  return read ? *std::move(read) : http::json_value();
}

TEST(groups_set, sends_values_and_what_is_to_go) {
  change_options options;
  options.values = {"streams.num.standby.replicas=1", "streams.rack.aware.assignment.tags=zone,a=\"b\""};
  options.unset = {"streams.assignor.name"};
  EXPECT_EQ(config_body(options).value(),
            R"({"streams.num.standby.replicas":"1","streams.rack.aware.assignment.tags":"zone,a=\"b\"",)"
            R"("streams.assignor.name":null})");
  options.values = {"streams.num.standby.replicas"};
  EXPECT_THAT(config_body(options).error().message, HasSubstr("streams.num.standby.replicas"));
}

TEST(groups_defaults, shows_settings_groups_and_who_changed_what) {
  const auto text = defaults_text(document(
      R"({"config":[{"group_name":"streams.num.standby.replicas","value":"1","origin":"run time"}],
          "groups":["orders"],"groups_total":1,
          "history":[{"time":"2026-01-02T03:04:05.000Z","by":"ann",
                      "changes":[{"what":"streams.num.standby.replicas","old":"none","new":"1"}]}]})"), true);
  for (const auto* part : {"run time", "Groups that would get another assignment: 1", "orders", "ann", "none"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(groups_rehearse, reads_properties_and_shows_every_part) {
  EXPECT_EQ(read_properties("# a\\\n\n a = 1 \r\nb: x\\\n  =y\n!c\nd=").value(),
            (std::vector<std::string>{"a=1", "b=x=y", "d="}));
  EXPECT_TRUE(read_properties("sasl.jaas.config=a b=\\\nuser\nssl.key.PASSWORD=x").value().empty()) << "not sent";
  EXPECT_THAT(read_properties("a=1\nnonsense\n").error().message, HasSubstr("line 2"));
  const auto text = rehearsal_text(document(
      R"({"checks":[{"check":"group","status":"error","text":"stop all of them first"}],
          "topics":[{"topic":"in","role":"source","status":"ok","expected_partitions":null,"found_partitions":4}],
          "settings":[{"name":"num.standby.replicas","value":"1","in_force":"0","status":"warning","text":"1 copies"}],
          "rights":["READ on group app"],"plan":{"assignor":"sticky","moved":[]},"way_back":["stop all"]})"));
  for (const auto* part : {"stop all of them first", "in ", "1 copies", "READ on group app", "Assignor", "way back"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

constexpr std::string_view canned_offsets = R"({"problem":null,"left_out":7,
  "total":{"partitions":3,"lag":30,"without_lag":1},
  "subtopologies":[{"subtopology_id":"0","partitions":2,"lag":30,"without_lag":0}],
  "items":[{"topic":"in","partition":1,"committed_offset":70,"end_offset":100,"lag":30,"task":"0_1","member_id":"m1",
            "reason":null},
           {"topic":"else","partition":0,"committed_offset":null,"end_offset":5,"lag":null,"task":null,
            "member_id":null,"reason":"nothing is committed"}],"next":null})";

TEST(groups_offsets, shows_partitions_and_sums) {
  const auto text = offsets_text(document(canned_offsets), false);
  for (const auto* part : {"TOPIC", "in     1          70         100  30   0_1   m1", "nothing is committed",
                           "SUBTOPOLOGY  PARTITIONS  LAG  UNKNOWN", "0            2           30   0",
                           "all          3           30   1", "7 further partitions"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("Not everything")));
  const auto sums = offsets_text(document(canned_offsets), true);
  EXPECT_THAT(sums, HasSubstr("all          3           30   1"));
  EXPECT_THAT(sums, Not(HasSubstr("0_1")));
}

TEST(groups_offsets, says_what_is_not_known_and_spells_out_what_a_terminal_would_obey) {
  const auto text = offsets_text(document(
      R"({"problem":"the upstream says \u001b[2J","items":[{"topic":"\u001b[2J"}],"left_out":"\u001b[2J"})"), false);
  EXPECT_THAT(text, HasSubstr("Not everything is known: the upstream says \\x1b[2J"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(groups_list, pages_become_one_document) {
  const auto first = document(R"({"items":[{"group_id":"a"}],"next":"x"})");
  auto items = items_at(first, "items");
  items.push_back(items_at(document(R"({"items":[{"group_id":"b"}],"next":null})"), "items").front());
  EXPECT_EQ(http::json_text(joined_pages(first, items)),
            R"({"items":[{"group_id":"a"},{"group_id":"b"}],"next":null})");
}

TEST(groups_what_if, sends_the_whole_question) {
  what_if_options options;
  options.assignor = "sticky";
  options.values = {"streams.num.standby.replicas=1"};
  options.added = {"p3=2", "p4"};
  options.removed_members = {"m1"};
  options.drained_processes = {"p1"};
  options.partitions = {"in=8"};
  EXPECT_EQ(what_if_body(options).value(),
            R"({"assignor":"sticky","config":{"streams.num.standby.replicas":"1"},)"
            R"("add_members":[{"process_id":"p3","count":2},{"process_id":"p4","count":1}],"remove_members":["m1"],)"
            R"("remove_processes":[],"drain_processes":["p1"],"partitions":{"in":8}})");
  options.partitions = {"in=many"};
  EXPECT_FALSE(what_if_body(options));
  options.partitions = {};
  options.added = {"p=x"};
  EXPECT_FALSE(what_if_body(options));
}

TEST(groups_what_if, shows_moves_figures_and_notes) {
  const auto text = plan_text(document(
      R"({"assignor":"sticky","group_epoch":4,"before":{"activePerMemberMax":4.0},"after":{"activePerMemberMax":2.0},
          "moved":[{"task":"0_1","role":"active","from":"m1","to":"m2","restore":1200},
                   {"task":"0_2","role":"standby","from":null,"to":"m1","restore":null}],
          "tasks_moved":1,"state_to_restore":1200,"restores_unknown":1,"waiting":1,
          "warnings":["1 members would have no active task"]})"));
  for (const auto* part : {"1 active tasks", "1200 offsets, and 1 copies of unknown size", "1 tasks move once",
                           "no active task", "0_1", "standby", "activePerMemberMax"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(plan_text(document(R"({"moved":[]})")), HasSubstr("nothing moves"));
}

constexpr std::string_view canned_event = R"({"index":7,"time":"2026-01-02T03:04:05.000Z","cause":"member-joined",
  "group_epoch":5,"assignment_epoch":5,"member_id":"m2","process_id":"p2","client_id":"app","client_host":"/127.0.0.1",
  "changes":[{"what":"rack","old":null,"new":"r1"}],"detail":"new member","assignor":"sticky","computed_in_ms":1.5,
  "moved":[{"task":"0_1","role":"active","from":"m1","to":"m2"},{"task":"1_0","role":"warmup","from":null,"to":"m2"}],
  "tasks_moved":2,"moved_truncated":true,"stable_after_ms":800,"last_member":"m1",
  "last_reason":"unrevoked","by":"ops"})";

TEST(groups_timeline, tells_an_event_in_a_few_lines) {
  const auto text = event_text(document(canned_event), true);
  for (const auto* part : {"2026-01-02T03:04:05.000Z  member-joined", "group 5, assignment 5", "member m2", "by ops",
                           "new member", "rack: none -> r1", "2 tasks moved", "active 0_1: m1 -> m2",
                           "warmup 1_0: nobody -> m2", "and more", "stable after 800 ms", "m1: unrevoked"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(event_text(document(canned_event), false), Not(HasSubstr("0_1")));
}

TEST(groups_timeline, what_is_not_known_leaves_no_empty_words) {
  const auto text = event_text(
      document(R"({"time":"t","cause":"rebalance-requested","group_epoch":2,"assignment_epoch":1,"member_id":"",
                   "detail":"","changes":[],"moved":[],"tasks_moved":0,"stable_after_ms":null,"by":null})"), true);
  EXPECT_EQ(text, "t  rebalance-requested  group 2, assignment 1\n");
}

TEST(groups_timeline, control_characters_of_a_client_do_not_reach_the_terminal) {
  const auto text = event_text(document(R"({"cause":"member-joined","member_id":"a\u001b[2Jb"})"), false);
  EXPECT_THAT(text, HasSubstr("a\\x1b[2Jb"));
}

TEST(answers, nothing_of_them_reaches_the_terminal_unspelt) {
  const std::string evil = R"("\u001b[2J")";
  const auto event = fmt::format(
      R"({{"group_epoch":{0},"assignment_epoch":{0},"tasks_moved":{0},"stable_after_ms":{0}}})", evil);
  EXPECT_THAT(event_text(document(event), true), Not(HasSubstr("\x1b")));
  const auto plan = fmt::format(R"({{"group_epoch":{0},"tasks_moved":{0},"state_to_restore":{0},"restores_unknown":{0},
                                    "waiting":{0},"moved":[]}})", evil);
  EXPECT_THAT(plan_text(document(plan)), Not(HasSubstr("\x1b")));
  EXPECT_THAT(defaults_text(document(fmt::format(R"({{"config":[],"groups_total":{}}})", evil)), false),
              Not(HasSubstr("\x1b")));
}

TEST(answers, characters_that_turn_text_around_are_spelt_out) {
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(printable("\u200f\u2066\ufeff"), "\\xe2\\x80\\x8f\\xe2\\x81\\xa6\\xef\\xbb\\xbf");
  EXPECT_EQ(printable("\u0085"), "\\xc2\\x85");
  EXPECT_EQ(printable("gr\u00f6\u00dfe \u6f22\u5b57 \U0001f600"), "gr\u00f6\u00dfe \u6f22\u5b57 \U0001f600");
}

TEST(answers, of_something_that_is_no_weir_are_errors) {
  for (const auto* body : {"", "null", "[]", "1", "\"x\"", "{}", R"({"items":null})", R"({"items":{"a":1}})"}) {
    const auto read = read_list_answer(body, "items");
    ASSERT_FALSE(read) << body;
    EXPECT_THAT(read.error().message, HasSubstr("is that a Weir?")) << body;
  }
  EXPECT_TRUE(read_list_answer(R"({"items":[]})", "items"));
  EXPECT_TRUE(read_answer(R"({"group_epoch":3})", "group_epoch"));
}

std::string script(const std::string& shell) {
  CLI::App app("a program", "weir");
  exit_status status = ended_well;
  auto* groups = app.add_subcommand("groups", "Groups' own");
  add_group_commands(*groups, status);
  const auto made = completion_script(app, shell);
  EXPECT_TRUE(made) << shell;
  return made.value_or("");
}

TEST(completion, knows_every_command_and_its_options) {
  EXPECT_THAT(script("bash"), HasSubstr("'weir groups') words='list describe timeline offsets what-if rehearse set "
                                        "defaults rebalance remove-member drain delete --help'"));
  EXPECT_THAT(script("bash"), HasSubstr("'weir groups what-if') words="));
  EXPECT_THAT(script("zsh"), HasSubstr("'weir groups drain') compadd -- "));
  EXPECT_THAT(script("fish"), HasSubstr("complete -c weir -f -n '__weir_at weir' -a groups -d 'Groups'\\'' own'"));
  EXPECT_THAT(script("fish"), HasSubstr("-n '__weir_at weir groups set' -l unset -r"));
  EXPECT_FALSE(completion_script(CLI::App(), "csh"));
}

}  // namespace
}  // namespace weir::cli
