#include "log/catalog/catalog_homes.h"

#include <optional>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"
#include "log/catalog/binding.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

namespace {

/// Logs whose answers are kept. A process that meets more begins anew.
constexpr std::size_t kMostKept = 100'000;

}  // namespace

Task<Result<LogHome>> CatalogHomes::Find(OpContext context, LogId log) {
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(log.value());
    if (kept != kept_.end()) co_return kept->second;
  }
  const std::string key = LogRegistrationKey(log);
  LS_CO_ASSIGN(const ReadAnswer registration, co_await meta_.Get(context, Partition::OfKey(key), key));
  if (!registration) co_return NotFound("the log is not registered").With("log", log.value());
  LS_CO_ASSIGN(const LogRegistrationRecord registered, DecodeLogRegistration(registration->value.text(), key));
  const std::optional<PartitionName> name =
      registered.key ? ParseLogMappingName(*registered.key) : std::optional<PartitionName>();
  if (!name) co_return NotFound("the log's registration names no partition of a stream").With("log", log.value());

  const std::string config_key = StreamConfigKey(name->ns, name->name);
  LS_CO_ASSIGN(const ReadAnswer config, co_await meta_.Get(context, CatalogPartition(config_key), config_key));
  if (!config) {
    co_return NotFound("the log's stream has no config").With("log", log.value()).With("stream", config_key);
  }
  LS_CO_ASSIGN(const StreamConfigRecord record, DecodeStreamConfig(config->value.text(), config_key));
  StreamMetadata stream;
  stream.id.ns = name->ns;
  stream.id.name = name->name;
  for (const auto& [property, value] : record.properties) stream.properties[property] = value;
  LS_CO_ASSIGN(const Binding binding, BindingOf(stream));

  LogHome home;
  home.directory = name->ns + "/" + name->name;
  home.entry_serde_type = EntrySerdeType(binding);
  home.record_name = EntryRecordName(binding);
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kMostKept) kept_.clear();
  kept_[log.value()] = home;
  co_return home;
}

}  // namespace lakestream
