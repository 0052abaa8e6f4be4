#include "log/catalog/stream_catalog.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"
#include "log/catalog/binding.h"
#include "log/catalog/catalog_access.h"
#include "log/catalog/catalog_sweep.h"
#include "log/catalog/namespaces.h"
#include "log/catalog/stream_creation.h"
#include "log/catalog/stream_drop.h"
#include "log/catalog/stream_growth.h"
#include "log/catalog/stream_lister.h"
#include "log/catalog/stream_properties.h"
#include "log/catalog/topics.h"

namespace lakestream {

namespace {

constexpr int kMaxPartitions = 10'000;
constexpr int kReadsPerBatch = 1000;
constexpr std::string_view kDefaultNamespace = "default";

Status CheckPartitions(int partitions) {
  if (partitions >= 1 && partitions <= kMaxPartitions) return OkStatus();
  return InvalidArgument("a stream has 1 to 10000 partitions").With("partitions", partitions);
}

/// The binding, in front of the properties of a new stream.
Result<Binding> TakeBinding(std::map<std::string, std::string>& properties) {
  const auto named = properties.try_emplace(std::string(kBindingProperty), BindingName(Binding::kRaw)).first;
  return ParseBinding(named->second);
}

DrainOptions DrainOf(const CatalogOptions& options) {
  DrainOptions drain;
  drain.timeout = options.drain_timeout;
  return drain;
}

Task<Result<std::vector<LogId>>> LoadLogs(MetadataStore& meta, OpContext context, StreamIdentifier id,
                                          std::int32_t partitions) {
  std::vector<LogId> logs;
  for (std::int32_t from = 0; from < partitions; from += kReadsPerBatch) {
    std::vector<ReadRequest> requests;
    for (std::int32_t i = from; i < std::min(partitions, from + kReadsPerBatch); ++i) {
      const std::string key = PartitionKeyOf(id.ns, id.name, i);
      requests.push_back(ReadRequest{Partition::OfKey(key), key, KeyComparison::kEqual});
    }
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta.Read(context, std::move(requests)));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string key = PartitionKeyOf(id.ns, id.name, from + static_cast<std::int32_t>(i));
      if (!answers[i]) co_return Corrupt("a stream lacks a partition").With("object", key);
      LS_CO_ASSIGN(const LogMetadataRecord record, DecodeLogMetadata(answers[i]->value.text(), key));
      if (!record.log || record.deleted) co_return Corrupt("a partition has no log").With("object", key);
      logs.push_back(*record.log);
    }
  }
  co_return logs;
}

}  // namespace

Result<StreamIdentifier> StreamIdentifier::Parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  StreamIdentifier id;
  if (slash == std::string_view::npos) {
    id.name = std::string(text);
  } else {
    id.ns = std::string(text.substr(0, slash));
    id.name = std::string(text.substr(slash + 1));
  }
  LS_TRY(CheckStreamName(id.ns, id.name));
  return id;
}

std::string StreamIdentifier::ToString() const { return ns == kDefaultNamespace ? name : ns + "/" + name; }

LifecycleState LifecycleOf(ProvisioningState state) {
  switch (state) {
    case ProvisioningState::kActive:
      return LifecycleState::kActive;
    case ProvisioningState::kProvisioning:
      return LifecycleState::kCreating;
    case ProvisioningState::kAborting:
    case ProvisioningState::kDropped:
      break;
  }
  return LifecycleState::kDeleting;
}

Status CheckActive(const StreamConfigRecord* config, const StreamIdentifier& id) {
  if (config == nullptr) return NotFound("there is no such stream").With("stream", id.ToString());
  switch (LifecycleOf(config->state)) {
    case LifecycleState::kActive:
      return OkStatus();
    case LifecycleState::kCreating:
      return Unavailable("the stream is still being created").With("stream", id.ToString());
    case LifecycleState::kDeleting:
      break;
  }
  return NotFound("the stream is being dropped").With("stream", id.ToString());
}

StreamCatalog::StreamCatalog(Runtime& runtime, MetadataStore& meta, CatalogOptions options)
    : runtime_(runtime), meta_(meta), options_(options) {}

CatalogAccess StreamCatalog::Access() const { return CatalogAccess(runtime_, meta_); }

/// The stream that a name means: the one of that very name, else the topic's.
Task<Result<StreamIdentifier>> StreamCatalog::Resolve(OpContext context, StreamIdentifier id) {
  LS_CO_TRY(CheckStreamName(id.ns, id.name));
  if (IsTopicStreamName(id.name)) co_return id;
  const std::string key = StreamConfigKey(id.ns, id.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, Partition::OfKey(key), key));
  if (answer) co_return id;
  Topics topics(Access(), DrainOf(options_));
  Task<Result<std::optional<StreamIdentifier>>> find = topics.Find(std::move(context), id);
  LS_CO_ASSIGN(std::optional<StreamIdentifier> topic, co_await find);
  if (topic) co_return *std::move(topic);
  co_return id;
}

Task<Result<StreamMetadata>> StreamCatalog::CreateStream(OpContext context, StreamIdentifier id, int partitions,
                                                         std::map<std::string, std::string> properties) {
  LS_CO_TRY(CheckStreamName(id.ns, id.name));
  LS_CO_TRY(CheckPartitions(partitions));
  LS_CO_ASSIGN(const Binding binding, TakeBinding(properties));
  StringMap checked(properties.begin(), properties.end());
  Topics topics(Access(), DrainOf(options_));
  if (binding == Binding::kKafka && !IsTopicStreamName(id.name)) {
    Task<Result<StreamMetadata>> create =
        topics.Create(std::move(context), std::move(id), partitions, std::move(checked));
    co_return co_await create;
  }
  // A topic of that name would be hidden. Only a look: the plain name is what counts.
  CatalogAccess access = Access();
  Task<Result<std::optional<StreamIdentifier>>> find = topics.FindClaimed(context, id);
  LS_CO_ASSIGN(const std::optional<StreamIdentifier> topic, co_await find);
  if (topic) {
    Task<Result<std::optional<StoredConfig>>> read = access.ReadConfig(context, *topic);
    LS_CO_ASSIGN(const std::optional<StoredConfig> config, co_await read);
    if (config) co_return AlreadyExists("the stream exists").With("stream", topic->ToString());
  }
  StreamCreation creation(access, std::move(id), partitions, std::move(checked), DrainOf(options_));
  Task<Result<StreamMetadata>> run = creation.Run(std::move(context));
  co_return co_await run;
}

Task<Result<StreamMetadata>> StreamCatalog::LoadStream(OpContext context, StreamIdentifier id) {
  Task<Result<StreamIdentifier>> resolve = Resolve(context, std::move(id));
  LS_CO_ASSIGN(id, co_await resolve);
  CatalogAccess access = Access();
  Task<Result<std::optional<StoredConfig>>> read = access.ReadConfig(context, id);
  LS_CO_ASSIGN(const std::optional<StoredConfig> config, co_await read);
  LS_CO_TRY(CheckActive(config ? &config->record : nullptr, id));
  StreamMetadata stream;
  stream.id = id;
  stream.properties.insert(config->record.properties.begin(), config->record.properties.end());
  stream.revision = config->version;
  Task<Result<std::vector<LogId>>> load = LoadLogs(meta_, context, id, config->record.partitions);
  Result<std::vector<LogId>> logs = co_await load;
  if (!logs.ok() && logs.status().code() == StatusCode::kCorrupt) {
    // A stream that is dropped while it is read has lost partitions: that is no damage.
    Task<Result<std::optional<StoredConfig>>> again = access.ReadConfig(context, id);
    LS_CO_ASSIGN(const std::optional<StoredConfig> now, co_await again);
    LS_CO_TRY(CheckActive(now ? &now->record : nullptr, id));
  }
  LS_CO_TRY(logs.status());
  stream.logs = *std::move(logs);
  co_return stream;
}

Task<Result<std::optional<StreamListing>>> StreamCatalog::FindStream(OpContext context, StreamIdentifier id) {
  Task<Result<StreamIdentifier>> resolve = Resolve(context, std::move(id));
  LS_CO_ASSIGN(id, co_await resolve);
  CatalogAccess access = Access();
  Task<Result<std::optional<StoredConfig>>> read = access.ReadConfig(context, id);
  LS_CO_ASSIGN(const std::optional<StoredConfig> config, co_await read);
  if (!config) co_return std::optional<StreamListing>();
  co_return std::optional<StreamListing>(ListingOf(id, config->record));
}

StreamLister StreamCatalog::ListStreams(std::optional<std::string> ns) { return StreamLister(meta_, std::move(ns)); }

Task<Result<int>> StreamCatalog::GrowStream(OpContext context, StreamIdentifier id, int partitions) {
  LS_CO_TRY(CheckPartitions(partitions));
  Task<Result<StreamIdentifier>> resolve = Resolve(context, std::move(id));
  LS_CO_ASSIGN(id, co_await resolve);
  StreamGrowth growth(Access(), std::move(id), partitions);
  Task<Result<std::int32_t>> run = growth.Run(std::move(context));
  co_return co_await run;
}

Task<Result<StreamProperties>> StreamCatalog::SetProperties(OpContext context, StreamIdentifier id,
                                                            PropertyChange change) {
  Task<Result<StreamIdentifier>> resolve = Resolve(context, std::move(id));
  LS_CO_ASSIGN(id, co_await resolve);
  PropertySetting setting(Access(), std::move(id), std::move(change));
  Task<Result<StreamProperties>> run = setting.Run(std::move(context));
  co_return co_await run;
}

Task<Result<StreamDropped>> StreamCatalog::DropStream(OpContext context, StreamIdentifier id) {
  Task<Result<StreamIdentifier>> resolve = Resolve(context, std::move(id));
  LS_CO_ASSIGN(id, co_await resolve);
  StreamDrop drop(Access(), std::move(id), DrainOf(options_));
  Task<Result<StreamDropped>> run = drop.Run(std::move(context));
  co_return co_await run;
}

Task<Result<SweepReport>> StreamCatalog::Sweep(OpContext context, std::optional<StreamIdentifier> id) {
  if (id) LS_CO_TRY(CheckStreamName(id->ns, id->name));
  CatalogSweep sweep(Access());
  Task<Result<SweepReport>> run = sweep.Run(std::move(context), std::move(id));
  co_return co_await run;
}

Task<Status> StreamCatalog::CreateNamespace(OpContext context, std::string ns,
                                            std::map<std::string, std::string> properties) {
  Namespaces namespaces(Access());
  Task<Status> create = namespaces.Create(std::move(context), std::move(ns), std::move(properties));
  co_return co_await create;
}

Task<Result<std::map<std::string, std::string>>> StreamCatalog::LoadNamespace(OpContext context, std::string ns) {
  Namespaces namespaces(Access());
  Task<Result<std::map<std::string, std::string>>> load = namespaces.Load(std::move(context), std::move(ns));
  co_return co_await load;
}

Task<Result<std::vector<std::string>>> StreamCatalog::ListNamespaces(OpContext context) {
  Namespaces namespaces(Access());
  Task<Result<std::vector<std::string>>> list = namespaces.List(std::move(context));
  co_return co_await list;
}

Task<Result<bool>> StreamCatalog::DropNamespace(OpContext context, std::string ns) {
  Namespaces namespaces(Access());
  Task<Result<bool>> drop = namespaces.Drop(std::move(context), std::move(ns));
  co_return co_await drop;
}

}  // namespace lakestream
