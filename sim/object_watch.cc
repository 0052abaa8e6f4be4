#include "sim/object_watch.h"

#include <utility>

#include "format/log_records.h"
#include "log/writer/wal_name.h"
#include "sim/object_entries.h"

namespace lakestream::sim {
namespace {

constexpr std::string_view kParquet = ".parquet";
constexpr std::string_view kCompanion = ".index";

/// A collector asks the store for its time by objects of its own, and some are foreign.
bool IsCompactors(const std::string& key) { return key.find("/lks-") != std::string::npos; }

/// The log in a key as CompactedKey makes it.
LogId LogOf(const std::string& key) {
  const std::size_t begin = key.find('-') + 1;
  return LogId(ParseDecimal(std::string_view(key).substr(begin, key.find('/', begin) - begin)).value_or(-1));
}

}  // namespace

ObjectWatch::ObjectWatch(Evidence& evidence, std::function<Moment()> next, bool collects, MemoryObjectStore& wal,
                         MemoryObjectStore& compacted)
    : evidence_(evidence), next_(std::move(next)), collects_(collects) {
  wal.Observe([this](const std::string& key, const Buffer* bytes) {
    if (collects_) Note(next_(), "wal/" + key, bytes);
    if (bytes != nullptr && IsWalObjectName(key)) evidence_.wal_entries[key] = ReadWalObject(key, *bytes);
  });
  compacted.Observe([this](const std::string& key, const Buffer* bytes) {
    using Kind = CompactedEvent::Kind;
    const Moment moment = next_();
    if (collects_) Note(moment, "compacted/" + key, bytes);
    if (!IsCompactors(key)) return;
    const Kind kind = bytes == nullptr ? Kind::kRemoved : Kind::kWritten;
    evidence_.compacted.push_back(CompactedEvent{moment.place, kind, key});
    if (bytes != nullptr) Written(key, *bytes);
  });
}

void ObjectWatch::Note(const Moment& moment, std::string object, const Buffer* bytes) {
  const std::int64_t size = bytes == nullptr ? 0 : static_cast<std::int64_t>(bytes->size());
  evidence_.objects.push_back(ObjectEvent{moment.place, moment.at, std::move(object), bytes == nullptr, size});
}

void ObjectWatch::Asked(const std::string& key) {
  if (!IsCompactors(key)) return;
  evidence_.compacted.push_back(CompactedEvent{next_().place, CompactedEvent::Kind::kAsked, key});
}

void ObjectWatch::Written(const std::string& key, const Buffer& bytes) {
  const bool parquet = key.ends_with(kParquet);
  const std::string name = key.substr(0, key.size() - (parquet ? kParquet : kCompanion).size());
  // A PUT may be done again, late: each of the two has its place.
  Halves& halves = halves_[name];
  (parquet ? halves.file : halves.companion) = bytes;
  if (!halves.file || !halves.companion) return;
  evidence_.file_entries[name + std::string(kParquet)] =
      ReadCompactedFile(LogOf(key), key, *halves.file, *halves.companion);
}

}  // namespace lakestream::sim
