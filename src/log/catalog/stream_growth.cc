#include "log/catalog/stream_growth.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/catalog/log_provisioning.h"

namespace lakestream {

namespace {

Result<LogRegistrant> RegistrantOf(const StreamConfigRecord& record, const StreamIdentifier& id) {
  if (!record.incarnation_id || !record.owner_token || !record.owner_generation) {
    return Unimplemented("a stream that another program made without an owner cannot grow")
        .With("stream", id.ToString());
  }
  LogRegistrant registrant;
  registrant.incarnation_id = *record.incarnation_id;
  registrant.owner_token = *record.owner_token;
  registrant.owner_generation = *record.owner_generation;
  return registrant;
}

}  // namespace

Task<Result<std::int32_t>> StreamGrowth::Run(OpContext context) {
  Task<Result<std::int32_t>> repeat = Repeat(std::move(context));
  const Result<std::int32_t> grown = co_await repeat;
  const bool dropped = grown.status().code() == StatusCode::kNotFound;
  if (grown.ok() || !begun_ || (dropped && !lost_)) co_return grown;
  co_return HalfDone(grown.status());
}

Task<Result<std::int32_t>> StreamGrowth::Repeat(OpContext context) {
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    Task<Result<std::optional<std::int32_t>>> one = Attempt(context);
    LS_CO_ASSIGN(const std::optional<std::int32_t> grown, co_await one);
    if (grown) co_return *grown;
  }
  co_return Unavailable("others kept changing the stream").With("stream", id_.ToString());
}

/// Nothing where it has to be tried again.
Task<Result<std::optional<std::int32_t>>> StreamGrowth::Attempt(OpContext context) {
  Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
  LS_CO_ASSIGN(std::optional<StoredConfig> config, co_await read);
  LS_CO_TRY(CheckActive(config ? &config->record : nullptr, id_));
  if (!config->record.pending_expansion && config->record.partitions >= target_) co_return config->record.partitions;
  LS_CO_ASSIGN(LogRegistrant registrant, RegistrantOf(config->record, id_));
  if (!config->record.pending_expansion) {
    Task<Result<std::optional<StoredConfig>>> announce = Announce(context, *std::move(config));
    LS_CO_ASSIGN(config, co_await announce);
    if (!config) co_return std::optional<std::int32_t>();
  }
  const StreamConfigRecord& record = config->record;
  if (record.pending_expansion->base_partitions != record.partitions) {
    co_return Corrupt("a growth begins at another partition than the stream ends")
        .With("object", StreamConfigKey(id_.ns, id_.name))
        .With("field", "_pendingExpansion.basePartitions");
  }
  begun_ = true;
  const std::int32_t grown = record.pending_expansion->target_partitions;
  if (Broken(Rule::kGrowthShownAfterItsLogs)) {
    Task<Result<SwapOutcome>> early = Show(context, *config);
    LS_CO_TRY((co_await early).status());
  }
  LogProvisioning provisioning(access_, id_, std::move(registrant));
  Task<Result<std::vector<LogId>>> provision = provisioning.Provision(context, record.partitions, grown);
  const Result<std::vector<LogId>> made = co_await provision;
  // The stream is being dropped: what the drop leaves of the new partitions, a sweep finds.
  if (!made.ok() && made.status().code() == StatusCode::kFenced) co_return std::optional<std::int32_t>();
  LS_CO_TRY(made.status());
  Task<Result<SwapOutcome>> show = Show(context, *std::move(config));
  LS_CO_ASSIGN(const SwapOutcome shown, co_await show);
  lost_ = lost_ || shown == SwapOutcome::kUnknown;
  // What is still asked for then is seen by another look.
  if (shown != SwapOutcome::kDone || grown < target_) co_return std::optional<std::int32_t>();
  co_return grown;
}

/// The config with the growth in it; nothing where somebody else was faster.
Task<Result<std::optional<StoredConfig>>> StreamGrowth::Announce(OpContext context, StoredConfig config) {
  StreamConfigRecord::PendingExpansion expansion;
  expansion.base_partitions = config.record.partitions;
  expansion.target_partitions = target_;
  config.record.pending_expansion = expansion;
  Task<Result<SwapOutcome>> swap = access_.SwapConfig(context, id_, config.record, config.version);
  LS_CO_ASSIGN(const SwapOutcome announced, co_await swap);
  begun_ = begun_ || announced != SwapOutcome::kConflict;
  if (announced != SwapOutcome::kDone) co_return std::optional<StoredConfig>();
  Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
  LS_CO_ASSIGN(std::optional<StoredConfig> now, co_await read);
  if (!now || now->record != config.record) co_return std::optional<StoredConfig>();
  co_return now;
}

Task<Result<SwapOutcome>> StreamGrowth::Show(OpContext context, StoredConfig config) {
  config.record.SetPartitions(config.record.pending_expansion->target_partitions);
  config.record.pending_expansion.reset();
  if (Broken(Rule::kGrowthIsSwapped)) {
    const std::string key = StreamConfigKey(id_.ns, id_.name);
    LS_CO_ASSIGN(std::string value, EncodeStreamConfig(config.record));
    const Buffer bytes = Buffer::CopyOf(value);
    LS_CO_TRY((co_await access_.meta().Put(context, CatalogPartition(key), key, bytes, WriteGuard())).status());
    co_return SwapOutcome::kDone;
  }
  Task<Result<SwapOutcome>> swap =
      access_.SwapConfig(std::move(context), id_, std::move(config.record), config.version);
  co_return co_await swap;
}

}  // namespace lakestream
