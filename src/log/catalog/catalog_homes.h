#pragma once

#include <mutex>
#include <unordered_map>

#include "log/log_homes.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// Looks a log's stream up by the log's registration and the stream's config, in whatever state that is: what was
/// dropped can be read until its logs are gone. Keeps the answers, since they never change.
class CatalogHomes final : public LogHomes {
 public:
  explicit CatalogHomes(MetadataStore& meta) : meta_(meta) {}

  Task<Result<LogHome>> Find(OpContext context, LogId log) override;

 private:
  MetadataStore& meta_;
  std::mutex mutex_;
  std::unordered_map<std::int64_t, LogHome> kept_;  ///< by log id
};

}  // namespace lakestream
