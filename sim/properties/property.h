#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/evidence.h"

namespace lakestream::sim {

/// Says what contradicts what; nothing where the property holds.
using Contradiction = std::optional<std::string>;

/// Something that is true of every run. One file each; a static PropertyRegistration adds it to the list.
struct Property {
  const char* name;
  const char* says;
  Contradiction (*check)(const Evidence&);
};

/// By name.
const std::vector<Property>& AllProperties();
const Property* FindProperty(std::string_view name);

struct PropertyRegistration {
  explicit PropertyRegistration(Property property);
};

// What several properties need.

/// Whether the scenario began to delete the log: its offsets then begin anew.
bool IsDeleted(const Evidence& evidence, LogId log);

/// An entry, and who saw it there.
struct Sighting {
  LogId log;
  SeenEntry entry;
  std::string where;
};
/// Every entry in the answer of an append or a read, and every one that is there at the end.
std::vector<Sighting> AllSightings(const Evidence& evidence);

/// The appends by their numbers.
std::map<AppendNumber, const Operation*> AppendsByNumber(const Evidence& evidence);

/// An index record at the moment when it was written.
struct IndexPut {
  Place place = 0;
  MonotonicTime at;
  LogId log;
  Offset start;
  Offset end;
  std::int64_t cumulative_size = 0;
  std::int64_t size = 0;
  std::string object;
};
std::vector<IndexPut> IndexPuts(const Evidence& evidence);

/// Who asked for an object, and when. Null where nobody did.
const PutEvent* PutOf(const Evidence& evidence, const std::string& object);

/// Whether anything happened to a process between the two.
bool HadTrouble(const Evidence& evidence, const std::string& process, MonotonicTime from, MonotonicTime to);

struct MarkerPut {
  Place place = 0;
  LogId log;
  Offset marker;
};
std::vector<MarkerPut> MarkerPuts(const Evidence& evidence);

}  // namespace lakestream::sim
