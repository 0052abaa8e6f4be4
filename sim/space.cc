#include "sim/space.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "format/log_isolation.h"
#include "sim/compacted_key.h"
#include "sim/properties/log_view.h"

namespace lakestream::sim {
namespace {

/// When every writer knew that a log is isolated.
std::optional<MonotonicTime> IsolationSeen(const Evidence& evidence) {
  for (const StoreEvent& event : evidence.store) {
    if (LogOfIsolationKey(event.change.record.key)) return event.at + evidence.isolation_seen_within;
  }
  return std::nullopt;
}

/// Payload bytes of entries, and of those of them that end above the marker.
struct Payloads {
  std::int64_t all = 0;
  std::int64_t kept = 0;
};

Payloads Weigh(const std::vector<SeenEntry>& entries, Offset start, Offset marker) {
  Payloads payloads;
  for (const SeenEntry& entry : entries) {
    payloads.all += entry.size;
    if (start + entry.offset.value() + entry.records > marker) payloads.kept += entry.size;
  }
  return payloads;
}

/// What is stored and what of it is live, as time goes by.
class SpaceMeter {
 public:
  explicit SpaceMeter(const Evidence& evidence)
      : evidence_(evidence), isolated_(IsolationSeen(evidence)), next_(evidence.objects.begin()) {}

  /// Not earlier than the one before. `view`: of that time.
  SpaceSample At(MonotonicTime now, const LogView& view) {
    for (; next_ != evidence_.objects.end() && next_->at <= now; ++next_) Take(*next_);
    sample_ = SpaceSample{now - evidence_.day->begin, {}, {}};
    for (const auto& [name, object] : objects_) Add(object, &Space::stored, object.bytes);
    for (const auto& [id, log] : view.logs) AddLog(log);
    return sample_;
  }

 private:
  struct Object {
    MonotonicTime at;
    std::int64_t bytes = 0;
  };

  void Take(const ObjectEvent& event) {
    if (event.removed) {
      objects_.erase(event.object);
    } else {
      objects_[event.object] = Object{event.at, event.bytes};
    }
  }

  void Add(const Object& object, std::int64_t Space::*what, std::int64_t bytes) {
    sample_.all.*what += bytes;
    if (isolated_ && object.at > *isolated_) sample_.after_isolation.*what += bytes;
  }

  void AddLog(const LogState& log) {
    // A compacted record comes after those that it replaces.
    std::optional<Offset> replaced_from;
    for (auto record = log.records.rbegin(); record != log.records.rend(); ++record) {
      const IndexRecord& index = record->second;
      if (replaced_from && index.end > *replaced_from) continue;
      replaced_from = index.start;
      if (!index.parquet) AddSection(log, index);
      for (const CompactedFile& file : index.files) AddFile(log, file.name);
    }
  }

  void AddSection(const LogState& log, const IndexRecord& index) {
    const auto object = objects_.find("wal/" + index.object);
    const auto read = evidence_.wal_entries.find(index.object);
    if (object == objects_.end() || read == evidence_.wal_entries.end()) return;
    const auto entries = read->second.entries.find(log.log);
    if (entries == read->second.entries.end()) return;
    Add(object->second, &Space::live, Weigh(entries->second, index.start, log.marker).kept);
  }

  void AddFile(const LogState& log, const std::string& name) {
    const auto read = evidence_.file_entries.find(CompactedKey(log.log, name));
    if (read == evidence_.file_entries.end()) return;
    const Payloads payloads = Weigh(read->second.entries.at(log.log), Offset(0), log.marker);
    if (payloads.kept == 0) return;
    const double share = static_cast<double>(payloads.kept) / static_cast<double>(payloads.all);
    for (const std::string& key : ObjectsOf(log.log, name)) {
      const auto object = objects_.find("compacted/" + key);
      if (object == objects_.end()) continue;
      const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(object->second.bytes));
      Add(object->second, &Space::live, bytes);
      Add(object->second, &Space::sealed, bytes);
    }
  }

  const Evidence& evidence_;
  const std::optional<MonotonicTime> isolated_;
  std::vector<ObjectEvent>::const_iterator next_;
  std::map<std::string, Object> objects_;
  SpaceSample sample_;
};

}  // namespace

std::vector<SpaceSample> SpaceOver(const Evidence& evidence) {
  std::vector<SpaceSample> samples;
  if (!evidence.day) return samples;
  SpaceMeter meter(evidence);
  LogView view;
  MonotonicTime next = evidence.day->begin + kSpaceEvery;
  const auto sample_until = [&](MonotonicTime time) {
    for (; next <= evidence.day->end && next < time; next += kSpaceEvery) samples.push_back(meter.At(next, view));
  };
  LogWatch watch;
  watch.before = [&](const StoreEvent& event, const LogState&) -> Contradiction {
    sample_until(event.at);
    return std::nullopt;
  };
  (void)Replay(evidence, view, watch);
  sample_until(MonotonicTime::max());
  return samples;
}

std::string ToText(const std::vector<SpaceSample>& samples) {
  std::string text =
      "minutes,stored,live,sealed,stored_after_isolation,live_after_isolation,sealed_after_isolation\n";
  for (const SpaceSample& sample : samples) {
    const Space& all = sample.all;
    const Space& after = sample.after_isolation;
    text += fmt::format("{},{},{},{},{},{},{}\n", sample.at / std::chrono::minutes(1), all.stored, all.live, all.sealed,
                        after.stored, after.live, after.sealed);
  }
  return text;
}

}  // namespace lakestream::sim
