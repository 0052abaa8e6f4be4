#include "log/catalog/stream_creation.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/catalog/log_provisioning.h"
#include "log/catalog/stream_drop.h"

namespace lakestream {

namespace {

constexpr std::int64_t kFirstOwnerGeneration = 1;

Status Dropped(const StreamIdentifier& id) {
  return Fenced("the stream was dropped; its name cannot be used again").With("stream", id.ToString());
}

StringMap Sorted(StringMap map) {
  std::sort(map.begin(), map.end());
  return map;
}

}  // namespace

StreamCreation::StreamCreation(CatalogAccess access, StreamIdentifier id, int partitions, StringMap properties,
                               DrainOptions drain)
    : access_(access),
      id_(std::move(id)),
      partitions_(partitions),
      properties_(std::move(properties)),
      drain_(drain) {}

Task<Result<StreamMetadata>> StreamCreation::Run(OpContext context) {
  Task<Result<StreamMetadata>> repeat = Repeat(std::move(context));
  Result<StreamMetadata> made = co_await repeat;
  const StatusCode code = made.status().code();
  if (!begun_ || made.ok() || code == StatusCode::kAlreadyExists || code == StatusCode::kFenced) co_return made;
  co_return HalfDone(made.status());
}

Task<Result<StreamMetadata>> StreamCreation::Repeat(OpContext context) {
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    Task<Result<std::optional<StreamMetadata>>> attempted = Attempt(context);
    LS_CO_ASSIGN(std::optional<StreamMetadata> made, co_await attempted);
    if (made) co_return std::move(*made);
  }
  co_return Unavailable("others kept changing the stream").With("stream", id_.ToString());
}

/// Nothing where it has to be tried again.
Task<Result<std::optional<StreamMetadata>>> StreamCreation::Attempt(OpContext context) {
  Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
  LS_CO_ASSIGN(std::optional<StoredConfig> config, co_await read);
  if (!config) {
    // So that a name dropped long ago leaves nothing behind; the look that counts comes after the put.
    Task<Result<bool>> early = access_.Tombstoned(context, id_);
    LS_CO_ASSIGN(const bool dropped, co_await early);
    if (dropped) co_return Dropped(id_);
    Task<Result<std::optional<StoredConfig>>> put = PutConfig(context);
    LS_CO_ASSIGN(config, co_await put);
    if (!config) co_return std::optional<StreamMetadata>();
  }
  LS_CO_TRY(CheckResumable(config->record));
  Task<Result<bool>> look = access_.Tombstoned(context, id_);
  LS_CO_ASSIGN(bool tombstoned, co_await look);
  if (Broken(Rule::kTombstoneReadAfterConfig)) tombstoned = false;
  if (tombstoned) {
    Task<Status> give_up = GiveUp(context);
    LS_CO_TRY(co_await give_up);
    co_return Dropped(id_);
  }
  if (config->record.partitions != partitions_ || Sorted(config->record.properties) != properties_) {
    co_return AlreadyExists("the stream is being created with another definition").With("stream", id_.ToString());
  }
  begun_ = true;
  Task<Result<std::optional<StreamMetadata>>> complete = Complete(context, *std::move(config));
  co_return co_await complete;
}

Task<Result<std::optional<StreamMetadata>>> StreamCreation::Complete(OpContext context, StoredConfig config) {
  Task<Status> ensure = access_.EnsureNamespace(context, id_.ns);
  LS_CO_TRY(co_await ensure);
  LogRegistrant registrant;
  registrant.incarnation_id = *config.record.incarnation_id;
  registrant.owner_token = *config.record.owner_token;
  registrant.owner_generation = *config.record.owner_generation;
  LogProvisioning provisioning(access_, id_, std::move(registrant));
  Task<Result<std::vector<LogId>>> provision = provisioning.Provision(context, 0, partitions_);
  Result<std::vector<LogId>> logs = co_await provision;
  if (!logs.ok() && logs.status().code() == StatusCode::kFenced) co_return std::optional<StreamMetadata>();
  LS_CO_TRY(logs.status());
  Task<Result<SwapOutcome>> activate = Activate(context, config);
  LS_CO_ASSIGN(const SwapOutcome activated, co_await activate);
  if (activated != SwapOutcome::kDone) co_return std::optional<StreamMetadata>();

  StreamMetadata made;
  made.id = id_;
  made.state = LifecycleState::kActive;
  made.logs = *std::move(logs);
  made.properties.insert(properties_.begin(), properties_.end());
  co_return std::optional<StreamMetadata>(std::move(made));
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
Task<Result<std::optional<StoredConfig>>> StreamCreation::PutConfig(OpContext context) {
  StoredConfig config;
  config.record.SetPartitions(partitions_);
  config.record.properties = properties_;
  config.record.incarnation_id = access_.runtime().random.Uuid();
  config.record.owner_token = access_.runtime().random.Uuid();
  config.record.owner_generation = kFirstOwnerGeneration;
  config.record.state = ProvisioningState::kProvisioning;
  LS_CO_ASSIGN(std::string value, EncodeStreamConfig(config.record));
  const std::string key = StreamConfigKey(id_.ns, id_.name);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> created =
      co_await access_.meta().CreateIfAbsent(context, CatalogPartition(key), key, bytes, WriteGuard());
  const StatusCode code = created.status().code();
  begun_ = begun_ || created.ok() || code == StatusCode::kIndeterminate;
  if (created.ok()) {
    config.version = created->version;
    co_return std::optional<StoredConfig>(std::move(config));
  }
  // A config that came with a lost answer is found by the next look, and resumed like anybody's.
  if (code == StatusCode::kAlreadyExists || code == StatusCode::kIndeterminate) co_return std::optional<StoredConfig>();
  co_return created.status();
}

/// Whoever is faster, the stream is there then with the same logs.
Task<Result<SwapOutcome>> StreamCreation::Activate(OpContext context, StoredConfig config) {
  config.record.state = ProvisioningState::kActive;
  if (Broken(Rule::kActivationIsSwapped)) {
    const std::string key = StreamConfigKey(id_.ns, id_.name);
    LS_CO_ASSIGN(std::string value, EncodeStreamConfig(config.record));
    const Buffer bytes = Buffer::CopyOf(value);
    LS_CO_TRY((co_await access_.meta().Put(context, CatalogPartition(key), key, bytes, WriteGuard())).status());
    co_return SwapOutcome::kDone;
  }
  Task<Result<SwapOutcome>> swap = access_.SwapConfig(context, id_, config.record, config.version);
  LS_CO_ASSIGN(const SwapOutcome outcome, co_await swap);
  if (outcome != SwapOutcome::kUnknown) co_return outcome;
  Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
  LS_CO_ASSIGN(const std::optional<StoredConfig> now, co_await read);
  const bool made = now && now->record.state == ProvisioningState::kActive &&
                    now->record.incarnation_id == config.record.incarnation_id;
  if (made) co_return SwapOutcome::kDone;
  co_return Indeterminate("the answer was lost, and the stream has been dropped since").With("stream", id_.ToString());
}

/// The drop, which may not have seen this creation, goes on here.
Task<Status> StreamCreation::GiveUp(OpContext context) {
  StreamDrop drop(access_, id_, drain_);
  Task<Result<StreamDropped>> finish = drop.Finish(std::move(context));
  const Status finished = (co_await finish).status();
  co_return HalfDone(finished);
}

}  // namespace lakestream
