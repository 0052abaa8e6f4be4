#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/description.h"
#include "lakestream/buffer.h"

namespace lakestream {

// Any record of the metadata store by its key alone (specification, "Metadata store model" and Appendix B).

enum class RecordKind : std::uint8_t {
  kIndexRecord,
  kTrimMarker,
  kWriteFence,
  kWriteLease,
  kCompactionCursor,
  kCompaction,
  kCompactionClaim,
  kNamespace,
  kStreamConfig,
  kStreamTombstone,
  kPartition,
  kLogIdGenerator,
  kLogIdMapping,
  kLogRegistration,
  kDeployment,
  kCollectionHolds,
  kLogIsolation,
  kCollectionMark,
  kCollectionPass,
  kCollectionResult,
  kCollectionCandidates,
  kTopic,
  kUnknown,
};

/// For example "trim_marker".
std::string_view RecordKindName(RecordKind kind);

struct KnownKey {
  RecordKind kind = RecordKind::kUnknown;
  /// The name of the partition that the record lives in; of an unknown key its own, which may be wrong, and so of a mark,
  /// which is in every shard.
  std::string partition;
};

/// What a key names, from its form.
KnownKey ClassifyKey(std::string_view key);

/// What the value under a key holds. The value of an unknown key is told as bytes.
Description DescribeRecord(std::string_view key, ByteSpan value);

}  // namespace lakestream
