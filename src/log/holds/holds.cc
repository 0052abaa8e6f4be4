#include "log/holds/holds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/try.h"

namespace lakestream {

namespace {

/// Others who add and release holds are people; so many at once there are not.
constexpr int kMaxAttempts = 100;

struct StandingHolds {
  CollectionHolds holds;
  std::optional<std::int64_t> version;  ///< none: there is no record yet
};

Task<Result<StandingHolds>> ReadHolds(MetadataStore& meta, OpContext context) {
  const std::string key(kCollectionHoldsKey);
  Task<Result<ReadAnswer>> get = meta.Get(std::move(context), Partition::OfKey(key), key);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await get);
  StandingHolds standing;
  if (!answer) co_return standing;
  LS_CO_ASSIGN(standing.holds, DecodeCollectionHolds(answer->value.text(), key));
  standing.version = answer->version;
  co_return standing;
}

/// False where the record has changed since it was read.
Task<Result<bool>> Swap(MetadataStore& meta, OpContext context, StandingHolds next) {
  const std::string key(kCollectionHoldsKey);
  const Buffer value(EncodeCollectionHolds(next.holds));
  Task<Result<WriteAnswer>> write =
      next.version
          ? meta.CompareAndSet(std::move(context), Partition::OfKey(key), key, value, *next.version, WriteGuard())
          : meta.CreateIfAbsent(std::move(context), Partition::OfKey(key), key, value, WriteGuard());
  const Status written = (co_await write).status();
  const bool changed =
      written.code() == StatusCode::kPreconditionFailed || written.code() == StatusCode::kAlreadyExists;
  if (changed) co_return false;
  LS_CO_TRY(written);
  co_return true;
}

using Change = std::function<Status(std::vector<CollectionHold>& holds)>;

/// Changes what stands, whatever others change meanwhile.
Task<Status> ChangeHolds(MetadataStore& meta, OpContext context, Change change) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    Task<Result<StandingHolds>> read = ReadHolds(meta, context);
    LS_CO_ASSIGN(StandingHolds standing, co_await read);
    LS_CO_TRY(change(standing.holds.holds));
    Task<Result<bool>> swap = Swap(meta, context, std::move(standing));
    LS_CO_ASSIGN(const bool swapped, co_await swap);
    if (swapped) co_return OkStatus();
  }
  co_return Unavailable("holds were changed by others each time").With("attempts", kMaxAttempts);
}

/// Where the hold of this name stands, or would.
std::vector<CollectionHold>::iterator PlaceOf(std::vector<CollectionHold>& holds, const std::string& name) {
  return std::lower_bound(holds.begin(), holds.end(), name,
                          [](const CollectionHold& hold, const std::string& wanted) { return hold.name < wanted; });
}

}  // namespace

Task<Result<std::vector<CollectionHold>>> ListHolds(MetadataStore& meta, OpContext context) {
  Task<Result<StandingHolds>> read = ReadHolds(meta, std::move(context));
  LS_CO_ASSIGN(StandingHolds standing, co_await read);
  co_return std::move(standing.holds.holds);
}

Task<Status> AddHold(Runtime& runtime, MetadataStore& meta, OpContext context, std::string name, std::string reason) {
  LS_CO_TRY(CheckHoldName(name));
  LS_CO_TRY(CheckHoldReason(reason));
  const Change add = [&](std::vector<CollectionHold>& holds) -> Status {
    const auto place = PlaceOf(holds, name);
    if (place != holds.end() && place->name == name) {
      return AlreadyExists("there is a hold of this name").With("hold", name);
    }
    if (holds.size() >= kMaxCollectionHolds) {
      return ResourceExhausted("there are too many holds; release some").With("holds", holds.size());
    }
    CollectionHold hold;
    hold.name = name;
    hold.reason = reason;
    hold.created_ms = std::max<std::int64_t>(0, ToMillis(runtime.clock.Wall()));
    holds.insert(place, std::move(hold));
    return OkStatus();
  };
  Task<Status> change = ChangeHolds(meta, std::move(context), add);
  co_return co_await change;
}

Task<Status> ReleaseHold(MetadataStore& meta, OpContext context, std::string name) {
  LS_CO_TRY(CheckHoldName(name));
  const Change release = [&](std::vector<CollectionHold>& holds) -> Status {
    const auto place = PlaceOf(holds, name);
    if (place == holds.end() || place->name != name) {
      return NotFound("there is no such hold; see \"lakestream hold list\"").With("hold", name);
    }
    holds.erase(place);
    return OkStatus();
  };
  Task<Status> change = ChangeHolds(meta, std::move(context), release);
  co_return co_await change;
}

}  // namespace lakestream
