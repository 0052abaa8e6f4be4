#include "log/fsck/section_table.h"

#include <algorithm>

#include "base/hash64.h"
#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {

namespace {

std::uint64_t Word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

}  // namespace

std::uint64_t SectionTable::ObjectHash(std::string_view name) {
  Hash64 hash;
  hash.Add(name);
  return hash.End();
}

SectionTable::Section SectionTable::Of(std::string_view object, const WalSection& section,
                                       std::uint64_t region_bytes) {
  Hash64 hash;
  hash.Add(Word(section.log.value()));
  hash.Add(region_bytes);
  hash.Add(section.entries.size());
  hash.Add(Word(section.RecordCount()));
  hash.Add(Word(section.PayloadBytes()));
  std::int64_t end = 0;
  for (const WalEntry& entry : section.entries) hash.Add(Word(end += entry.record_count));
  return Section{ObjectHash(object), hash.End()};
}

Result<SectionTable::Section> SectionTable::Of(LogId log, const EntryIndex& index, std::string_view record_key) {
  LS_ASSIGN(const std::vector<std::int32_t> ends, DecodeEntryOffsets(index, record_key));
  Hash64 hash;
  hash.Add(Word(log.value()));
  hash.Add(Word(index.file_size));
  hash.Add(Word(index.entry_count));
  hash.Add(Word(index.message_count));
  hash.Add(Word(index.entry_size_bytes));
  for (const std::int32_t end : ends) hash.Add(Word(end));
  return Section{ObjectHash(index.location), hash.End()};
}

void SectionTable::Seal() {
  std::sort(sections_.begin(), sections_.end());
  marks_.assign(sections_.size(), false);
}

std::size_t SectionTable::Find(const Section& section) const {
  const auto found = std::lower_bound(sections_.begin(), sections_.end(), section);
  return static_cast<std::size_t>(found - sections_.begin());
}

SectionTable::Mark SectionTable::MarkNamed(const Section& section) {
  LS_INVARIANT(marks_.size() == sections_.size(), "sections are marked after the table was sealed");
  const std::size_t at = Find(section);
  if (at == sections_.size() || sections_[at] != section) return Mark::kUnknown;
  if (marks_[at]) return Mark::kAgain;
  marks_[at] = true;
  ++named_;
  return Mark::kFound;
}

bool SectionTable::IsNamed(const Section& section) const {
  const std::size_t at = Find(section);
  return at < sections_.size() && sections_[at] == section && marks_[at];
}

bool SectionTable::AnyNamed(std::uint64_t object) const {
  for (std::size_t at = Find(Section{object, 0}); at < sections_.size() && sections_[at].object == object; ++at) {
    if (marks_[at]) return true;
  }
  return false;
}

bool SectionTable::Holds(std::uint64_t object) const {
  const std::size_t at = Find(Section{object, 0});
  return at < sections_.size() && sections_[at].object == object;
}

}  // namespace lakestream
