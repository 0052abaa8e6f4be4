#include "format/deployment_record.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<DeploymentRecord> record = DecodeDeploymentRecord(AsText(input));
  if (!FuzzAnswer("deployment record", record.status(), {StatusCode::kCorrupt, StatusCode::kUnimplemented})) return;
  LS_INVARIANT(record->format_version == kFormatVersion && record->epoch >= 1 && record->metadata_shards >= 1 &&
                   record->metadata_shards <= 256 && !record->wal_root.empty() && !record->compacted_root.empty(),
               "fields are in range");
  LS_INVARIANT(record->grace_ms / 10 >= record->publish_deadline_ms + record->index_deadline_ms, "grace is long enough");
  const Result<std::string> again = EncodeDeploymentRecord(*record);
  LS_INVARIANT(again.ok(), "what is taken can be written: " + again.status().ToString());
  const Result<DeploymentRecord> back = DecodeDeploymentRecord(*again);
  LS_INVARIANT(back.ok() && *back == *record && *EncodeDeploymentRecord(*back) == *again, "what is written comes back");
}

}  // namespace lakestream
