#include "cli/groups_commands.hpp"

#include <memory>

#include "cli/groups.hpp"
#include "cli/groups_change.hpp"
#include "cli/groups_offsets.hpp"
#include "cli/groups_plan.hpp"
#include "cli/groups_rehearse.hpp"
#include "cli/groups_timeline.hpp"
#include "group/what_if.hpp"

namespace weir::cli {
namespace {

void add_common(CLI::App& to, admin_options& options) {
  to.add_option("--http", options.url, "URL of Weir's admin API, http:// or https://")->capture_default_str();
  to.add_option("--ca-file", options.ca_file, "PEM file of the certificates to trust; else those of the system");
  to.add_flag("--json", options.json, "JSON instead of tables");
}

void add_token(CLI::App& to, admin_options& options) {
  to.add_option("--token-file", options.token_file,
                "File with the bearer token; without it, the environment variable WEIR_HTTP_TOKEN");
}

/// An option that may be given again, one value each time.
void add_many(CLI::App& to, const std::string& name, std::vector<std::string>& values, const std::string& about) {
  to.add_option(name, values, about)->allow_extra_args(false);
}

void add_list(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("list", "All groups");
  const auto options = std::make_shared<groups_options>();
  add_common(*command, *options);
  command->add_option("--state", options->state,
                      "Only groups in this state: Empty, NotReady, Assigning, Reconciling, Stable, Dead, Unknown, "
                      "PreparingRebalance, CompletingRebalance");
  command->add_option("--prefix", options->prefix, "Only groups whose id begins with this");
  command->callback([options, &status] { status = print(list_groups(*options)); });
}

void add_describe(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("describe", "Members, tasks, settings and timeline of one group");
  const auto options = std::make_shared<groups_options>();
  add_common(*command, *options);
  command->add_option("group", options->group, "Group id")->required();
  command->callback([options, &status] { status = print(describe_group(*options)); });
}

void add_timeline(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("timeline", "Why a group was rebalanced, newest first");
  const auto options = std::make_shared<timeline_options>();
  add_common(*command, *options);
  command->add_option("--cause", options->cause, "Only events of this cause, e.g. member-joined");
  command->add_option("--limit", options->limit, "How many events")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_flag("--moves", options->moves, "Also which tasks moved");
  command->add_option("group", options->group, "Group id")->required();
  command->callback([options, &status] { status = print(show_timeline(*options)); });
}

void add_offsets(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("offsets", "How far a group has read its topics: committed offsets, ends, lag");
  const auto options = std::make_shared<offsets_options>();
  add_common(*command, *options);
  command->add_option("--topic", options->topic, "Only the partitions of this topic");
  command->add_flag("--summary", options->summary, "Only the sums of the subtopologies and of the group");
  command->add_option("group", options->group, "Group id")->required();
  command->callback([options, &status] { status = print(show_offsets(*options)); });
}

void add_what_if(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("what-if", "What would happen to a group; changes nothing");
  const auto options = std::make_shared<what_if_options>();
  add_common(*command, *options);
  add_token(*command, *options);
  command->add_option("--assignor", options->assignor, "Another assignor, any that is built in");
  add_many(*command, "--set", options->values, "A setting of the group as name=value; may be given again");
  add_many(*command, "--add-process", options->added, "A process that joins: PROCESS, or PROCESS=MEMBERS");
  add_many(*command, "--remove-member", options->removed_members, "A member that leaves");
  add_many(*command, "--remove-process", options->removed_processes, "A process whose members leave");
  add_many(*command, "--drain", options->drained_processes, "A process that is drained");
  add_many(*command, "--partitions", options->partitions, "A topic with other partitions: TOPIC=COUNT");
  command->add_option("group", options->group, "Group id")->required();
  command->callback([options, &status] { status = print(what_if_group(*options)); });
}

void add_rehearse(CLI::App& groups, exit_status& status) {
  auto* command =
      groups.add_subcommand("rehearse", "What the move from the classic protocol would bring; changes nothing");
  const auto options = std::make_shared<rehearse_options>();
  add_common(*command, *options);
  add_token(*command, *options);
  command->add_option("--topology", options->topology, "File with its topology, as of `weir simulate`")->required();
  command->add_option("--processes", options->processes, "How many instances")
      ->check(CLI::Range(1, group::added_members_max))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Stream threads of each instance")
      ->check(CLI::Range(1, group::added_members_max))
      ->capture_default_str();
  command->add_option("--client-config", options->client_file, "The application's settings, a properties file");
  add_many(*command, "--client", options->client, "One of its settings as name=value; may be given again");
  add_many(*command, "--set", options->values, "A setting of the group to be made before, name=value");
  command->add_option("group", options->group, "Group id: the application id")->required();
  command->callback([options, &status] { status = print(rehearse_group(*options)); });
}

/// A command that changes something, or prints the plan.
std::shared_ptr<change_options> add_change(CLI::App& command, bool has_plan) {
  auto options = std::make_shared<change_options>();
  add_common(command, *options);
  add_token(command, *options);
  if (has_plan) command.add_flag("--dry-run", options->dry_run, "Only say what would be done");
  command.add_option("group", options->group, "Group id")->required();
  return options;
}

void add_set(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("set", "Change the settings of a group, in force at once");
  const auto options = add_change(*command, true);
  add_many(*command, "--unset", options->unset, "A setting that goes back to the broker's value; may be given again");
  command->add_flag("--replace", options->replace, "All other settings of the group go");
  command->add_option("value", options->values, "name=value, e.g. streams.num.standby.replicas=1");
  command->callback([options, &status] { status = print(set_config(*options)); });
}

void add_defaults(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("defaults", "Show or change what groups have that say nothing else");
  const auto options = std::make_shared<change_options>();
  add_common(*command, *options);
  add_token(*command, *options);
  command->add_flag("--dry-run", options->dry_run, "Only say what would be done");
  add_many(*command, "--unset", options->unset, "A default that goes back to the configuration's value");
  command->add_flag("--replace", options->replace, "All other defaults go back to the configuration's values");
  command->add_option("value", options->values, "name=value, e.g. streams.num.standby.replicas=1");
  command->callback([options, &status] { status = print(set_defaults(*options)); });
}

void add_rest(CLI::App& groups, exit_status& status) {
  auto* rebalance = groups.add_subcommand("rebalance", "Compute a new assignment now");
  const auto of_rebalance = add_change(*rebalance, true);
  rebalance->callback([of_rebalance, &status] { status = print(rebalance_group(*of_rebalance)); });

  auto* remove = groups.add_subcommand("remove-member", "Take a member out; one that is alive joins again");
  const auto of_remove = add_change(*remove, true);
  remove->add_option("member", of_remove->member, "Member id, or instance id of a static member")->required();
  remove->callback([of_remove, &status] { status = print(remove_member(*of_remove)); });

  auto* drain = groups.add_subcommand("drain", "Move all tasks of a process away before it is stopped");
  const auto of_drain = add_change(*drain, true);
  drain->add_flag("--undo", of_drain->undo, "Give it tasks again");
  drain->add_option("process", of_drain->process, "Process id")->required();
  drain->callback([of_drain, &status] { status = print(drain_process(*of_drain)); });

  auto* gone = groups.add_subcommand("delete", "Delete a group that has no members, with its offsets");
  const auto of_delete = add_change(*gone, false);
  gone->callback([of_delete, &status] { status = print(delete_group(*of_delete)); });
}

}  // namespace

void add_group_commands(CLI::App& groups, exit_status& status) {
  add_list(groups, status);
  add_describe(groups, status);
  add_timeline(groups, status);
  add_offsets(groups, status);
  add_what_if(groups, status);
  add_rehearse(groups, status);
  add_set(groups, status);
  add_defaults(groups, status);
  add_rest(groups, status);
}

}  // namespace weir::cli
