#include "log/holds/holds.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "format/collection_hold.h"

namespace lakestream {

namespace {
constexpr int kRecordsPerPage = 1000;
}  // namespace

Task<Result<std::vector<HoldListing>>> ListHolds(MetadataStore& meta, OpContext context) {
  const KeyBounds bounds = CollectionHoldKeys();
  KeyRange range;
  range.from = bounds.first;
  range.to = bounds.end;
  std::vector<HoldListing> holds;
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await meta.Scan(context, range, *cursor, kRecordsPerPage));
    for (const MetadataRecord& record : page.records) {
      const std::optional<std::string> name = HoldOfKey(record.key);
      if (!name) continue;
      const Result<CollectionHold> hold = DecodeCollectionHold(record.value.text(), record.key);
      holds.push_back(HoldListing{*name, hold.ok() ? hold->reason : std::string(), record.created_ms});
    }
    cursor = std::move(page.next);
  }
  std::sort(holds.begin(), holds.end(), [](const HoldListing& a, const HoldListing& b) { return a.name < b.name; });
  co_return holds;
}

Task<Status> AddHold(MetadataStore& meta, OpContext context, std::string name, std::string reason) {
  LS_CO_TRY(CheckHoldName(name));
  CollectionHold hold;
  hold.reason = std::move(reason);
  LS_CO_ASSIGN(std::string value, EncodeCollectionHold(hold));
  const std::string key = CollectionHoldKey(name);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> created =
      co_await meta.CreateIfAbsent(std::move(context), Partition::OfKey(key), key, bytes, WriteGuard());
  if (created.status().code() != StatusCode::kAlreadyExists) co_return created.status();
  co_return AlreadyExists("there is a hold of this name").With("hold", name);
}

Task<Status> ReleaseHold(MetadataStore& meta, OpContext context, std::string name) {
  LS_CO_TRY(CheckHoldName(name));
  const std::string key = CollectionHoldKey(name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta.Get(context, Partition::OfKey(key), key));
  if (!answer) co_return NotFound("there is no such hold; see \"lakestream hold list\"").With("hold", name);
  co_return co_await meta.Delete(std::move(context), Partition::OfKey(key), key, WriteGuard());
}

}  // namespace lakestream
