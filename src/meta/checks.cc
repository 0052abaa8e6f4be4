#include "meta/checks.h"

#include "base/try.h"

namespace lakestream {

Status CheckMetadataKey(std::string_view key) {
  if (key.empty()) return InvalidArgument("a metadata key is empty");
  if (key.size() > kMaxMetadataKeyBytes) {
    return InvalidArgument("a metadata key is too long")
        .With("bytes", key.size())
        .With("limit", kMaxMetadataKeyBytes);
  }
  return OkStatus();
}

Status CheckMetadataWrite(std::string_view key, const Buffer& value) {
  LS_TRY(CheckMetadataKey(key));
  if (value.size() > kMaxMetadataValueBytes) {
    return InvalidArgument("a metadata value is too long")
        .With("key", key)
        .With("bytes", value.size())
        .With("limit", kMaxMetadataValueBytes);
  }
  return OkStatus();
}

Status CheckMetadataRange(std::string_view from, std::string_view to) {
  LS_TRY(CheckMetadataKey(from));
  return CheckMetadataKey(to);
}

Status CheckMetadataPage(const KeyRange& range, int limit) {
  LS_TRY(CheckMetadataRange(range.from, range.to));
  if (limit < 1 || limit > kMaxMetadataPageLimit) {
    return InvalidArgument("a page's limit is out of range").With("limit", limit).With("max", kMaxMetadataPageLimit);
  }
  return OkStatus();
}

Status CheckSequencedPut(const SequencedPutRequest& request) {
  // Two groups of "-" and 20 digits follow the prefix, and the whole key has to be legal.
  constexpr std::size_t kSuffixBytes = 42;
  LS_TRY(CheckMetadataWrite(request.prefix, request.value));
  if (request.prefix.size() + kSuffixBytes > kMaxMetadataKeyBytes) {
    return InvalidArgument("a sequenced put's prefix is too long").With("bytes", request.prefix.size());
  }
  if (request.prefix.find('/') != std::string::npos) {
    return InvalidArgument("a sequenced put's prefix has a slash").With("prefix", request.prefix);
  }
  if (request.first_delta < 1) {
    return InvalidArgument("a sequenced put's first delta is below 1").With("first_delta", request.first_delta);
  }
  if (request.second_delta < 0) {
    return InvalidArgument("a sequenced put's second delta is negative").With("second_delta", request.second_delta);
  }
  return OkStatus();
}

Status CheckReads(const std::vector<ReadRequest>& requests) {
  for (const ReadRequest& request : requests) LS_TRY(CheckMetadataKey(request.key));
  return OkStatus();
}

Status CheckSessionTimeout(Duration timeout) {
  if (timeout < kMinSessionTimeout || timeout > kMaxSessionTimeout) {
    return InvalidArgument("a session's time-out is out of range").With("timeout", FormatDuration(timeout));
  }
  return OkStatus();
}

Status CheckExpectedVersion(std::int64_t version) {
  if (version < 0) return InvalidArgument("an expected version is negative").With("version", version);
  return OkStatus();
}

}  // namespace lakestream
