#pragma once

#include <string>

#include "cli/output.h"

namespace lakestream {

struct HelpOptions {
  std::string text;  ///< what to print, from the definition of the options
};

int RunHelp(Output& out, const HelpOptions& options);

/// What each exit code means, for the end of a help text.
extern const char* const kExitCodeHelp;

}  // namespace lakestream
