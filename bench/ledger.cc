#include "bench/ledger.h"

#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "model/read_plan.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr int kPage = 1000;

/// Which entries of a log an object holds.
struct Held {
  std::int64_t first = 0;
  std::size_t payload_bytes = 0;
  EntryIndex index;
};
/// By the object's name and the log.
using HeldByObject = std::map<std::pair<std::string, LogId>, Held>;

Status WrongLog(std::string_view sentence, LogId log) { return Corrupt(sentence).With("log", log.value()); }

Status CollectLog(MetadataStore& meta, LogId log, std::int64_t entries, std::size_t payload_bytes,
                  HeldByObject* held) {
  const KeyRange range{Partition::OfLog(log), FirstIndexKey(log), LastIndexKey(log)};
  std::string cursor;
  std::int64_t covered = 0;
  while (true) {
    LS_ASSIGN(const ScanPage page, Wait(meta.Scan(OpContext(), range, cursor, kPage)));
    for (const MetadataRecord& record : page.records) {
      if (!IsIndexKeyOf(record.key, log)) continue;
      LS_ASSIGN(const IndexKey key, IndexKey::Decode(record.key));
      LS_ASSIGN(EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
      LS_ASSIGN(const model::IndexSpan span, model::SpanOf(key, index));
      if (span.start != Offset(covered)) return WrongLog("index records do not follow each other", log);
      const std::string location = index.location;
      const Held one{covered, payload_bytes, std::move(index)};
      if (!held->emplace(std::pair(location, log), one).second) return WrongLog("two records name one section", log);
      covered = span.end.value();
    }
    if (!page.next) break;
    cursor = *page.next;
  }
  if (covered == entries) return OkStatus();
  return WrongLog("index records do not cover what was acknowledged", log)
      .With("covered", covered)
      .With("acknowledged", entries);
}

/// Takes the object's records out of `held`.
Status CheckObject(const std::string& name, const NullObjectStore::Taken& taken, HeldByObject* held) {
  const std::uint64_t size = taken.header.size() + taken.payload_bytes;
  LS_ASSIGN(const WalHeader header, DecodeWalHeader(taken.header.span(), size, name));
  PayloadChain chain;
  for (const WalSection& section : header.index.sections) {
    const auto found = held->find(std::pair(name, section.log));
    if (found == held->end()) return Corrupt("no index record names a section of an object").With("object", name);
    const Held& record = found->second;
    LS_TRY(model::CheckSection(record.index, section, header.payload_size));
    for (std::size_t i = 0; i < section.entries.size(); ++i) {
      chain.AddExpected(section.log, record.first + static_cast<std::int64_t>(i), record.payload_bytes);
    }
    held->erase(found);
  }
  if (chain.value() == taken.payload_crc32c) return OkStatus();
  return Corrupt("an object does not hold what was acknowledged").With("object", name);
}

}  // namespace

Result<std::int64_t> CheckLedger(MetadataStore& meta, const NullObjectStore& objects,
                                 const std::vector<const AppendLoad*>& loads) {
  HeldByObject held;
  std::int64_t entries = 0;
  for (const AppendLoad* load : loads) {
    for (std::size_t i = 0; i < load->logs().size(); ++i) {
      LS_TRY(CollectLog(meta, load->logs()[i], load->entries(i), load->payload_bytes(), &held));
      entries += load->entries(i);
    }
  }
  for (const auto& [name, taken] : objects.objects()) LS_TRY(CheckObject(name, taken, &held));
  if (!held.empty()) return Corrupt("an index record names an object that was never put");
  return entries;
}

Result<std::int64_t> CheckByReading(LogReader& reader, const AppendLoad& load) {
  std::int64_t entries = 0;
  for (std::size_t i = 0; i < load.logs().size(); ++i) {
    const LogId log = load.logs()[i];
    std::int64_t number = 0;
    while (true) {
      LS_ASSIGN(const LogRead read, Wait(reader.Read(OpContext(), log, Offset(number), ReadBounds())));
      if (read.entries.empty()) break;
      for (const LogEntry& entry : read.entries) {
        const bool in_place = entry.header.offset == Offset(number) && entry.payload.size() == load.payload_bytes();
        if (!in_place) return WrongLog("an entry is not in its place", log).With("number", number);
        LS_TRY(CheckPayload(log, number, entry.payload.span()));
        ++number;
      }
    }
    if (number != load.entries(i)) {
      return WrongLog("a log does not hold what was acknowledged", log)
          .With("read", number)
          .With("acknowledged", load.entries(i));
    }
    entries += number;
  }
  return entries;
}

}  // namespace lakestream::bench
