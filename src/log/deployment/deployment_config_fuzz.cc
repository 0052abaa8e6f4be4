#include "log/deployment/deployment_config.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<DeploymentOptions> options = ParseDeploymentConfig(AsText(input), "d.toml");
  if (!FuzzAnswer("configuration", options.status(), {StatusCode::kInvalidArgument}, {"file=d.toml"})) return;
  LS_INVARIANT(!options->metadata_url.empty() && !options->wal_url.empty() && !options->compacted_url.empty(),
               "every url is given");
  LS_INVARIANT(!options->create, "a configuration makes no deployment");
  const WriterOptions& writer = options->writer;
  LS_INVARIANT(writer.max_entry_bytes >= 0 && writer.target_object_bytes >= 0 && writer.max_queued_bytes >= 0 &&
                   writer.max_puts_in_flight >= 0 && options->reader.cache_bytes >= 0,
               "sizes are not negative");
}

}  // namespace lakestream
