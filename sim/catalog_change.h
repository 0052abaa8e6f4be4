#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/catalog_records.h"
#include "lakestream/types.h"
#include "meta/memory/memory_metadata_backend.h"

namespace lakestream::sim {

/// What a change of the metadata store is to the catalog. Read once, for all who judge it.
struct CatalogChange {
  enum class Kind { kNone, kConfig, kTombstone, kMapping, kRegistration, kRecord, kFence, kLease, kIndex };

  Kind kind = Kind::kNone;
  std::string stream;  ///< config, tombstone, mapping, record; "namespace/name"
  std::int32_t partition = 0;
  LogId log;  ///< registration, fence, lease, index
  // What was written; nothing of what was removed, or cannot be decoded.
  std::optional<StreamConfigRecord> config;
  std::optional<LogMappingRecord> mapping;
  std::optional<LogRegistrationRecord> registration;
  std::optional<LogMetadataRecord> record;

  /// By the key alone.
  static CatalogChange OfKey(const std::string& key);
  static CatalogChange Of(const MetadataChange& change);
};

}  // namespace lakestream::sim
