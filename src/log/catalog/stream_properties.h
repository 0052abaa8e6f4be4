#pragma once

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

/// One call of SetProperties: read, change, and CompareAndSet on the version read.
class PropertySetting {
 public:
  PropertySetting(CatalogAccess access, StreamIdentifier id, PropertyChange change)
      : access_(access), id_(std::move(id)), change_(std::move(change)) {}

  Task<Result<StreamProperties>> Run(OpContext context);

 private:
  /// Whether the config differs afterwards. Errors: invalid_argument, unimplemented.
  Result<bool> Apply(StreamConfigRecord& record) const;
  Result<bool> Superseded(const StreamConfigRecord& record) const;
  Task<Result<SwapOutcome>> Write(OpContext context, StreamConfigRecord record, std::int64_t version);

  CatalogAccess access_;
  const StreamIdentifier id_;
  const PropertyChange change_;
};

}  // namespace lakestream
