#include "log/catalog/stream_creation.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Conflicts before a creation gives up, and the pauses between: 10 ms doubling to 640 ms.
constexpr int kMaxAttempts = 10;
constexpr int kMaxBackoffDoublings = 6;
constexpr Duration kFirstBackoff = std::chrono::milliseconds(10);
/// Partitions that are provisioned side by side.
constexpr std::int32_t kPartitionsAtOnce = 64;
constexpr std::int64_t kFirstOwnerGeneration = 1;

/// The records of the catalog that no log's partition holds.
Partition PartitionOf(const std::string& key) { return Partition::OfKey(key); }

Task<Status> Pause(Runtime& runtime, OpContext context, int attempt) {
  const Duration pause = kFirstBackoff * (1 << std::min(attempt, kMaxBackoffDoublings));
  Task<Status> sleep = SleepFor(runtime, std::move(context), pause);
  co_return co_await sleep;
}

Status Dropped(const StreamIdentifier& id) {
  return Fenced("the stream was dropped; its name cannot be used again").With("stream", id.ToString());
}

StringMap Sorted(StringMap map) {
  std::sort(map.begin(), map.end());
  return map;
}

}  // namespace

StreamCreation::StreamCreation(Runtime& runtime, MetadataStore& meta, StreamIdentifier id, int partitions,
                               StringMap properties)
    : runtime_(runtime),
      meta_(meta),
      id_(std::move(id)),
      partitions_(partitions),
      properties_(std::move(properties)) {}

Task<Result<StreamMetadata>> StreamCreation::Run(OpContext context) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt > 0) LS_CO_TRY(co_await Pause(runtime_, context, attempt - 1));
    Task<Result<std::optional<StreamMetadata>>> attempted = Attempt(context);
    LS_CO_ASSIGN(std::optional<StreamMetadata> made, co_await attempted);
    if (made) co_return std::move(*made);
  }
  co_return Unavailable("others kept changing the stream").With("stream", id_.ToString());
}

/// Nothing where it has to be tried again.
Task<Result<std::optional<StreamMetadata>>> StreamCreation::Attempt(OpContext context) {
  Task<Result<std::optional<Config>>> read = ReadConfig(context);
  LS_CO_ASSIGN(std::optional<Config> config, co_await read);
  if (!config) {
    // So that a name dropped long ago leaves nothing behind; the look that counts comes after the put.
    LS_CO_ASSIGN(const bool dropped, co_await Tombstoned(context));
    if (dropped) co_return Dropped(id_);
    Task<Result<std::optional<Config>>> put = PutConfig(context);
    LS_CO_ASSIGN(config, co_await put);
    if (!config) co_return std::optional<StreamMetadata>();
  }
  LS_CO_TRY(CheckResumable(config->record));
  LS_CO_ASSIGN(const bool tombstoned, co_await Tombstoned(context));
  if (tombstoned) {
    Task<Result<Step>> undo = Undo(context, *config);
    LS_CO_ASSIGN(const Step undone, co_await undo);
    if (undone == Step::kAgain) co_return std::optional<StreamMetadata>();
    co_return Dropped(id_);
  }
  if (config->record.partitions != partitions_ || Sorted(config->record.properties) != properties_) {
    co_return AlreadyExists("the stream is being created with another definition").With("stream", id_.ToString());
  }

  LogRegistrant registrant;
  registrant.incarnation_id = *config->record.incarnation_id;
  registrant.owner_token = *config->record.owner_token;
  registrant.owner_generation = *config->record.owner_generation;
  Task<Result<std::vector<LogId>>> provision = ProvisionAll(context, registrant);
  LS_CO_ASSIGN(std::vector<LogId> logs, co_await provision);
  Task<Result<Step>> activate = Activate(context, *config);
  LS_CO_ASSIGN(const Step activated, co_await activate);
  if (activated == Step::kAgain) co_return std::optional<StreamMetadata>();

  StreamMetadata made;
  made.id = id_;
  made.state = LifecycleState::kActive;
  made.logs = std::move(logs);
  made.properties.insert(properties_.begin(), properties_.end());
  co_return std::optional<StreamMetadata>(std::move(made));
}

Task<Result<std::optional<StreamCreation::Config>>> StreamCreation::ReadConfig(OpContext context) {
  const std::string key = StreamConfigKey(id_.ns, id_.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(std::move(context), PartitionOf(key), key));
  if (!answer) co_return std::optional<Config>();
  Config config;
  LS_CO_ASSIGN(config.record, DecodeStreamConfig(answer->value.text(), key));
  config.version = answer->version;
  co_return std::optional<Config>(std::move(config));
}

Task<Result<bool>> StreamCreation::Tombstoned(OpContext context) {
  const std::string key = StreamTombstoneKey(id_.ns, id_.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(std::move(context), PartitionOf(key), key));
  co_return answer.has_value();
}

/// ok where this creation may go on with what the config says.
Status StreamCreation::CheckResumable(const StreamConfigRecord& record) const {
  switch (record.state) {
    case ProvisioningState::kActive:
      return AlreadyExists("the stream exists").With("stream", id_.ToString());
    case ProvisioningState::kAborting:
    case ProvisioningState::kDropped:
      return Dropped(id_);
    case ProvisioningState::kProvisioning:
      break;
  }
  if (!record.incarnation_id || !record.owner_token || !record.owner_generation) {
    return Corrupt("a stream is being created by nobody")
        .With("object", StreamConfigKey(id_.ns, id_.name))
        .With("field", "_ownerToken");
  }
  return OkStatus();
}

/// Nothing where another creation was faster.
Task<Result<std::optional<StreamCreation::Config>>> StreamCreation::PutConfig(OpContext context) {
  const std::string ns_key = NamespaceKey(id_.ns);
  LS_CO_ASSIGN(std::string ns_value, EncodeNamespace(NamespaceRecord()));
  Task<Result<std::string>> put_ns = CreateOrRead(context, PartitionOf(ns_key), ns_key, std::move(ns_value));
  LS_CO_TRY((co_await put_ns).status());

  Config config;
  config.record.SetPartitions(partitions_);
  config.record.properties = properties_;
  config.record.incarnation_id = runtime_.random.Uuid();
  config.record.owner_token = runtime_.random.Uuid();
  config.record.owner_generation = kFirstOwnerGeneration;
  config.record.state = ProvisioningState::kProvisioning;
  LS_CO_ASSIGN(std::string value, EncodeStreamConfig(config.record));
  const std::string key = StreamConfigKey(id_.ns, id_.name);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> created =
      co_await meta_.CreateIfAbsent(context, PartitionOf(key), key, bytes, WriteGuard());
  if (created.ok()) {
    config.version = created->version;
    co_return std::optional<Config>(std::move(config));
  }
  const StatusCode code = created.status().code();
  // A config that came with a lost answer is found by the next look, and resumed like anybody's.
  if (code == StatusCode::kAlreadyExists || code == StatusCode::kIndeterminate) co_return std::optional<Config>();
  co_return created.status();
}

Task<Result<std::vector<LogId>>> StreamCreation::ProvisionAll(OpContext context, LogRegistrant registrant) {
  std::vector<LogId> logs;
  for (std::int32_t from = 0; from < partitions_; from += kPartitionsAtOnce) {
    std::vector<Task<Result<LogId>>> tasks;
    for (std::int32_t i = from; i < std::min(partitions_, from + kPartitionsAtOnce); ++i) {
      tasks.push_back(Provision(context, registrant, i));
    }
    const std::vector<Result<LogId>> made = co_await WhenAll(runtime_, std::move(tasks));
    for (const Result<LogId>& log : made) {
      if (!log.ok()) co_return log.status();
      logs.push_back(*log);
    }
  }
  co_return logs;
}

Task<Result<LogId>> StreamCreation::Provision(OpContext context, LogRegistrant registrant, std::int32_t partition) {
  const std::string mapping_name = LogMappingNameOf(id_.ns, id_.name, partition);
  Task<Result<LogId>> bind = BindLogId(context, registrant, mapping_name);
  LS_CO_ASSIGN(const LogId log, co_await bind);

  LogRegistrationRecord registration;
  registration.key = mapping_name;
  const std::string registration_key = LogRegistrationKey(log);
  LS_CO_ASSIGN(std::string registration_value, EncodeLogRegistration(registration));
  Task<Result<std::string>> put_registration =
      CreateOrRead(context, PartitionOf(registration_key), registration_key, std::move(registration_value));
  LS_CO_ASSIGN(const std::string registered, co_await put_registration);
  LS_CO_ASSIGN(const LogRegistrationRecord registered_record, DecodeLogRegistration(registered, registration_key));
  if (registered_record.key != mapping_name) {
    co_return Corrupt("a log id is registered for another log")
        .With("object", registration_key)
        .With("log", mapping_name);
  }

  LogMetadataRecord metadata;
  metadata.log = log;
  metadata.registrant = registrant;
  const std::string metadata_key = PartitionKeyOf(id_.ns, id_.name, partition);
  LS_CO_ASSIGN(std::string value, EncodeLogMetadata(metadata));
  Task<Result<std::string>> put_metadata =
      CreateOrRead(context, PartitionOf(metadata_key), metadata_key, std::move(value));
  LS_CO_ASSIGN(const std::string stored, co_await put_metadata);
  LS_CO_ASSIGN(const LogMetadataRecord stored_record, DecodeLogMetadata(stored, metadata_key));
  if (stored_record.log != log || stored_record.deleted) {
    co_return Corrupt("a partition belongs to another log").With("object", metadata_key).With("log", log.value());
  }
  co_return log;
}

/// The partition's log id: the one bound to its name, or a new one. An id that could not be bound is wasted,
/// never used twice.
Task<Result<LogId>> StreamCreation::BindLogId(OpContext context, LogRegistrant registrant, std::string mapping_name) {
  const Partition partition = Partition::Named(kLogIdGeneratorKey);
  const std::string key = LogMappingKey(mapping_name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, partition, key));
  std::string bound;
  if (answer) {
    bound = std::string(answer->value.text());
  } else {
    Task<Result<LogId>> allocate = NewLogId(context);
    LogMappingRecord mapping;
    LS_CO_ASSIGN(mapping.log, co_await allocate);
    mapping.incarnation_id = registrant.incarnation_id;
    mapping.owner_token = registrant.owner_token;
    mapping.owner_generation = registrant.owner_generation;
    LS_CO_ASSIGN(std::string value, EncodeLogMapping(mapping));
    Task<Result<std::string>> put = CreateOrRead(context, partition, key, std::move(value));
    LS_CO_ASSIGN(bound, co_await put);
  }
  LS_CO_ASSIGN(const LogMappingRecord mapping, DecodeLogMapping(bound, key));
  if (mapping.tombstone || mapping.incarnation_id != registrant.incarnation_id) {
    co_return Corrupt("a log id is bound to another incarnation of the stream")
        .With("object", key)
        .With("log", mapping.log.value());
  }
  co_return mapping.log;
}

Task<Result<LogId>> StreamCreation::NewLogId(OpContext context) {
  const std::string key(kLogIdGeneratorKey);
  for (int attempt = 0;; ++attempt) {
    const Result<WriteAnswer> put = co_await meta_.Put(context, PartitionOf(key), key, Buffer(), WriteGuard());
    if (put.ok()) co_return LogId(put->version);
    if (put.status().code() != StatusCode::kIndeterminate) co_return put.status();
    // Each version is an id of its own: a put that was done all the same wastes one, and nothing else.
    if (attempt == kMaxAttempts) co_return put.status().As(StatusCode::kUnavailable);
    LS_CO_TRY(co_await Pause(runtime_, context, attempt));
  }
}

Task<Result<StreamCreation::Step>> StreamCreation::Activate(OpContext context, Config config) {
  StreamConfigRecord active = config.record;
  active.state = ProvisioningState::kActive;
  LS_CO_ASSIGN(std::string value, EncodeStreamConfig(active));
  const std::string key = StreamConfigKey(id_.ns, id_.name);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> set =
      co_await meta_.CompareAndSet(context, PartitionOf(key), key, bytes, config.version, WriteGuard());
  if (set.ok()) co_return Step::kDone;
  if (set.status().code() == StatusCode::kPreconditionFailed) co_return Step::kAgain;
  if (set.status().code() != StatusCode::kIndeterminate) co_return set.status();

  // The stream is there, made by this call or by another of the same incarnation: the same logs either way.
  Task<Result<std::optional<Config>>> read = ReadConfig(context);
  const Result<std::optional<Config>> now = co_await read;
  if (!now.ok() || !*now) co_return set.status();
  if ((*now)->version == config.version) co_return set.status();
  const bool made = (*now)->record.state == ProvisioningState::kActive &&
                    (*now)->record.incarnation_id == config.record.incarnation_id;
  co_return made ? Step::kDone : Step::kAgain;
}

Task<Result<StreamCreation::Step>> StreamCreation::Undo(OpContext context, Config config) {
  StreamConfigRecord& record = config.record;
  record.metadata_source_owner_token = record.owner_token;
  record.metadata_source_generation = record.owner_generation;
  record.owner_token = runtime_.random.Uuid();
  record.owner_generation = *record.owner_generation + 1;
  LS_CO_ASSIGN(std::string value, EncodeStreamConfig(record));
  const std::string key = StreamConfigKey(id_.ns, id_.name);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> set =
      co_await meta_.CompareAndSet(context, PartitionOf(key), key, bytes, config.version, WriteGuard());
  const StatusCode code = set.status().code();
  if (code == StatusCode::kPreconditionFailed || code == StatusCode::kIndeterminate) co_return Step::kAgain;
  LS_CO_TRY(set.status());

  for (std::int32_t from = 0; from < record.partitions; from += kPartitionsAtOnce) {
    std::vector<Task<Status>> tasks;
    for (std::int32_t i = from; i < std::min(record.partitions, from + kPartitionsAtOnce); ++i) {
      tasks.push_back(UndoPartition(context, i));
    }
    const std::vector<Status> undone = co_await WhenAll(runtime_, std::move(tasks));
    for (const Status& status : undone) LS_CO_TRY(status);
  }
  LS_CO_TRY(co_await meta_.Delete(context, PartitionOf(key), key, WriteGuard()));
  co_return Step::kDone;
}

Task<Status> StreamCreation::UndoPartition(OpContext context, std::int32_t partition) {
  const Partition mappings = Partition::Named(kLogIdGeneratorKey);
  const std::string mapping_key = LogMappingKey(LogMappingNameOf(id_.ns, id_.name, partition));
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, mappings, mapping_key));
  if (answer) {
    LS_CO_ASSIGN(LogMappingRecord mapping, DecodeLogMapping(answer->value.text(), mapping_key));
    Task<Status> deletion = DeleteUnusedLog(context, mapping.log);
    LS_CO_TRY(co_await deletion);
    if (!mapping.tombstone) {
      mapping.tombstone = true;
      LS_CO_ASSIGN(std::string value, EncodeLogMapping(mapping));
      const Buffer bytes(std::move(value));
      const Result<WriteAnswer> set =
          co_await meta_.CompareAndSet(context, mappings, mapping_key, bytes, answer->version, WriteGuard());
      // Whoever changed it meanwhile undoes the same creation.
      if (!set.ok() && set.status().code() != StatusCode::kPreconditionFailed) co_return set.status();
    }
  }
  const std::string metadata_key = PartitionKeyOf(id_.ns, id_.name, partition);
  co_return co_await meta_.Delete(context, PartitionOf(metadata_key), metadata_key, WriteGuard());
}

/// Deletes a log of a stream that never was: fence, no leases, index range, registration (specification,
/// "Fences and log deletion").
Task<Status> StreamCreation::DeleteUnusedLog(OpContext context, LogId log) {
  const Partition partition = Partition::OfLog(log);
  Task<Result<std::string>> fence =
      CreateOrRead(context, partition, WriteFenceKey(log), std::string(kWriteFenceValue));
  LS_CO_TRY((co_await fence).status());
  const KeyBounds leases = WriteLeaseKeys(log);
  KeyRange range;
  range.partition = partition;
  range.from = leases.first;
  range.to = leases.end;
  std::string cursor;
  while (true) {
    LS_CO_ASSIGN(const KeyPage page, co_await meta_.List(context, range, cursor, 1));
    if (!page.keys.empty()) {
      co_return Unavailable("a log that is being deleted still has a writer").With("log", log.value());
    }
    if (!page.next) break;
    cursor = *page.next;
  }
  LS_CO_TRY(co_await meta_.DeleteRange(context, partition, FirstIndexKey(log), LastIndexKey(log), WriteGuard()));
  const std::string registration_key = LogRegistrationKey(log);
  co_return co_await meta_.Delete(context, PartitionOf(registration_key), registration_key, WriteGuard());
}

Task<Result<std::string>> StreamCreation::CreateOrRead(OpContext context, Partition partition, std::string key,
                                                       std::string value) {
  const Buffer bytes = Buffer::CopyOf(value);
  for (int attempt = 0;; ++attempt) {
    const Result<WriteAnswer> created = co_await meta_.CreateIfAbsent(context, partition, key, bytes, WriteGuard());
    if (created.ok()) co_return value;
    const StatusCode code = created.status().code();
    if (code != StatusCode::kAlreadyExists && code != StatusCode::kIndeterminate) co_return created.status();
    LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, partition, key));
    if (answer) co_return std::string(answer->value.text());
    // Not there: the lost write may still come, and then it brings the same bytes.
    if (attempt == kMaxAttempts) co_return Unavailable("a record comes and goes").With("object", key);
    LS_CO_TRY(co_await Pause(runtime_, context, attempt));
  }
}

}  // namespace lakestream
