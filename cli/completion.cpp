#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <vector>

namespace weir::cli {
namespace {

/// A word that can follow a command.
struct word {
  std::string text;
  std::string about;
  bool takes_value = false;
};
struct command {
  std::string path;  ///< `weir groups list`
  std::vector<word> commands;
  std::vector<word> options;

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> out;
    for (const auto& one : commands) out.push_back(one.text);
    for (const auto& one : options) out.push_back(one.text);
    return out;
  }
};

void collect(const CLI::App& app, const std::string& path, std::vector<command>& into) {
  command made{path, {}, {}};
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      made.options.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
    }
  }
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (const auto* each : all) made.commands.push_back({each->get_name(), each->get_description(), false});
  into.push_back(std::move(made));
  for (const auto* each : all) collect(*each, path + " " + each->get_name(), into);
}

/// 'text' for a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// `'weir serve'|'weir groups'`: the paths below the program itself.
std::string known_paths(const std::vector<command>& all, std::string_view separator) {
  std::vector<std::string> paths;
  for (const auto& one : all) {
    if (one.path.find(' ') != std::string::npos) paths.push_back(in_quotes(one.path));
  }
  return fmt::format("{}", fmt::join(paths, separator));
}

/// The common part of bash and zsh: which command the words before the cursor name.
std::string find_command(const std::vector<command>& all, std::string_view words) {
  return fmt::format(
      "  local at=weir word\n  for word in {}; do\n    case \"$at $word\" in\n      {}) at=\"$at $word\" ;;\n"
      "    esac\n  done\n  case \"$at\" in\n",
      words, known_paths(all, "|"));
}

std::string bash(const std::vector<command>& all) {
  std::string out = "# source <(weir completion bash)\n_weir() {\n  local words=\n";
  out += find_command(all, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"");
  for (const auto& one : all) {
    out += fmt::format("    {}) words={} ;;\n", in_quotes(one.path),
                       in_quotes(fmt::format("{}", fmt::join(one.words(), " "))));
  }
  return out + "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
               "complete -o default -F _weir weir\n";
}

std::string zsh(const std::vector<command>& all) {
  std::string out = "#compdef weir\n# source <(weir completion zsh)\n_weir() {\n";
  out += find_command(all, "\"${(@)words[2,CURRENT-1]}\"");
  for (const auto& one : all) {
    out += fmt::format("    {}) compadd -- {} ;;\n", in_quotes(one.path), fmt::join(one.words(), " "));
  }
  return out + "  esac\n  [[ $PREFIX == -* ]] || _files\n}\n"
               "if [[ $funcstack[1] == _weir ]]; then _weir \"$@\"; else compdef _weir weir; fi\n";
}

std::string fish(const std::vector<command>& all) {
  std::string out = fmt::format(
      "# weir completion fish | source\nfunction __weir_at\n  set -l at weir\n"
      "  for word in (commandline -opc)[2..-1]\n    switch \"$at $word\"\n      case {}\n        set at \"$at $word\"\n"
      "    end\n  end\n  test \"$at\" = \"$argv\"\nend\n",
      known_paths(all, " "));
  for (const auto& one : all) {
    const auto here = in_quotes("__weir_at " + one.path);
    for (const auto& each : one.commands) {
      out += fmt::format("complete -c weir -f -n {} -a {} -d {}\n", here, each.text, in_quotes(each.about));
    }
    for (const auto& each : one.options) {
      out += fmt::format("complete -c weir -n {} -l {}{} -d {}\n", here, each.text.substr(2),
                         each.takes_value ? " -r" : "", in_quotes(each.about));
    }
  }
  return out;
}

}  // namespace

result<std::string> completion_script(const CLI::App& app, std::string_view shell) {
  std::vector<command> all;
  collect(app, app.get_name(), all);
  if (shell == "bash") return bash(all);
  if (shell == "zsh") return zsh(all);
  if (shell == "fish") return fish(all);
  return fail(fmt::format("there is no script for '{}': bash, zsh or fish", shell));
}

}  // namespace weir::cli
