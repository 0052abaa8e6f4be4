#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "cli/argument_values.h"
#include "lakestream/status.h"

// What a command line that was parsed has named.

namespace lakestream {

/// The path of the command that was named, for example "stream create".
inline std::string NamedCommand(const CLI::App& app) {
  std::string path;
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += (path.empty() ? "" : " ") + at->get_name();
  }
  return path;
}

/// What is wrong with words that found no place.
inline Status Misplaced(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  const std::string named = NamedCommand(app);
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string option = word.substr(0, word.find('='));
    if (at->get_option_no_throw(option) != nullptr) return Wrong("put " + option + " behind the command", named);
    return Wrong("there is no option \"" + option + "\"", named);
  }
  const std::string word = words.empty() ? "" : words.front();
  const bool group = !at->get_subcommands(std::function<bool(const CLI::App*)>()).empty();
  if (group) return Wrong("there is no command \"" + named + (named.empty() ? "" : " ") + word + "\"", named);
  return Wrong("\"" + word + "\" is one word too many", named);
}

}  // namespace lakestream
