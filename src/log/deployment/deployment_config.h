#pragma once

#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "log/deployment/deployment.h"

namespace lakestream {

/// A deployment in one folder: DIR/meta (LMDB), DIR/wal and DIR/compacted (files). A relative path starts at
/// the working directory.
DeploymentOptions EmbeddedDeployment(std::string directory);

/// Reads a TOML file:
///
///   metadata = "lmdb:///var/lib/lakestream/meta"
///   wal = "file:///var/lib/lakestream/wal"
///   compacted = "file:///var/lib/lakestream/compacted"
///   compactor_family = "lakestream"  # of a new deployment; others leave compaction to other programs
///   [times]                      # of a new deployment; an existing one keeps its own
///   publish_deadline = "30s"
///   index_deadline = "30s"
///   grace = "24h"
///   [writer]                     # the fields of WriterOptions by their names
///   linger_max = "250ms"
///   [reader]                     # the fields of ReaderOptions by their names
///   cache_bytes = 67108864
///
/// Blocks. Errors: not_found (no file), unavailable (it cannot be read), invalid_argument (broken TOML, an
/// unknown key, a bad value; key and line are named).
Result<DeploymentOptions> LoadDeploymentConfig(const std::string& path);

/// The same from text; `name` is the file's name, for messages.
Result<DeploymentOptions> ParseDeploymentConfig(std::string_view text, std::string_view name);

}  // namespace lakestream
