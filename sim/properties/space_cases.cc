#include <optional>
#include <string>
#include <utility>

#include "format/log_isolation.h"
#include "sim/properties/property.h"
#include "sim/space.h"
#include "sim/testing/collection_history.h"

// What is live, and what space_converges must accept and refuse.

namespace lakestream::sim {
namespace {

using std::chrono::minutes;

/// A day of eight samples, of which the last two are judged. Entries have 10 bytes each; objects are as large as a case
/// says.
class DayHistory : public CompactionHistory {
 public:
  explicit DayHistory(CompactionHistory before) : CompactionHistory(std::move(before)) {
    evidence.day = Day{now(), now() + 8 * kSpaceEvery};
  }

  void Written(const std::string& object, std::int64_t bytes) {
    evidence.objects.push_back(ObjectEvent{Next(), now(), object, false, bytes});
  }
  void FileWritten(const std::string& name, std::int64_t bytes) {
    Written("compacted/" + CompactedKey(kLog, name), bytes);
  }
  void Removed(const std::string& object) { evidence.objects.push_back(ObjectEvent{Next(), now(), object, true}); }
  void PassUntilSample(int number) {
    Pass(evidence.day->begin + number * kSpaceEvery - now() - minutes(1));
  }
};

/// Six entries, of which the first is trimmed. Two files hold the first five: 80 bytes, of which 70 are live.
DayHistory Stored(CompactionHistory before, Offset marker = Offset(1)) {
  DayHistory h{std::move(before)};
  h.FileWritten("a.parquet", 24);
  h.FileWritten("a.index", 6);
  h.FileWritten("b.parquet", 40);
  h.Written("wal/five", 10);
  h.Marker(marker);
  return h;
}

MadeHistory Converged() { return Stored(Compacted()); }
MadeHistory NoDay() {
  DayHistory h = Stored(Compacted());
  h.Written("wal/one", 20);
  h.evidence.day.reset();
  return h;
}
MadeHistory NothingNamesIt() {
  DayHistory h = Stored(Compacted());
  h.Written("wal/one", 20);
  return h;
}
MadeHistory OtherLogsAreInIt() {
  DayHistory h = Stored(Compacted());
  h.Written("wal/five", 30);
  return h;
}
MadeHistory ItsFileIsTrimmed() { return Stored(Compacted(), Offset(3)); }
MadeHistory FilesReplaceIt() {
  DayHistory h = Stored(Installed());
  for (const char* object : {"wal/two", "wal/three", "wal/four"}) h.Written(object, 10);
  return h;
}
MadeHistory FilesAreNotInstalled() {
  DayHistory h = Stored(Installing());
  h.Written("wal/one", 20);
  for (const char* object : {"wal/two", "wal/three", "wal/four"}) h.Written(object, 10);
  return h;
}
MadeHistory NothingIsCompacted() {
  DayHistory h{Appended()};
  h.Written("wal/one", 20);
  for (const char* object : {"wal/two", "wal/three", "wal/four", "wal/five"}) h.Written(object, 10);
  h.Marker(Offset(1));
  return h;
}
MadeHistory NothingIsTrimmed() { return Stored(Compacted(), Offset(0)); }
MadeHistory NothingIsLive() {
  DayHistory h{Trimmed()};
  h.Written("wal/one", 20);
  return h;
}

MadeHistory GoesAt(int sample) {
  DayHistory h = Stored(Compacted());
  h.Written("wal/one", 20);
  h.PassUntilSample(sample);
  h.Removed("wal/one");
  return h;
}
MadeHistory GoesBeforeTheLastQuarter() { return GoesAt(7); }
MadeHistory GoesAtTheEnd() { return GoesAt(8); }
MadeHistory ComesAtTheEnd() {
  DayHistory h = Stored(Compacted());
  h.PassUntilSample(8);
  h.Written("wal/one", 20);
  return h;
}

/// `before`, `after`: garbage of so many bytes, written before the log was isolated and after.
DayHistory Isolated(std::int64_t before, std::int64_t after) {
  DayHistory h{Compacted()};
  h.Written("wal/one", before);
  h.Store(LogIsolationKey(CompactionHistory::kLog), std::string(kLogIsolationValue));
  DayHistory later = Stored(std::move(h));
  later.evidence.isolation_seen_within = Duration(1);
  later.Written("wal/two", after);
  return later;
}
MadeHistory WasThereBefore() { return Isolated(1000, 1); }
MadeHistory ComesAfterwards() { return Isolated(1000, 20); }
MadeHistory NobodyKnowsYet() {
  DayHistory h = Isolated(1000, 1);
  h.evidence.isolation_seen_within = std::chrono::hours(24);
  return h;
}

const PropertyCaseRegistration kRegistered[] = {
    PropertyCaseRegistration({"space_converges", Converged, NothingNamesIt}),
    PropertyCaseRegistration({"space_converges", Converged, OtherLogsAreInIt}),
    PropertyCaseRegistration({"space_converges", Converged, ItsFileIsTrimmed}),
    PropertyCaseRegistration({"space_converges", Converged, FilesReplaceIt}),
    PropertyCaseRegistration({"space_converges", Converged, FilesAreNotInstalled}),
    PropertyCaseRegistration({"space_converges", Converged, NothingIsCompacted}),
    PropertyCaseRegistration({"space_converges", Converged, NothingIsTrimmed}),
    PropertyCaseRegistration({"space_converges", Converged, NothingIsLive}),
    PropertyCaseRegistration({"space_converges", NoDay, NothingNamesIt}),
    PropertyCaseRegistration({"space_converges", GoesBeforeTheLastQuarter, GoesAtTheEnd}),
    PropertyCaseRegistration({"space_converges", GoesBeforeTheLastQuarter, ComesAtTheEnd}),
    PropertyCaseRegistration({"space_converges", WasThereBefore, ComesAfterwards}),
    PropertyCaseRegistration({"space_converges", WasThereBefore, NobodyKnowsYet}),
};

}  // namespace
}  // namespace lakestream::sim
