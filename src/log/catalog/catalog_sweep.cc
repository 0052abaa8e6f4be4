#include "log/catalog/catalog_sweep.h"

#include <limits>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/catalog/binding.h"
#include "log/catalog/namespaces.h"
#include "log/catalog/stream_drop.h"
#include "log/catalog/stream_lister.h"

namespace lakestream {

namespace {

/// One look: a log that somebody has a lease on stays.
DrainOptions NoWaiting() {
  DrainOptions drain;
  drain.timeout = Duration(0);
  return drain;
}

bool IsHeld(const Status& status) { return status.code() == StatusCode::kPreconditionFailed; }

std::optional<std::int32_t> PartitionOfSuffix(std::string_view digits) {
  const std::optional<std::int64_t> number = ParseDecimal(digits);
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

}  // namespace

Task<Result<SweepReport>> CatalogSweep::Run(OpContext context, std::optional<StreamIdentifier> only) {
  Task<Status> sweep = only ? SweepNamespace(context, only->ns, only->name) : SweepAll(context);
  const Status swept = co_await sweep;
  if (swept.ok()) co_return report_;
  co_return report_.dropped_streams == 0 ? swept : HalfDone(swept);
}

Task<Status> CatalogSweep::SweepAll(OpContext context) {
  Namespaces namespaces(access_);
  Task<Result<std::vector<std::string>>> list = namespaces.List(context);
  LS_CO_ASSIGN(const std::vector<std::string> all, co_await list);
  for (const std::string& ns : all) {
    std::optional<std::string> every;
    Task<Status> one = SweepNamespace(context, ns, every);
    LS_CO_TRY(co_await one);
  }
  co_return OkStatus();
}

Task<Status> CatalogSweep::SweepNamespace(OpContext context, std::string ns, std::optional<std::string> only) {
  const std::string prefix = StreamTombstoneKey(ns, "");
  KeyBounds bounds = StreamTombstoneKeys(ns);
  RecordPages pages(access_.meta(), std::move(bounds));
  while (true) {
    Task<Result<std::optional<std::vector<MetadataRecord>>>> next = pages.Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> page, co_await next);
    if (!page) co_return OkStatus();
    for (const MetadataRecord& record : *page) {
      StreamIdentifier id;
      id.ns = ns;
      id.name = record.key.substr(prefix.size());
      if (!CheckStreamName(id.ns, id.name).ok()) continue;
      const bool topic = only && IsTopicStreamName(id.name) && TopicOfStreamName(id.name) == *only;
      if (only && id.name != *only && !topic) continue;
      LS_CO_ASSIGN(const StreamConfigRecord tombstone, DecodeStreamConfig(record.value.text(), record.key));
      if (!tombstone.purge_requested) continue;
      ++report_.dropped_streams;
      Task<Status> sweep = SweepStream(context, std::move(id));
      LS_CO_TRY(co_await sweep);
    }
  }
}

Task<Status> CatalogSweep::SweepStream(OpContext context, StreamIdentifier id) {
  StreamDrop drop(access_, id, NoWaiting());
  Task<Result<StreamDropped>> finish = drop.Finish(context);
  const Result<StreamDropped> finished = co_await finish;
  if (!finished.ok() && IsHeld(finished.status())) {
    ++report_.held;
    co_return OkStatus();
  }
  LS_CO_TRY(finished.status());
  if (finished->found) ++report_.finished_drops;
  const std::string mappings = LogMappingKey(LogMappingNameOf(id.ns, id.name, 0));
  const std::string mapping_prefix = mappings.substr(0, mappings.size() - 1);
  Task<Status> by_mapping = SweepPartitions(context, id, mapping_prefix, mapping_prefix + ":", mapping_prefix);
  LS_CO_TRY(co_await by_mapping);
  const std::string records = PartitionKeyOf(id.ns, id.name, 0);
  const std::string record_prefix = records.substr(0, records.size() - 1);
  Task<Status> by_record = SweepPartitions(context, id, record_prefix, record_prefix + ":", record_prefix);
  co_return co_await by_record;
}

/// Drops each partition that a key names, which is the prefix and its number.
Task<Status> CatalogSweep::SweepPartitions(OpContext context, StreamIdentifier id, std::string first, std::string end,
                                           std::string prefix) {
  KeyBounds bounds;
  bounds.first = std::move(first);
  bounds.end = std::move(end);
  RecordPages pages(access_.meta(), std::move(bounds));
  StreamDrop drop(access_, id, NoWaiting());
  while (true) {
    Task<Result<std::optional<std::vector<MetadataRecord>>>> next = pages.Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> page, co_await next);
    if (!page) co_return OkStatus();
    for (const MetadataRecord& record : *page) {
      const std::optional<std::int32_t> partition = PartitionOfSuffix(std::string_view(record.key).substr(prefix.size()));
      if (!partition) continue;
      Task<Result<StreamDrop::Found>> one = drop.DropPartition(context, *partition);
      const Result<StreamDrop::Found> found = co_await one;
      if (!found.ok() && IsHeld(found.status())) {
        ++report_.held;
        continue;
      }
      LS_CO_TRY(found.status());
      if (*found == StreamDrop::Found::kLate) ++report_.late_logs;
      if (*found != StreamDrop::Found::kNothing) ++report_.partitions;
    }
  }
}

}  // namespace lakestream
