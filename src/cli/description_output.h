#pragma once

#include "cli/environment.h"
#include "format/description.h"

namespace lakestream {

/// Prints the tree, as text or as one JSON object, then what is damaged. Returns the exit code.
int PrintDescription(Environment& environment, Description description, bool json);

}  // namespace lakestream
