#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/invariant.h"
#include "format/collection_holds.h"
#include "format/collection_records.h"
#include "runtime/sim/sim_runtime.h"
#include "sim/testing/compaction_history.h"

namespace lakestream::sim {

/// What becomes of the objects of a compaction history. The grace is a minute.
class CollectionHistory : public CompactionHistory {
 public:
  static constexpr Duration kGrace = std::chrono::minutes(1);

  explicit CollectionHistory(CompactionHistory before) : CompactionHistory(std::move(before)) {
    evidence.times.grace = kGrace;
    for (const char* object : {"one", "two", "three", "four", "five"}) {
      evidence.objects.push_back(ObjectEvent{0, MonotonicTime(std::chrono::minutes(10)), std::string("wal/") + object});
    }
  }

  void Written(const std::string& object) { evidence.objects.push_back(ObjectEvent{Next(), now(), object}); }
  void Begin(std::int64_t pass) {
    pass_key_ = CollectionPassKey(pass);
    Store(pass_key_, Value(EncodeCollectionPass(CollectionPassRecord{"c"})));
  }
  /// `ended`: so long before its record came, by boottime; none where that clock says nothing.
  void Complete(std::int64_t pass, std::optional<Duration> ended = std::nullopt) {
    CollectionResultRecord result;
    result.pass = pass;
    if (ended) result.boot = BootStamp{"b", ToMillis(now().time_since_epoch() + kSimBootAhead - *ended)};
    Store(CollectionResultKey(pass), Value(EncodeCollectionResult(result)));
  }
  void BeginAndComplete(std::int64_t pass) {
    Begin(pass);
    Complete(pass);
  }
  void Collect(const std::string& object) {
    const Place place = Next();
    evidence.collected.push_back(CollectedEvent{place, now(), "p.1", object, pass_key_});
    evidence.objects.push_back(ObjectEvent{Next(), now(), object, true});
  }
  void Hold(const std::string& name = "h") {
    const auto after = [&](const CollectionHold& hold) { return hold.name > name; };
    holds_.holds.insert(std::find_if(holds_.holds.begin(), holds_.holds.end(), after), CollectionHold{name, "a copy", 7, {}});
    StoreHolds();
  }
  void Release(const std::string& name = "h") {
    std::erase_if(holds_.holds, [&](const CollectionHold& hold) { return hold.name == name; });
    StoreHolds();
  }

 private:
  void StoreHolds() { Store(std::string(kCollectionHoldsKey), EncodeCollectionHolds(holds_)); }
  static std::string Value(const Result<std::string>& encoded) {
    LS_INVARIANT(encoded.ok(), "a record that can be written");
    return *encoded;
  }
  std::string pass_key_;
  CollectionHolds holds_;
};

/// Objects "one" to "four" are named no more. A pass finds them, and another one begins after the grace.
inline CollectionHistory Waited() {
  CollectionHistory h{Compacted()};
  h.Pass(CollectionHistory::kGrace);
  h.BeginAndComplete(1);
  h.Pass(CollectionHistory::kGrace);
  h.BeginAndComplete(2);
  return h;
}
/// One of them goes.
inline CollectionHistory Collected() {
  CollectionHistory h = Waited();
  h.Collect("wal/one");
  return h;
}

}  // namespace lakestream::sim
