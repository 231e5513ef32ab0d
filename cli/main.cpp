// weir: one program, its commands.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/completion.hpp"
#include "cli/config.hpp"
#include "cli/exit_status.hpp"
#include "cli/group_transfer.hpp"
#include "cli/groups_commands.hpp"
#include "cli/nearest.hpp"
#include "cli/serve.hpp"
#include "cli/settings.hpp"
#include "cli/simulate.hpp"
#include "cli/wiring.hpp"

namespace weir::cli {
namespace {

/// --config and --set, of every command that has a configuration.
struct config_flags {
  std::string file;
  std::vector<std::string> sets;

  void add_to(CLI::App& command) {
    command.add_option("--config", file, "Configuration file (TOML)");
    command.add_option("--set", sets, "A setting as key=value; wins over environment and file; may be given again")
        ->allow_extra_args(false);
  }
  [[nodiscard]] config_sources sources() const {
    return {file.empty() ? std::nullopt : std::optional(file), process_environment(), sets};
  }
};

void add_serve(CLI::App& app, exit_status& status) {
  auto* command = app.add_subcommand("serve", "Run Weir until SIGTERM or Ctrl-C");
  const auto flags = std::make_shared<config_flags>();
  flags->add_to(*command);
  command->callback([flags, &status] { status = serve(flags->sources()); });
}

exit_status check_config(const config_flags& flags) {
  const auto good = configure(flags.sources());
  if (!good) return report(good.error(), wrong_input);
  for (const std::string& warning : good->warnings()) fmt::print("warning: {}\n", warning);
  fmt::print("the configuration is good\n");
  return ended_well;
}

struct print_flags : config_flags {
  bool effective = false;
  bool origin = false;
  bool template_only = false;
};

exit_status print_configuration(const print_flags& flags) {
  if (flags.template_only) return print(config_template());
  const auto loaded = config::load(flags.sources());
  if (!loaded) return report(loaded.error(), wrong_input);
  return print(print_config(*loaded, flags.effective, flags.origin));
}

void add_config(CLI::App& app, exit_status& status) {
  auto* command = app.add_subcommand("config", "Check or print the configuration")->require_subcommand(1);
  auto* check = command->add_subcommand("check", "Name every mistake of the configuration, and what may not be meant");
  const auto check_with = std::make_shared<config_flags>();
  check_with->add_to(*check);
  check->callback([check_with, &status] { status = check_config(*check_with); });

  auto* show = command->add_subcommand("print", "Print what differs from the defaults, as TOML");
  const auto show_with = std::make_shared<print_flags>();
  show_with->add_to(*show);
  show->add_flag("--effective", show_with->effective, "Also what is a default");
  show->add_flag("--origin", show_with->origin, "Where each value comes from");
  show->add_flag("--template", show_with->template_only, "A file with every key and its default");
  show->callback([show_with, &status] { status = print_configuration(*show_with); });
}

/// What export and import have in common.
struct transfer_flags : config_flags {
  std::string data_dir;
  std::vector<std::string> groups;
  std::string format;
  bool forget_topic_ids = false;

  void add_to(CLI::App& command, const std::string& about_format) {
    command.add_option("--data-dir", data_dir, "Data folder; without it, data.dir of the configuration");
    config_flags::add_to(command);
    command.add_option("--group", groups, "Only this group; may be given several times")->allow_extra_args(false);
    command.add_option("--format", format, about_format)->check(CLI::IsMember({"jsonl", "kafka"}));
    command.add_flag("--forget-topic-ids", forget_topic_ids, "Offsets by topic name only: ids differ elsewhere");
  }
  [[nodiscard]] dump_format chosen() const { return format == "kafka" ? dump_format::kafka : dump_format::jsonl; }
  [[nodiscard]] result<std::string> folder() const {
    if (!data_dir.empty()) return data_dir;
    const auto loaded = config::load(sources());
    if (!loaded) return tl::unexpected(loaded.error());
    return loaded->text("data.dir");
  }
};

struct export_flags : transfer_flags {
  export_options options;
  std::string partition;
};

exit_status run_export(export_flags& flags) {
  const auto folder = flags.folder();
  if (!folder) return report(folder.error(), wrong_input);
  if (!flags.partition.empty()) {
    const auto partition = parse_partition(flags.partition);
    if (!partition) return report(partition.error(), wrong_input);
    flags.options.partition = *partition;
  }
  flags.options.data_dir = *folder;
  flags.options.groups = flags.groups;
  flags.options.format = flags.chosen();
  flags.options.forget_topic_ids = flags.forget_topic_ids;
  const auto told = export_groups(flags.options, std::cout, system_clock().now_ms());
  if (!told) return report(told.error());
  fmt::print(stderr, "{}", *told);  // standard output may be the export
  return ended_well;
}

void add_export(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("export", "Write groups of a data folder that no server has open");
  const auto flags = std::make_shared<export_flags>();
  flags->add_to(*command, "jsonl (default): a line for each record; kafka: record batches");
  command->add_option("--partition", flags->partition, "Only groups that Kafka keeps in this partition: 7/50");
  command->add_option("--output", flags->options.output, "File to write; without it, standard output");
  command->callback([flags, &status] { status = run_export(*flags); });
}

struct import_flags : transfer_flags {
  import_options options;
};

void add_import(CLI::App& groups, exit_status& status) {
  auto* command = groups.add_subcommand("import", "Read groups into a data folder that no server has open");
  const auto flags = std::make_shared<import_flags>();
  flags->add_to(*command, "jsonl or kafka; without it, by the first byte of each file");
  command->add_flag("--replace", flags->options.replace, "Replace groups that the folder has");
  command->add_flag("--dry-run", flags->options.dry_run, "Only say what would be done");
  command->add_option("file", flags->options.files, "Exports, segments (*.log), or folders of segments")->required();
  command->callback([flags, &status] {
    const auto folder = flags->folder();
    if (!folder) {
      status = report(folder.error(), wrong_input);
      return;
    }
    if (!flags->format.empty()) flags->options.format = flags->chosen();
    flags->options.data_dir = *folder;
    flags->options.groups = flags->groups;
    flags->options.forget_topic_ids = flags->forget_topic_ids;
    status = print(import_groups(flags->options));
  });
}

void add_groups(CLI::App& app, exit_status& status) {
  auto* command = app.add_subcommand("groups", "Look at groups, change them, or move them")->require_subcommand(1);
  add_group_commands(*command, status);
  add_export(*command, status);
  add_import(*command, status);
}

void add_completion(CLI::App& app, exit_status& status) {
  auto* command = app.add_subcommand("completion", "Print a script that completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &status] { status = print(completion_script(app, *shell)); });
}

struct simulate_flags {
  simulate_options options;
  std::string bootstrap = "127.0.0.1:9092";
  std::string topology;
  std::int64_t seconds = 0;
};

exit_status run_simulation(simulate_flags& flags) {
  const auto address = parse_listener("PLAINTEXT://" + flags.bootstrap, "PLAINTEXT");
  if (!address) {
    return report({fmt::format("--bootstrap must have the form host:port, not '{}'", flags.bootstrap)}, wrong_input);
  }
  flags.options.host = address->host.empty() ? "127.0.0.1" : address->host;
  flags.options.port = address->port;
  if (!flags.topology.empty()) flags.options.topology_file = flags.topology;
  if (flags.seconds > 0) flags.options.seconds = flags.seconds;
  const auto simulated = simulate(flags.options);
  return simulated ? ended_well : report(simulated.error());
}

void add_simulate(CLI::App& app, exit_status& status) {
  auto* command = app.add_subcommand("simulate", "Join a group like a Kafka Streams application would, and watch it");
  const auto flags = std::make_shared<simulate_flags>();
  command->add_option("--processes", flags->options.processes, "Processes")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--threads", flags->options.threads, "Threads of each process")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--topology", flags->topology,
                      "Topology of your own, a TOML or JSON file; without it, word count");
  command->add_option("--group", flags->options.group, "Group (application) id")->capture_default_str();
  command->add_option("--bootstrap", flags->bootstrap, "host:port of Weir's Kafka listener")->capture_default_str();
  command->add_option("--for", flags->seconds, "Leave after so many seconds; without it, at Ctrl-C")
      ->check(CLI::Range(1, 86'400));
  command->callback([flags, &status] { status = run_simulation(*flags); });
}

/// What is wrong with the leading words of the command line, if they are to be commands.
std::optional<std::string> wrong_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  std::string above = app.get_name();
  for (int i = 1;; ++i) {
    const auto commands = at->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || (i < argc && argv[i][0] == '-')) return std::nullopt;
    std::vector<std::string_view> names;
    for (const CLI::App* each : commands) names.push_back(each->get_name());
    const auto all = fmt::format("the commands of `{}` are {}", above, fmt::join(names, ", "));
    if (i == argc) return fmt::format("a command is missing; {}", all);
    const std::string_view word = argv[i];
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const auto near = nearest(word, names);
      const auto meant = near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near);
      return fmt::format("unknown command '{}'; {}{}", word, meant, all);
    }
    at = commands[static_cast<std::size_t>(found - names.begin())];
    above += fmt::format(" {}", word);
  }
}

int run(int argc, char** argv) {
  CLI::App app("Weir: a streams group coordinator for Kafka Streams", "weir");
  exit_status status = ended_well;
  app.set_version_flag("--version", "weir " + version());
  app.footer("`weir COMMAND --help` has the options of a command. `weir config print --template` lists every setting.");
  app.require_subcommand(1);
  add_serve(app, status);
  add_config(app, status);
  add_groups(app, status);
  add_simulate(app, status);
  add_completion(app, status);
  if (const auto wrong = wrong_command(app, argc, argv)) return report({*wrong}, wrong_input);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stopped) {
    if (stopped.get_exit_code() == 0) return static_cast<exit_status>(app.exit(stopped));
    return report({fmt::format("{}; --help lists what there is", stopped.what())}, wrong_input);
  }
  if (status == ended_well && (!std::cout.flush() || std::fflush(stdout) != 0)) {
    return report({"cannot write to standard output"}, failed);
  }
  return status;
}

/// Standard input, output and error are open from here on. If the caller has closed them, the next files to be opened
/// would take their numbers, and what is printed would go into the data file.
bool open_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    if (::open("/dev/null", O_RDWR) != descriptor) return false;  // the lowest free number
  }
  return true;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::open_standard_streams() ? weir::cli::run(argc, argv) : 1; }
