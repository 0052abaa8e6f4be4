#include "sim/testing/made_history.h"

#include "base/invariant.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"

namespace lakestream::sim {
namespace {

constexpr LogId kLog(1);
constexpr std::int64_t kRecordBytes = 10;

std::vector<HistoryCase>& RegisteredProperties() {
  static std::vector<HistoryCase> cases;
  return cases;
}
std::vector<HistoryCase>& RegisteredProbes() {
  static std::vector<HistoryCase> cases;
  return cases;
}

}  // namespace

Place MadeHistory::Next() {
  now_ += std::chrono::seconds(1);
  return ++place_;
}

Operation& MadeHistory::Begin(Operation::Kind kind) {
  Operation operation;
  operation.kind = kind;
  operation.process = "p.1";
  operation.log = kLog;
  operation.began = Next();
  operation.at = now_;
  return evidence.operations.emplace_back(std::move(operation));
}

Operation& MadeHistory::End(Operation& operation, Status status) {
  operation.ended = Next();
  operation.ended_at = now_;
  operation.status = std::move(status);
  return operation;
}

Operation& MadeHistory::Append(AppendNumber number, Offset offset, std::int32_t records) {
  Operation& append = Begin(Operation::Kind::kAppend);
  append.number = number;
  append.records = records;
  append.size = records * kRecordBytes;
  append.acknowledged = Entry(number, offset, records);
  return End(append);
}

Operation& MadeHistory::FailedAppend(AppendNumber number, Status status) {
  Operation& append = Begin(Operation::Kind::kAppend);
  append.number = number;
  append.size = kRecordBytes;
  return End(append, std::move(status));
}

Operation& MadeHistory::Read(Offset from, std::vector<SeenEntry> entries, Operation::Kind kind) {
  Operation& read = Begin(kind);
  read.from = from;
  read.next = entries.empty() ? from : entries.back().offset + entries.back().records;
  read.entries = std::move(entries);
  return End(read);
}

Operation& MadeHistory::Extent(Offset first, Offset end) {
  Operation& extent = Begin(Operation::Kind::kExtent);
  extent.low = first;
  extent.high = end;
  return End(extent);
}

Operation& MadeHistory::Trim(Offset asked, Offset before, Offset after) {
  Operation& trim = Begin(Operation::Kind::kTrim);
  trim.asked = asked;
  trim.low = before;
  trim.high = after;
  return End(trim);
}

void MadeHistory::Object(const std::string& name, const std::string& process) {
  const Place place = Next();
  evidence.puts.push_back(PutEvent{place, now_, process, name});
}

void MadeHistory::Record(const std::string& object, std::vector<SeenEntry> entries) {
  WalSection section;
  section.log = kLog;
  std::int64_t bytes = 0;
  for (const SeenEntry& entry : entries) {
    section.entries.push_back(WalEntry{static_cast<std::int32_t>(bytes), static_cast<std::int32_t>(entry.size),
                                       entry.records});
    bytes += entry.size;
  }
  const Result<EntryIndex> index = MakeRawEntryIndex(section, object, bytes, true);
  LS_INVARIANT(index.ok(), "a record that can be written");
  IndexKey key;
  key.log = kLog;
  key.end = entries.back().offset + entries.back().records;
  key.cumulative_size = entries.back().cumulative_size;
  Store(key.Encode(), EncodeEntryIndex(*index));
  FinalRecord record;
  record.start = entries.front().offset;
  record.end = key.end;
  record.cumulative_size = key.cumulative_size;
  record.entries = std::move(entries);
  evidence.final[kLog].records.push_back(std::move(record));
}

void MadeHistory::RecordOf(LogId log, const std::string& object) {
  WalSection section;
  section.log = log;
  section.entries.push_back(WalEntry{kRecordBytes, kRecordBytes, 1});
  const Result<EntryIndex> index = MakeRawEntryIndex(section, object, 2 * kRecordBytes, false);
  LS_INVARIANT(index.ok(), "a record that can be written");
  IndexKey key;
  key.log = log;
  key.end = Offset(1);
  key.cumulative_size = kRecordBytes;
  Store(key.Encode(), EncodeEntryIndex(*index), log.ToString());
}

void MadeHistory::Marker(Offset marker) {
  Store(TrimMarkerKey(kLog), EncodeTrimMarker(marker));
  evidence.final[kLog].marker = marker;
}

void MadeHistory::Lease(const std::string& token, const std::string& process) {
  const std::string key = WriteLeaseKey(kLog, token);
  evidence.lease_owners[key] = process;
  Store(key, token);
}

void MadeHistory::LeaseGone(const std::string& token, bool session_alive) {
  Remove(WriteLeaseKey(kLog, token)).session_alive = session_alive;
}

StoreEvent& MadeHistory::Store(const std::string& key, std::string value, const std::string& partition) {
  StoreEvent event;
  event.place = Next();
  event.at = now_;
  event.change.partition = partition;
  event.change.record.key = key;
  event.change.record.value = Buffer(std::move(value));
  event.of_log = LogChange::Of(event.change);
  event.catalog = CatalogChange::Of(event.change);
  return evidence.store.emplace_back(std::move(event));
}

StoreEvent& MadeHistory::Remove(const std::string& key) {
  std::string last;
  for (const StoreEvent& event : evidence.store) {
    if (event.change.record.key == key) last = event.change.record.value.text();
  }
  StoreEvent& event = Store(key, std::move(last));
  event.change.removed = true;
  event.of_log = LogChange::Of(event.change);
  event.catalog = CatalogChange::Of(event.change);
  return event;
}

void MadeHistory::Happened(Happening::Kind kind, const std::string& process) {
  const Place place = Next();
  evidence.happenings.push_back(Happening{kind, place, now_, process});
}

SeenEntry Entry(AppendNumber number, Offset offset, std::int32_t records) {
  SeenEntry entry;
  entry.offset = offset;
  entry.records = records;
  entry.number = number;
  entry.size = records * kRecordBytes;
  entry.cumulative_size = (offset.value() + records) * kRecordBytes;
  return entry;
}

const std::vector<HistoryCase>& PropertyCases() { return RegisteredProperties(); }
const std::vector<HistoryCase>& ProbeCases() { return RegisteredProbes(); }
PropertyCaseRegistration::PropertyCaseRegistration(HistoryCase of_property) {
  RegisteredProperties().push_back(of_property);
}
ProbeCaseRegistration::ProbeCaseRegistration(HistoryCase of_probe) { RegisteredProbes().push_back(of_probe); }

}  // namespace lakestream::sim
