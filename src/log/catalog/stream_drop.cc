#include "log/catalog/stream_drop.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/isolation/isolation.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

StreamConfigRecord Tombstone() {
  StreamConfigRecord record;
  record.SetPartitions(0);
  record.state = ProvisioningState::kDropped;
  record.purge_requested = true;
  return record;
}

/// The config under a new owner, so that nobody who read it before can go on with what he does. A growth that is
/// under way counts as done: its logs may be there.
StreamConfigRecord TakenOver(StreamConfigRecord record, Random& random) {
  record.metadata_source_owner_token = record.owner_token;
  record.metadata_source_generation = record.owner_generation;
  record.owner_token = random.Uuid();
  record.owner_generation = record.owner_generation.value_or(0) + 1;
  if (record.pending_expansion && !Broken(Rule::kDropTakesAGrowthAlong)) {
    record.SetPartitions(std::max(record.partitions, record.pending_expansion->target_partitions));
  }
  record.pending_expansion.reset();
  record.state = ProvisioningState::kDropped;
  record.purge_requested = true;
  return record;
}

}  // namespace

Task<Result<StreamDropped>> StreamDrop::Run(OpContext context) {
  // By the namespaces sweeps find the tombstones.
  Task<Status> ensure = access_.EnsureNamespace(context, id_.ns);
  LS_CO_TRY(co_await ensure);
  if (Broken(Rule::kTombstoneBeforeConfig)) {
    Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
    LS_CO_ASSIGN(const std::optional<StoredConfig> config, co_await read);
    Task<Status> pause = PauseBefore(access_.runtime(), context, 5);
    LS_CO_TRY(co_await pause);
    Task<Status> late = PutTombstone(context);
    LS_CO_TRY(co_await late);
    if (!config) co_return StreamDropped();
  } else if (!Broken(Rule::kDropLeavesATombstone)) {
    Task<Status> put = PutTombstone(context);
    LS_CO_TRY(co_await put);
  }
  Task<Result<StreamDropped>> finish = Finish(context);
  Result<StreamDropped> finished = co_await finish;
  if (finished.ok()) co_return finished;
  co_return HalfDone(finished.status()).With("dropped", id_.ToString());
}

Task<Status> StreamDrop::PutTombstone(OpContext context) {
  const std::string key = StreamTombstoneKey(id_.ns, id_.name);
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    LS_CO_ASSIGN(std::string value, EncodeStreamConfig(Tombstone()));
    Task<Result<std::string>> put = access_.CreateOrRead(context, CatalogPartition(key), key, std::move(value));
    LS_CO_ASSIGN(const std::string stored, co_await put);
    LS_CO_ASSIGN(StreamConfigRecord record, DecodeStreamConfig(stored, key));
    if (record.purge_requested) co_return OkStatus();
    // Another program dropped it and left its records.
    LS_CO_ASSIGN(const ReadAnswer now, co_await access_.meta().Get(context, CatalogPartition(key), key));
    if (!now || now->value.text() != stored) continue;
    record.purge_requested = true;
    LS_CO_ASSIGN(std::string purged, EncodeStreamConfig(record));
    Task<Result<SwapOutcome>> swap =
        access_.Swap(context, CatalogPartition(key), key, std::move(purged), now->version);
    LS_CO_ASSIGN(const SwapOutcome swapped, co_await swap);
    if (swapped == SwapOutcome::kUnknown) {
      co_return Indeterminate("the answer was lost, and others have changed the tombstone since")
          .With("stream", id_.ToString());
    }
  }
  co_return Unavailable("others kept changing the tombstone").With("stream", id_.ToString());
}

Task<Result<StreamDropped>> StreamDrop::Finish(OpContext context) {
  StreamDropped dropped;
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
    LS_CO_ASSIGN(std::optional<StoredConfig> config, co_await read);
    if (!config) co_return dropped;
    dropped.found = true;
    if (config->record.state != ProvisioningState::kDropped && !Broken(Rule::kDroppedBeforeLogsGo)) {
      Task<Result<SwapOutcome>> mark = MarkDropped(context, &*config);
      LS_CO_ASSIGN(const SwapOutcome marked, co_await mark);
      if (marked != SwapOutcome::kDone) continue;
    }
    dropped.partitions = config->record.partitions;
    const std::string key = StreamConfigKey(id_.ns, id_.name);
    if (Broken(Rule::kConfigGoesLast)) {
      Task<Status> early = access_.Remove(context, CatalogPartition(key), key);
      LS_CO_TRY(co_await early);
    }
    Task<Status> deletion = DeleteLogs(context, config->record.partitions);
    const Status deleted = co_await deletion;
    if (!Broken(Rule::kConfigWaitsForItsLogs)) LS_CO_TRY(deleted);
    Task<Status> removal = access_.Remove(context, CatalogPartition(key), key);
    LS_CO_TRY(co_await removal);
    co_return dropped;
  }
  co_return Unavailable("others kept changing the stream").With("stream", id_.ToString());
}

Task<Result<SwapOutcome>> StreamDrop::MarkDropped(OpContext context, StoredConfig* config) {
  config->record = TakenOver(std::move(config->record), access_.runtime().random);
  Task<Result<SwapOutcome>> swap = access_.SwapConfig(std::move(context), id_, config->record, config->version);
  co_return co_await swap;
}

/// Fences all logs before it waits for the first: their holders notice side by side. What fails of one partition keeps
/// none of the others.
Task<Status> StreamDrop::DeleteLogs(OpContext context, std::int32_t partitions) {
  for (std::int32_t from = 0; from < partitions; from += kPartitionsAtOnce) {
    std::vector<Task<Status>> tasks;
    for (std::int32_t i = from; i < std::min(partitions, from + kPartitionsAtOnce); ++i) {
      tasks.push_back(FencePartition(context, i));
    }
    const std::vector<Status> fenced = co_await WhenAll(access_.runtime(), std::move(tasks));
    for (const Status& status : fenced) LS_CO_TRY(status);
  }
  Status first;
  for (std::int32_t from = 0; from < partitions; from += kPartitionsAtOnce) {
    std::vector<Task<Result<Found>>> tasks;
    for (std::int32_t i = from; i < std::min(partitions, from + kPartitionsAtOnce); ++i) {
      tasks.push_back(DropPartition(context, i));
    }
    const std::vector<Result<Found>> gone = co_await WhenAll(access_.runtime(), std::move(tasks));
    for (const Result<Found>& one : gone) {
      if (first.ok()) first = one.status();
    }
  }
  co_return first;
}

Task<Status> StreamDrop::FencePartition(OpContext context, std::int32_t partition) {
  Task<Result<Names>> read = ReadNames(context, partition);
  LS_CO_ASSIGN(const Names names, co_await read);
  for (const LogId log : names.logs) {
    LogDeletion deletion(access_, log);
    Task<Status> fence = deletion.Fence(context);
    LS_CO_TRY(co_await fence);
  }
  co_return OkStatus();
}

/// By the mapping of its name, and by its record: either may be missing, of a creation or a drop that was cut short.
Task<Result<StreamDrop::Names>> StreamDrop::ReadNames(OpContext context, std::int32_t partition) {
  const std::string mapping_key = LogMappingKey(LogMappingNameOf(id_.ns, id_.name, partition));
  const std::string record_key = PartitionKeyOf(id_.ns, id_.name, partition);
  Names names;
  LS_CO_ASSIGN(names.mapping, co_await access_.meta().Get(context, MappingPartition(), mapping_key));
  LS_CO_ASSIGN(names.record, co_await access_.meta().Get(context, CatalogPartition(record_key), record_key));
  if (names.mapping) {
    LS_CO_ASSIGN(names.decoded, DecodeLogMapping(names.mapping->value.text(), mapping_key));
    names.logs.push_back(names.decoded->log);
  }
  if (names.record) {
    LS_CO_ASSIGN(const LogMetadataRecord record, DecodeLogMetadata(names.record->value.text(), record_key));
    if (record.log && std::find(names.logs.begin(), names.logs.end(), *record.log) == names.logs.end()) {
      names.logs.push_back(*record.log);
    }
  }
  co_return names;
}

Task<Result<StreamDrop::Found>> StreamDrop::DropPartition(OpContext context, std::int32_t partition) {
  Task<Result<Names>> read = ReadNames(context, partition);
  LS_CO_ASSIGN(Names names, co_await read);
  Task<Result<Found>> deletion = DeleteNamed(context, names);
  LS_CO_ASSIGN(const Found found, co_await deletion);
  // The mapping says from now on that the log's records were deleted: whatever is there later came late.
  const bool had_record = names.record.has_value();
  Task<Status> forget = ForgetMapping(context, partition, std::move(names));
  LS_CO_TRY(co_await forget);
  if (!had_record) co_return found;
  const std::string key = PartitionKeyOf(id_.ns, id_.name, partition);
  Task<Status> removal = access_.Remove(context, CatalogPartition(key), key);
  LS_CO_TRY(co_await removal);
  co_return found == Found::kNothing ? Found::kRest : found;
}

Task<Result<StreamDrop::Found>> StreamDrop::DeleteNamed(OpContext context, Names names) {
  const bool done_before = names.decoded && names.decoded->tombstone;
  Found found = !done_before && !names.logs.empty() ? Found::kRest : Found::kNothing;
  for (const LogId log : names.logs) {
    if (done_before && names.decoded->log == log) {
      LogDeletion deletion(access_, log);
      Task<Result<bool>> look = deletion.Indexed(context);
      LS_CO_ASSIGN(const bool late, co_await look);
      const std::string registration = LogRegistrationKey(log);
      LS_CO_ASSIGN(const ReadAnswer registered,
                   co_await access_.meta().Get(context, CatalogPartition(registration), registration));
      if (!late && !registered) continue;
      found = late ? Found::kLate : Found::kRest;
    }
    Task<Status> deletion = DeleteLog(context, log);
    LS_CO_TRY(co_await deletion);
  }
  co_return found;
}

Task<Status> StreamDrop::DeleteLog(OpContext context, LogId log) {
  LogDeletion deletion(access_, log);
  Task<Status> fence = deletion.Fence(context);
  LS_CO_TRY(co_await fence);
  Task<Status> drain = deletion.Drain(context, drain_);
  LS_CO_TRY(co_await drain);
  Task<Status> index = deletion.DeleteIndex(context);
  LS_CO_TRY(co_await index);
  Task<Result<bool>> together = EndIsolation(access_.meta(), context, log);
  LS_CO_TRY((co_await together).status());
  const std::string registration = LogRegistrationKey(log);
  Task<Status> removal = access_.Remove(context, CatalogPartition(registration), registration);
  co_return co_await removal;
}

Task<Status> StreamDrop::ForgetMapping(OpContext context, std::int32_t partition, Names names) {
  if (!names.decoded || names.decoded->tombstone) co_return OkStatus();
  names.decoded->tombstone = true;
  LS_CO_ASSIGN(std::string value, EncodeLogMapping(*names.decoded));
  const std::string key = LogMappingKey(LogMappingNameOf(id_.ns, id_.name, partition));
  Task<Result<SwapOutcome>> swap =
      access_.Swap(std::move(context), MappingPartition(), key, std::move(value), names.mapping->version);
  // Whoever changed it meanwhile drops the same stream.
  co_return (co_await swap).status();
}

}  // namespace lakestream
