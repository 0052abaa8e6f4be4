#pragma once

#include <cstddef>
#include <string_view>

#include "meta/metadata_store.h"

namespace lakestream {

inline constexpr std::size_t kMaxMetadataKeyBytes = 500;
inline constexpr std::size_t kMaxMetadataValueBytes = std::size_t{4} << 20;
inline constexpr int kMaxMetadataPageLimit = 10000;
inline constexpr Duration kMinSessionTimeout = std::chrono::seconds(2);
inline constexpr Duration kMaxSessionTimeout = std::chrono::seconds(300);

// The limits of MetadataStore's contract, for every back end. Each gives ok or invalid_argument; pure.

/// A key that is read or written, and either bound of a range.
Status CheckMetadataKey(std::string_view key);
/// A key and the value to be written under it.
Status CheckMetadataWrite(std::string_view key, const Buffer& value);
Status CheckMetadataRange(std::string_view from, std::string_view to);
Status CheckMetadataPage(const KeyRange& range, int limit);
Status CheckSequencedPut(const SequencedPutRequest& request);
Status CheckReads(const std::vector<ReadRequest>& requests);
Status CheckSessionTimeout(Duration timeout);
/// The version that CompareAndSet expects.
Status CheckExpectedVersion(std::int64_t version);

}  // namespace lakestream
