#include "sim/object_watch.h"

#include <utility>

#include "format/log_records.h"
#include "sim/object_entries.h"

namespace lakestream::sim {
namespace {

constexpr std::string_view kParquet = ".parquet";
constexpr std::string_view kCompanion = ".index";

/// The log in a key as CompactedKey makes it.
LogId LogOf(const std::string& key) {
  const std::size_t begin = key.find('-') + 1;
  return LogId(ParseDecimal(std::string_view(key).substr(begin, key.find('/', begin) - begin)).value_or(-1));
}

}  // namespace

ObjectWatch::ObjectWatch(Evidence& evidence, std::function<Place()> next_place, MemoryObjectStore& wal,
                         MemoryObjectStore& compacted)
    : evidence_(evidence), next_place_(std::move(next_place)) {
  wal.Observe([this](const std::string& key, const Buffer* bytes) {
    if (bytes != nullptr) evidence_.wal_entries[key] = ReadWalObject(key, *bytes);
  });
  compacted.Observe([this](const std::string& key, const Buffer* bytes) {
    using Kind = CompactedEvent::Kind;
    const Kind kind = bytes == nullptr ? Kind::kRemoved : Kind::kWritten;
    evidence_.compacted.push_back(CompactedEvent{next_place_(), kind, key});
    if (bytes != nullptr) Written(key, *bytes);
  });
}

void ObjectWatch::Asked(const std::string& key) {
  evidence_.compacted.push_back(CompactedEvent{next_place_(), CompactedEvent::Kind::kAsked, key});
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
