#include "cli/commands/completion.h"

#include <fmt/format.h>

#include "cli/exit_code.h"

namespace lakestream {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// "/stream", "/stream/create", ...: every command below this one.
void AddPaths(const CommandShape& command, const std::string& path, std::vector<std::string>* paths) {
  for (const CommandShape& below : command.commands) {
    const std::string full = path + "/" + below.name;
    paths->push_back(full);
    AddPaths(below, full, paths);
  }
}

void AddCases(const CommandShape& command, const std::string& path, std::string* text) {
  std::vector<std::string> names;
  for (const CommandShape& below : command.commands) names.push_back(below.name);
  *text += fmt::format("    '{}') commands='{}' options='{}' values='{}' paths='{}' ;;\n", path, Joined(names),
                       Joined(command.options), Joined(command.values), Joined(command.paths));
  for (const CommandShape& below : command.commands) AddCases(below, path + "/" + below.name, text);
}

}  // namespace

std::string CompletionScript(Shell shell, const CommandShape& commands) {
  std::vector<std::string> paths;
  AddPaths(commands, "", &paths);
  std::string known;
  for (const std::string& path : paths) known += (known.empty() ? "" : "|") + path;
  std::string cases;
  AddCases(commands, "", &cases);
  std::string script = shell == Shell::kZsh ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  script += fmt::format(R"(_{0}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local at='' i commands='' options='' values='' paths=''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$at/${{COMP_WORDS[i]}}" in
      {1}) at="$at/${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$at" in
{2}  esac
  COMPREPLY=()
  if [[ " $values " == *" $before "* && " $paths " != *" $before "* ]]; then
    return
  elif [[ " $paths " != *" $before "* && "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ " $paths " != *" $before "* && -n "$commands" ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$word"))
  else
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _{0} {0}
)",
                        commands.name, known, cases);
  return script;
}

int RunCompletion(Output& out, const CompletionOptions& options) {
  out.Write(CompletionScript(options.shell, options.commands));
  return kExitOk;
}

}  // namespace lakestream
