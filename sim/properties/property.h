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

/// What a property must know of a run to say anything about it.
enum class Needs {
  kClients,   ///< what clients saw, and what is there at the end
  kStores,    ///< every change of the stores and every PUT, each in its place
  kInstants,  ///< that no time passes between what the engine does and when its caller knows: virtual time
};

/// Something that is true of every run. One file each; a static PropertyRegistration adds it to the list.
struct Property {
  const char* name;
  const char* says;
  Contradiction (*check)(const Evidence&);
  Needs needs = Needs::kClients;
};

/// Of real processes only what clients saw is known.
inline bool CanBeJudged(const Property& property, const Evidence& evidence) {
  return property.needs == Needs::kClients || !evidence.real;
}

/// By name.
const std::vector<Property>& AllProperties();
const Property* FindProperty(std::string_view name);

struct PropertyRegistration {
  explicit PropertyRegistration(Property property);
};

// What several properties need.

/// For each log, offsets that calls or changes showed, each in its place.
class ShownOffsets {
 public:
  struct Shown {
    Place place = 0;
    Offset offset;
    const Operation* by = nullptr;
  };

  void Add(LogId log, Place place, Offset offset, const Operation* by = nullptr);
  /// Between the last Add and the first question.
  void Finish();
  /// The greatest offset that was shown before the place; null where none was.
  const Shown* GreatestBefore(LogId log, Place place) const;

 private:
  std::map<LogId, std::vector<Shown>> by_log_;  ///< once finished: by place, each with the greatest up to it
};

/// Whether the scenario began to delete the log: its offsets then begin anew.
bool IsDeleted(const Evidence& evidence, LogId log);

/// An entry, and who saw it there. Points into the evidence.
struct Sighting {
  LogId log;
  const SeenEntry* entry = nullptr;
  const Operation* by = nullptr;  ///< null: it is there at the end
  const FinalRecord* in = nullptr;
};
/// Who saw it, for people.
std::string Where(const Sighting& sighting);
/// Every entry in the answer of an append or a read, and every one that is there at the end.
std::vector<Sighting> AllSightings(const Evidence& evidence);

/// The appends by their numbers.
std::map<AppendNumber, const Operation*> AppendsByNumber(const Evidence& evidence);

/// An index record at the moment when it was written.
struct IndexPut : IndexRecord {
  Place place = 0;
  MonotonicTime at;
  LogId log;
};
std::vector<IndexPut> IndexPuts(const Evidence& evidence);
/// Those of writers: RAW records, by sequenced puts.
std::vector<IndexPut> RawPuts(const Evidence& evidence);

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
/// The markers that may have stood, each from the place on. Of real processes: those that trims may have set.
ShownOffsets PossibleMarkers(const Evidence& evidence);

}  // namespace lakestream::sim
