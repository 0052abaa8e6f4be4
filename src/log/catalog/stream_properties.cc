#include "log/catalog/stream_properties.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/catalog/binding.h"

namespace lakestream {

namespace {

using Properties = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 5> kFixed = {kBindingProperty, kLogicalNameProperty, kTopicNameProperty,
                                                    kTopicIdProperty, kTopicManagedProperty};

bool IsFixed(const std::string& name) { return std::find(kFixed.begin(), kFixed.end(), name) != kFixed.end(); }

Status FixedProperty(const std::string& name) {
  return InvalidArgument("a property that is fixed when the stream is created").With("property", name);
}

StreamProperties Told(const StoredConfig& config, bool changed) {
  StreamProperties told;
  told.properties.insert(config.record.properties.begin(), config.record.properties.end());
  told.revision = config.version;
  told.changed = changed;
  return told;
}

}  // namespace

Task<Result<StreamProperties>> PropertySetting::Run(OpContext context) {
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    Task<Result<std::optional<StoredConfig>>> read = access_.ReadConfig(context, id_);
    LS_CO_ASSIGN(std::optional<StoredConfig> config, co_await read);
    LS_CO_TRY(CheckActive(config ? &config->record : nullptr, id_));
    if (change_.revision && *change_.revision != config->version && !Broken(Rule::kPropertiesAreSwapped)) {
      co_return PreconditionFailed("the stream has another revision")
          .With("revision", config->version)
          .With("asked", *change_.revision);
    }
    LS_CO_ASSIGN(const bool differs, Apply(config->record));
    if (!differs) co_return Told(*config, false);
    Task<Result<SwapOutcome>> write = Write(context, config->record, config->version);
    LS_CO_ASSIGN(const SwapOutcome written, co_await write);
    if (written == SwapOutcome::kDone) {
      Task<Result<std::optional<StoredConfig>>> again = access_.ReadConfig(context, id_);
      const Result<std::optional<StoredConfig>> now = co_await again;
      // Somebody else's later change, or none that can be read: this one was made.
      if (now.ok() && *now && (*now)->record == config->record) config->version = (*now)->version;
      co_return Told(*config, true);
    }
    // Made again, it might undo what others have made of it meanwhile.
    if (written == SwapOutcome::kUnknown) {
      co_return Indeterminate("the answer was lost, and others have changed the stream since")
          .With("stream", id_.ToString());
    }
  }
  co_return Unavailable("others kept changing the stream").With("stream", id_.ToString());
}

Result<bool> PropertySetting::Superseded(const StreamConfigRecord& record) const {
  if (!change_.source_revision || !record.properties_source_revision) return false;
  if (record.properties_source_revision->kind != JsonValue::Kind::kInt) {
    return Unimplemented("another program keeps revisions in a form that is not known").With("stream", id_.ToString());
  }
  return record.properties_source_revision->integer >= *change_.source_revision;
}

Result<bool> PropertySetting::Apply(StreamConfigRecord& record) const {
  LS_ASSIGN(const bool superseded, Superseded(record));
  if (superseded) return false;
  Properties properties(record.properties.begin(), record.properties.end());
  const Properties before = properties;
  if (change_.replace) {
    std::erase_if(properties, [](const auto& property) { return !IsFixed(property.first); });
  }
  for (const std::string& name : change_.remove) {
    if (IsFixed(name) && properties.contains(name)) return FixedProperty(name);
    properties.erase(name);
  }
  for (const auto& [name, value] : change_.set) {
    const auto found = properties.find(name);
    if (IsFixed(name) && (found == properties.end() || found->second != value)) return FixedProperty(name);
    properties[name] = value;
  }
  if (properties == before && !change_.source_revision) return false;
  record.properties.assign(properties.begin(), properties.end());
  if (change_.source_revision) record.properties_source_revision = JsonValue::Int(*change_.source_revision);
  return true;
}

Task<Result<SwapOutcome>> PropertySetting::Write(OpContext context, StreamConfigRecord record, std::int64_t version) {
  if (Broken(Rule::kPropertiesAreSwapped)) {
    const std::string key = StreamConfigKey(id_.ns, id_.name);
    LS_CO_ASSIGN(std::string value, EncodeStreamConfig(record));
    const Buffer bytes = Buffer::CopyOf(value);
    LS_CO_TRY((co_await access_.meta().Put(context, CatalogPartition(key), key, bytes, WriteGuard())).status());
    co_return SwapOutcome::kDone;
  }
  Task<Result<SwapOutcome>> swap = access_.SwapConfig(std::move(context), id_, std::move(record), version);
  co_return co_await swap;
}

}  // namespace lakestream
