#include "log/catalog/stream_catalog.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"
#include "log/catalog/stream_creation.h"

namespace lakestream {

namespace {

constexpr int kMaxPartitions = 10'000;
constexpr int kRecordsPerPage = 1000;
constexpr std::string_view kDefaultNamespace = "default";

/// What payloads of a stream mean; fixed at its creation.
constexpr std::string_view kBindingProperty = "lakestream.binding";
constexpr std::string_view kRawBinding = "raw";

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

Result<StringMap> CheckProperties(const std::map<std::string, std::string>& properties) {
  StringMap checked(properties.begin(), properties.end());
  const auto binding = properties.find(std::string(kBindingProperty));
  if (binding == properties.end()) {
    checked.emplace_back(kBindingProperty, kRawBinding);
    std::sort(checked.begin(), checked.end());
  } else if (binding->second != kRawBinding) {
    return InvalidArgument("a binding that this release does not know").With("binding", binding->second);
  }
  return checked;
}

/// Every record of the bounds, from all partitions.
Task<Result<std::vector<MetadataRecord>>> ScanAll(MetadataStore& meta, OpContext context, KeyBounds bounds) {
  KeyRange range;
  range.from = std::move(bounds.first);
  range.to = std::move(bounds.end);
  std::vector<MetadataRecord> records;
  std::string cursor;
  while (true) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, cursor, kRecordsPerPage));
    for (MetadataRecord& record : page.records) records.push_back(std::move(record));
    if (!page.next) co_return records;
    cursor = *page.next;
  }
}

Task<Status> ListNamespace(MetadataStore& meta, OpContext context, std::string ns,
                           std::vector<StreamListing>* streams) {
  const std::string prefix = StreamConfigKey(ns, "");
  Task<Result<std::vector<MetadataRecord>>> scan = ScanAll(meta, std::move(context), StreamConfigKeys(ns));
  LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await scan);
  for (const MetadataRecord& record : records) {
    if (!record.key.starts_with(prefix)) continue;
    StreamListing listing;
    listing.id.ns = ns;
    listing.id.name = record.key.substr(prefix.size());
    if (!CheckStreamName(ns, listing.id.name).ok()) continue;
    LS_CO_ASSIGN(const StreamConfigRecord config, DecodeStreamConfig(record.value.text(), record.key));
    if (config.state == ProvisioningState::kDropped) continue;
    listing.state = LifecycleOf(config.state);
    listing.partitions = config.partitions;
    streams->push_back(std::move(listing));
  }
  co_return OkStatus();
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

StreamCatalog::StreamCatalog(Runtime& runtime, MetadataStore& meta) : runtime_(runtime), meta_(meta) {}

Task<Result<StreamMetadata>> StreamCatalog::CreateStream(OpContext context, StreamIdentifier id, int partitions,
                                                         std::map<std::string, std::string> properties) {
  LS_CO_TRY(CheckStreamName(id.ns, id.name));
  if (partitions < 1 || partitions > kMaxPartitions) {
    co_return InvalidArgument("a stream has 1 to 10000 partitions").With("partitions", partitions);
  }
  LS_CO_ASSIGN(StringMap checked, CheckProperties(properties));
  StreamCreation creation(runtime_, meta_, std::move(id), partitions, std::move(checked));
  Task<Result<StreamMetadata>> run = creation.Run(std::move(context));
  co_return co_await run;
}

Task<Result<StreamMetadata>> StreamCatalog::LoadStream(OpContext context, StreamIdentifier id) {
  LS_CO_TRY(CheckStreamName(id.ns, id.name));
  const std::string key = StreamConfigKey(id.ns, id.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta_.Get(context, Partition::OfKey(key), key));
  if (!answer) co_return NotFound("there is no such stream").With("stream", id.ToString());
  LS_CO_ASSIGN(const StreamConfigRecord config, DecodeStreamConfig(answer->value.text(), key));
  StreamMetadata stream;
  stream.id = id;
  stream.state = LifecycleOf(config.state);
  if (stream.state == LifecycleState::kCreating) {
    co_return Unavailable("the stream is still being created").With("stream", id.ToString());
  }
  if (stream.state == LifecycleState::kDeleting) {
    co_return NotFound("the stream is being dropped").With("stream", id.ToString());
  }
  stream.properties.insert(config.properties.begin(), config.properties.end());
  for (std::int32_t from = 0; from < config.partitions; from += kRecordsPerPage) {
    std::vector<ReadRequest> requests;
    for (std::int32_t i = from; i < std::min(config.partitions, from + kRecordsPerPage); ++i) {
      const std::string partition_key = PartitionKeyOf(id.ns, id.name, i);
      requests.push_back(ReadRequest{Partition::OfKey(partition_key), partition_key, KeyComparison::kEqual});
    }
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta_.Read(context, std::move(requests)));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string partition_key = PartitionKeyOf(id.ns, id.name, from + static_cast<std::int32_t>(i));
      if (!answers[i]) co_return Corrupt("a stream lacks a partition").With("object", partition_key);
      LS_CO_ASSIGN(const LogMetadataRecord record, DecodeLogMetadata(answers[i]->value.text(), partition_key));
      if (!record.log || record.deleted) co_return Corrupt("a partition has no log").With("object", partition_key);
      stream.logs.push_back(*record.log);
    }
  }
  co_return stream;
}

Task<Result<std::vector<StreamListing>>> StreamCatalog::ListStreams(OpContext context) {
  // By way of the namespaces: what else lies below the same root are not streams.
  const std::string prefix = NamespaceKey("");
  Task<Result<std::vector<MetadataRecord>>> scan = ScanAll(meta_, context, NamespaceKeys());
  LS_CO_ASSIGN(const std::vector<MetadataRecord> namespaces, co_await scan);
  std::vector<StreamListing> streams;
  for (const MetadataRecord& record : namespaces) {
    if (!record.key.starts_with(prefix)) continue;
    std::string ns = record.key.substr(prefix.size());
    if (!CheckNamespaceName(ns).ok()) continue;
    Task<Status> list = ListNamespace(meta_, context, std::move(ns), &streams);
    LS_CO_TRY(co_await list);
  }
  std::sort(streams.begin(), streams.end(),
            [](const StreamListing& a, const StreamListing& b) { return a.id < b.id; });
  co_return streams;
}

}  // namespace lakestream
