#include "log/fsck/placement.h"

#include <utility>

namespace lakestream {

Task<Status> CheckMisplaced(FsckJob& job, Partition partition, std::string key) {
  KeyRange range;
  range.from = key;
  range.to = key + std::string(1, '\0');
  std::optional<std::string> cursor = "";
  std::optional<std::int64_t> seen;
  while (cursor) {
    Task<Result<std::vector<MetadataRecord>>> next = job.NextPage(range, &cursor);
    LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await next);
    for (const MetadataRecord& record : records) {
      if (record.key == key) seen = record.version;
    }
  }
  if (!seen) co_return OkStatus();
  // It may have been written only now.
  Task<Result<ReadAnswer>> get = job.Get(partition, key);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await get);
  if (answer) co_return OkStatus();
  job.Report(
      Finding(FindingKind::kMisplacedRecord).With("record", key).With("belongs_to_partition", partition.name()));
  co_return OkStatus();
}

}  // namespace lakestream
