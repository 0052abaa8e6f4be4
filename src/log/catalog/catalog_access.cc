#include "log/catalog/catalog_access.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"

namespace lakestream {

namespace {

constexpr int kMaxBackoffDoublings = 6;
constexpr Duration kFirstBackoff = std::chrono::milliseconds(10);

/// What a rewrite would be by a program that keeps only what it knows.
StreamConfigRecord WithoutUnknown(StreamConfigRecord record) {
  record.unknown.clear();
  record.stream_config.unknown.clear();
  record.partitioning.unknown.clear();
  record.schema.unknown.clear();
  return record;
}

}  // namespace

Task<Status> PauseBefore(Runtime& runtime, OpContext context, int attempt) {
  if (attempt == 0) co_return OkStatus();
  const Duration pause = kFirstBackoff * (1 << std::min(attempt - 1, kMaxBackoffDoublings));
  Task<Status> sleep = SleepFor(runtime, std::move(context), pause);
  co_return co_await sleep;
}

Task<Status> UntilAnswered(Runtime& runtime, OpContext context, std::function<Task<Status>()> call) {
  Status lost;
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(runtime, context, attempt);
    const Status paused = co_await pause;
    if (!paused.ok()) co_return lost.ok() ? paused : lost;
    Task<Status> one = call();
    const Status answered = co_await one;
    if (answered.code() == StatusCode::kIndeterminate) lost = answered;
    if (answered.ok() || lost.ok()) co_return answered;
  }
  co_return lost;
}

Status HalfDone(const Status& status) {
  if (status.ok() || status.code() == StatusCode::kIndeterminate) return status;
  return status.As(StatusCode::kIndeterminate).With("cause", StatusCodeName(status.code()));
}

Task<Result<std::string>> CatalogAccess::CreateOrRead(OpContext context, Partition partition, std::string key,
                                                      std::string value) {
  const Buffer bytes = Buffer::CopyOf(value);
  Status lost;
  for (int attempt = 0; attempt <= kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(runtime_, context, attempt);
    const Status paused = co_await pause;
    if (!paused.ok()) co_return lost.ok() ? paused : lost;
    const Result<WriteAnswer> created = co_await meta_.CreateIfAbsent(context, partition, key, bytes, WriteGuard());
    if (created.ok()) co_return value;
    const StatusCode code = created.status().code();
    if (code == StatusCode::kIndeterminate) lost = created.status();
    if (lost.ok() && code != StatusCode::kAlreadyExists) co_return created.status();
    const Result<ReadAnswer> answer = co_await meta_.Get(context, partition, key);
    if (!answer.ok()) co_return lost.ok() ? answer.status() : lost;
    if (*answer) co_return std::string((*answer)->value.text());
    // Not there: the lost write may still come, and then it brings the same bytes.
  }
  co_return lost.ok() ? Unavailable("a record comes and goes").With("object", key) : lost;
}

Task<Result<SwapOutcome>> CatalogAccess::Swap(OpContext context, Partition partition, std::string key,
                                              std::string value, std::int64_t version) {
  const Buffer bytes = Buffer::CopyOf(value);
  Status lost;
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(runtime_, context, attempt);
    const Status paused = co_await pause;
    if (!paused.ok()) co_return lost.ok() ? paused : lost;
    const Result<WriteAnswer> set =
        co_await meta_.CompareAndSet(context, partition, key, bytes, version, WriteGuard());
    if (set.ok()) co_return SwapOutcome::kDone;
    const StatusCode code = set.status().code();
    if (lost.ok() && code == StatusCode::kPreconditionFailed) co_return SwapOutcome::kConflict;
    if (lost.ok() && code != StatusCode::kIndeterminate) co_return set.status();
    if (code == StatusCode::kIndeterminate) lost = set.status();
    const Result<ReadAnswer> now = co_await meta_.Get(context, partition, key);
    if (!now.ok() || (*now && (*now)->version == version)) continue;
    co_return *now && (*now)->value.text() == value ? SwapOutcome::kDone : SwapOutcome::kUnknown;
  }
  co_return lost;
}

Task<Status> CatalogAccess::Remove(OpContext context, Partition partition, std::string key) {
  const std::function<Task<Status>()> remove = [&] { return meta_.Delete(context, partition, key, WriteGuard()); };
  Task<Status> removal = UntilAnswered(runtime_, context, remove);
  co_return co_await removal;
}

Task<Result<std::optional<StoredConfig>>> CatalogAccess::ReadConfig(OpContext context, StreamIdentifier id) {
  const std::string key = StreamConfigKey(id.ns, id.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(std::move(context), CatalogPartition(key), key));
  if (!answer) co_return std::optional<StoredConfig>();
  StoredConfig config;
  LS_CO_ASSIGN(config.record, DecodeStreamConfig(answer->value.text(), key));
  config.version = answer->version;
  co_return std::optional<StoredConfig>(std::move(config));
}

Task<Result<SwapOutcome>> CatalogAccess::SwapConfig(OpContext context, StreamIdentifier id, StreamConfigRecord record,
                                                    std::int64_t version) {
  if (Broken(Rule::kUnknownFieldsAreKept)) record = WithoutUnknown(std::move(record));
  const std::string key = StreamConfigKey(id.ns, id.name);
  LS_CO_ASSIGN(std::string value, EncodeStreamConfig(record));
  Task<Result<SwapOutcome>> swap =
      Swap(std::move(context), CatalogPartition(key), key, std::move(value), version);
  co_return co_await swap;
}

Task<Result<bool>> CatalogAccess::Tombstoned(OpContext context, StreamIdentifier id) {
  const std::string key = StreamTombstoneKey(id.ns, id.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(std::move(context), CatalogPartition(key), key));
  co_return answer.has_value();
}

Task<Status> CatalogAccess::EnsureNamespace(OpContext context, std::string ns) {
  const std::string key = NamespaceKey(ns);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, CatalogPartition(key), key));
  if (answer) co_return OkStatus();
  LS_CO_ASSIGN(std::string value, EncodeNamespace(NamespaceRecord()));
  Task<Result<std::string>> put = CreateOrRead(std::move(context), CatalogPartition(key), key, std::move(value));
  co_return (co_await put).status();
}

}  // namespace lakestream
