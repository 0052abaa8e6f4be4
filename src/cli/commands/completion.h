#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"

namespace lakestream {

/// A command as the grammar of the command line has it.
struct CommandShape {
  std::string name;                    ///< of the whole: "lakestream"
  std::vector<CommandShape> commands;  ///< below it
  std::vector<std::string> options;    ///< "--json", "-q"
  std::vector<std::string> values;     ///< of these: what takes a value
  std::vector<std::string> paths;      ///< of these: where the value is a file or a folder
};

enum class Shell { kBash, kZsh };

struct CompletionOptions {
  Shell shell = Shell::kBash;
  CommandShape commands;
};

/// A script that makes the shell complete this command.
std::string CompletionScript(Shell shell, const CommandShape& commands);

int RunCompletion(Output& out, const CompletionOptions& options);

}  // namespace lakestream
