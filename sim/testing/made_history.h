#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/evidence.h"

namespace lakestream::sim {

/// Evidence made by hand, one happening after the other, each a second later. Everything is on log 1 and by client 0
/// of process "p.1" unless it says otherwise. Payloads are 10 bytes for each record.
class MadeHistory {
 public:
  Evidence evidence;

  /// The place and time of what comes next.
  Place Next();
  MonotonicTime now() const { return now_; }
  void Pass(Duration time) { now_ += time; }

  /// A call that has begun. Filled in by the caller; the reference holds until the next call.
  Operation& Begin(Operation::Kind kind);
  Operation& End(Operation& operation, Status status = OkStatus());

  Operation& Append(AppendNumber number, Offset offset, std::int32_t records = 1);
  Operation& FailedAppend(AppendNumber number, Status status);
  /// Entries as they were appended.
  Operation& Read(Offset from, std::vector<SeenEntry> entries, Operation::Kind kind = Operation::Kind::kRead);
  Operation& Extent(Offset first, Offset end);
  Operation& Trim(Offset asked, Offset before, Offset after);

  void Object(const std::string& name, const std::string& process = "p.1");
  /// The index record of entries that are alone in their object. Its end and its sum follow from them.
  void Record(const std::string& object, std::vector<SeenEntry> entries);
  /// The record of another log's entry in the object, which nobody asks for.
  void RecordOf(LogId log, const std::string& object);
  void Marker(Offset marker);
  void Lease(const std::string& token, const std::string& process = "p.1");
  void LeaseGone(const std::string& token, bool session_alive);
  /// What the store does without anybody looking at what it means.
  StoreEvent& Store(const std::string& key, std::string value, const std::string& partition = "1");
  /// Of the record as it was stored last.
  StoreEvent& Remove(const std::string& key);
  void Happened(Happening::Kind kind, const std::string& process = "p.1");

 private:
  Place place_ = 0;
  MonotonicTime now_{std::chrono::minutes(10)};
};

/// An entry at an offset; the sum and the time that go with it when all before it are like it.
SeenEntry Entry(AppendNumber number, Offset offset, std::int32_t records = 1);

/// A property and what it must accept and refuse; or a probe and a trace with and without its event. Registered
/// statically; a test demands one of each property and probe at least.
struct HistoryCase {
  const char* of;
  MadeHistory (*good)();  ///< of a probe: the event is there
  MadeHistory (*bad)();   ///< of a probe: it is not
};
const std::vector<HistoryCase>& PropertyCases();
const std::vector<HistoryCase>& ProbeCases();

struct PropertyCaseRegistration {
  explicit PropertyCaseRegistration(HistoryCase of_property);
};
struct ProbeCaseRegistration {
  explicit ProbeCaseRegistration(HistoryCase of_probe);
};

}  // namespace lakestream::sim
