#include "log/catalog/log_provisioning.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

Status BeingDropped(const std::string& object) {
  return Fenced("a partition is being dropped").With("object", object);
}

}  // namespace

Task<Result<std::vector<LogId>>> LogProvisioning::Provision(OpContext context, std::int32_t first, std::int32_t end) {
  std::vector<LogId> logs;
  for (std::int32_t from = first; from < end; from += kPartitionsAtOnce) {
    std::vector<Task<Result<LogId>>> tasks;
    for (std::int32_t i = from; i < std::min(end, from + kPartitionsAtOnce); ++i) {
      tasks.push_back(ProvisionOne(context, i));
    }
    const std::vector<Result<LogId>> made = co_await WhenAll(access_.runtime(), std::move(tasks));
    for (const Result<LogId>& log : made) {
      if (!log.ok()) co_return log.status();
      logs.push_back(*log);
    }
  }
  co_return logs;
}

Task<Result<LogId>> LogProvisioning::ProvisionOne(OpContext context, std::int32_t partition) {
  const std::string mapping_name = LogMappingNameOf(id_.ns, id_.name, partition);
  Task<Result<LogId>> bind = BindLogId(context, mapping_name);
  LS_CO_ASSIGN(const LogId log, co_await bind);
  Task<Status> registering = Register(context, log, mapping_name);
  LS_CO_TRY(co_await registering);

  LogMetadataRecord metadata;
  metadata.log = log;
  metadata.registrant = registrant_;
  const std::string key = PartitionKeyOf(id_.ns, id_.name, partition);
  LS_CO_ASSIGN(std::string value, EncodeLogMetadata(metadata));
  Task<Result<std::string>> put = access_.CreateOrRead(context, CatalogPartition(key), key, std::move(value));
  LS_CO_ASSIGN(const std::string stored, co_await put);
  LS_CO_ASSIGN(const LogMetadataRecord stored_record, DecodeLogMetadata(stored, key));
  if (stored_record.deleted) co_return BeingDropped(key);
  if (stored_record.log != log) {
    co_return Corrupt("a partition belongs to another log").With("object", key).With("log", log.value());
  }
  co_return log;
}

Task<Status> LogProvisioning::Register(OpContext context, LogId log, std::string mapping_name) {
  if (Broken(Rule::kLogsAreRegistered)) co_return OkStatus();
  LogRegistrationRecord registration;
  registration.key = mapping_name;
  const std::string key = LogRegistrationKey(log);
  LS_CO_ASSIGN(std::string value, EncodeLogRegistration(registration));
  Task<Result<std::string>> put =
      access_.CreateOrRead(std::move(context), CatalogPartition(key), key, std::move(value));
  LS_CO_ASSIGN(const std::string stored, co_await put);
  LS_CO_ASSIGN(const LogRegistrationRecord stored_record, DecodeLogRegistration(stored, key));
  if (stored_record.key == mapping_name) co_return OkStatus();
  co_return Corrupt("a log id is registered for another log").With("object", key).With("log", mapping_name);
}

/// The partition's log id: the one bound to its name, or a new one. An id that could not be bound is wasted,
/// never used twice.
Task<Result<LogId>> LogProvisioning::BindLogId(OpContext context, std::string mapping_name) {
  MetadataStore& meta = access_.meta();
  const Partition partition = MappingPartition();
  const std::string key = LogMappingKey(mapping_name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta.Get(context, partition, key));
  std::string bound;
  if (answer) {
    bound = std::string(answer->value.text());
  } else {
    Task<Result<LogId>> allocate = NewLogId(context);
    LogMappingRecord mapping;
    LS_CO_ASSIGN(mapping.log, co_await allocate);
    mapping.incarnation_id = registrant_.incarnation_id;
    mapping.owner_token = registrant_.owner_token;
    mapping.owner_generation = registrant_.owner_generation;
    LS_CO_ASSIGN(bound, EncodeLogMapping(mapping));
    if (Broken(Rule::kIdIsBoundOnce)) {
      const Buffer bytes = Buffer::CopyOf(bound);
      LS_CO_TRY((co_await meta.Put(context, partition, key, bytes, WriteGuard())).status());
    } else {
      Task<Result<std::string>> put = access_.CreateOrRead(context, partition, key, bound);
      LS_CO_ASSIGN(bound, co_await put);
    }
  }
  LS_CO_ASSIGN(const LogMappingRecord mapping, DecodeLogMapping(bound, key));
  if (mapping.incarnation_id != registrant_.incarnation_id) {
    co_return Corrupt("a log id is bound to another incarnation of the stream")
        .With("object", key)
        .With("log", mapping.log.value());
  }
  if (mapping.tombstone) co_return BeingDropped(key);
  co_return mapping.log;
}

Task<Result<LogId>> LogProvisioning::NewLogId(OpContext context) {
  MetadataStore& meta = access_.meta();
  const std::string key(kLogIdGeneratorKey);
  if (Broken(Rule::kIdIsAVersion)) {
    LS_CO_ASSIGN(const ReadAnswer last, co_await meta.Get(context, CatalogPartition(key), key));
    LS_CO_TRY((co_await meta.Put(context, CatalogPartition(key), key, Buffer(), WriteGuard())).status());
    co_return LogId(last ? last->version + 1 : 1);
  }
  for (int attempt = 0;; ++attempt) {
    const Result<WriteAnswer> put = co_await meta.Put(context, CatalogPartition(key), key, Buffer(), WriteGuard());
    if (put.ok()) co_return LogId(put->version);
    if (put.status().code() != StatusCode::kIndeterminate) co_return put.status();
    // Each version is an id of its own: a put that was done all the same wastes one, and nothing else.
    if (attempt == kMaxCatalogAttempts) co_return put.status().As(StatusCode::kUnavailable);
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt + 1);
    LS_CO_TRY(co_await pause);
  }
}

}  // namespace lakestream
