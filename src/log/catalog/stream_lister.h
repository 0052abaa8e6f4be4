#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/log_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// The records directly below a prefix, from all partitions, page by page. Thread safety: none.
class RecordPages {
 public:
  RecordPages(MetadataStore& meta, KeyBounds bounds);
  /// A page, or none after the last; a page may be empty.
  Task<Result<std::optional<std::vector<MetadataRecord>>>> Next(OpContext context);

 private:
  MetadataStore* meta_;
  KeyRange range_;
  std::string cursor_;
  bool ended_ = false;
};

/// Goes through streams in bounded memory. Not a snapshot: a stream that is made or dropped meanwhile may be missed or
/// seen. Ordered by identity where all keys are in one shard, as on LMDB. Thread safety: none.
class StreamLister {
 public:
  StreamLister(MetadataStore& meta, std::optional<std::string> ns);

  /// At most 1000 streams; none at the end.
  Task<Result<std::vector<StreamListing>>> Next(OpContext context);

 private:
  Task<Result<bool>> NextNamespace(OpContext context);

  MetadataStore* meta_;
  std::optional<RecordPages> namespaces_;  ///< none: one namespace only
  std::vector<std::string> waiting_;       ///< namespaces that come next, the last one first
  std::string ns_;
  std::optional<RecordPages> streams_;  ///< of ns_
};

/// How a config is listed.
StreamListing ListingOf(const StreamIdentifier& id, const StreamConfigRecord& config);

/// What commands and clients call a stream: of a topic its name without the id.
StreamIdentifier LogicalIdOf(const StreamMetadata& stream);
std::string LogicalNameOf(const std::string& name, const std::map<std::string, std::string>& properties);

}  // namespace lakestream
