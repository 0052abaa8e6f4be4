#include "log/catalog/stream_lister.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/catalog_records.h"
#include "log/catalog/binding.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;

/// Nothing for a record that is no stream of this project, or of a stream that is gone.
Result<std::optional<StreamListing>> Decoded(const MetadataRecord& record, const std::string& ns) {
  const std::string prefix = StreamConfigKey(ns, "");
  if (!record.key.starts_with(prefix)) return std::optional<StreamListing>();
  StreamIdentifier id;
  id.ns = ns;
  id.name = record.key.substr(prefix.size());
  if (!CheckStreamName(ns, id.name).ok()) return std::optional<StreamListing>();
  LS_ASSIGN(const StreamConfigRecord config, DecodeStreamConfig(record.value.text(), record.key));
  return std::optional<StreamListing>(ListingOf(id, config));
}

}  // namespace

StreamListing ListingOf(const StreamIdentifier& id, const StreamConfigRecord& config) {
  StreamListing listing;
  listing.id = id;
  listing.state = LifecycleOf(config.state);
  listing.partitions = config.partitions;
  const std::map<std::string, std::string> properties(config.properties.begin(), config.properties.end());
  listing.logical_name = LogicalNameOf(id.name, properties);
  return listing;
}

RecordPages::RecordPages(MetadataStore& meta, KeyBounds bounds) : meta_(&meta) {
  range_.from = std::move(bounds.first);
  range_.to = std::move(bounds.end);
}

Task<Result<std::optional<std::vector<MetadataRecord>>>> RecordPages::Next(OpContext context) {
  if (ended_) co_return std::optional<std::vector<MetadataRecord>>();
  LS_CO_ASSIGN(ScanPage page, co_await meta_->Scan(std::move(context), range_, cursor_, kRecordsPerPage));
  ended_ = !page.next || Broken(Rule::kListingReadsAllPages);
  if (page.next) cursor_ = *std::move(page.next);
  co_return std::optional<std::vector<MetadataRecord>>(std::move(page.records));
}

StreamLister::StreamLister(MetadataStore& meta, std::optional<std::string> ns) : meta_(&meta) {
  if (ns) {
    waiting_.push_back(*std::move(ns));
  } else {
    // By way of the namespaces: what else lies below the same root are not streams.
    namespaces_.emplace(meta, NamespaceKeys());
  }
}

Task<Result<std::vector<StreamListing>>> StreamLister::Next(OpContext context) {
  std::vector<StreamListing> listings;
  while (listings.empty()) {
    if (!streams_) {
      Task<Result<bool>> next = NextNamespace(context);
      LS_CO_ASSIGN(const bool more, co_await next);
      if (!more) break;
    }
    Task<Result<std::optional<std::vector<MetadataRecord>>>> scan = streams_->Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> records, co_await scan);
    if (!records) {
      streams_.reset();
      continue;
    }
    for (const MetadataRecord& record : *records) {
      LS_CO_ASSIGN(std::optional<StreamListing> listing, Decoded(record, ns_));
      if (listing) listings.push_back(*std::move(listing));
    }
  }
  co_return listings;
}

/// False after the last one.
Task<Result<bool>> StreamLister::NextNamespace(OpContext context) {
  while (waiting_.empty()) {
    if (!namespaces_) co_return false;
    Task<Result<std::optional<std::vector<MetadataRecord>>>> scan = namespaces_->Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> records, co_await scan);
    if (!records) co_return false;
    const std::string prefix = NamespaceKey("");
    for (const MetadataRecord& record : *records) {
      if (!record.key.starts_with(prefix)) continue;
      std::string ns = record.key.substr(prefix.size());
      if (CheckNamespaceName(ns).ok()) waiting_.push_back(std::move(ns));
    }
    std::reverse(waiting_.begin(), waiting_.end());
  }
  ns_ = std::move(waiting_.back());
  waiting_.pop_back();
  streams_.emplace(*meta_, StreamConfigKeys(ns_));
  co_return true;
}

StreamIdentifier LogicalIdOf(const StreamMetadata& stream) {
  StreamIdentifier id = stream.id;
  id.name = LogicalNameOf(stream.id.name, stream.properties);
  return id;
}

std::string LogicalNameOf(const std::string& name, const std::map<std::string, std::string>& properties) {
  if (!IsTopicStreamName(name)) return name;
  const std::string topic = TopicOfStreamName(name);
  for (const std::string_view property : {kLogicalNameProperty, kTopicNameProperty}) {
    const auto found = properties.find(std::string(property));
    if (found != properties.end()) return found->second == topic ? topic : name;
  }
  return name;
}

}  // namespace lakestream
