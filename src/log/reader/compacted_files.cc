#include "log/reader/compacted_files.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/reader/missing_object.h"

namespace lakestream {

namespace {

/// As Ursa's readers compare it.
bool SameIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

Status CheckSerdeType(const ParquetFile& file, const CompactedPlace& place) {
  const std::string* const type = file.FindKey("entrySerDeType");
  if (type == nullptr) {
    return Corrupt("a compacted file does not say what its payloads are")
        .With("object", place.path)
        .With("field", "entrySerDeType");
  }
  if (SameIgnoringCase(*type, place.entry_serde_type) || Broken(Rule::kSerdeTypeIsChecked)) return OkStatus();
  return Unimplemented("a compacted file holds other payloads than those of its stream's binding")
      .With("object", place.path)
      .With("entry_serde_type", *type)
      .With("expected", place.entry_serde_type);
}

}  // namespace

Task<Result<CompactedPlace>> CompactedFiles::Find(OpContext context, LogId log, IndexRecordPtr record,
                                                  std::size_t i) {
  if (!record->files.ok()) co_return record->files.status();
  Task<Result<LogHome>> find = homes_.Find(std::move(context), log);
  const Result<LogHome> home = co_await find;
  if (home.status().code() == StatusCode::kNotFound) {
    co_return NotFound("a log has compacted entries, but no stream that says where").With("record", record->key);
  }
  if (!home.ok()) co_return home.status();
  CompactedPlace place;
  place.path = home->directory + "/" + record->files->files[i].name;
  place.entry_serde_type = home->entry_serde_type;
  co_return place;
}

Task<Result<CompanionPtr>> CompactedFiles::Rows(OpContext context, IndexRecordPtr record, std::size_t i,
                                                std::string path) {
  const FileIndex& files = *record->files;
  const std::string name = CompanionNameOf(path);
  const auto most = static_cast<std::size_t>(model::OffsetsOfFile(record->span, files, i));
  Task<Result<CompanionPtr>> fetch = cache_.Rows(std::move(context), std::move(path), most);
  Result<CompanionPtr> rows = co_await fetch;
  if (rows.status().code() == StatusCode::kNotFound) co_return MissingObject(name);
  if (rows.ok()) LS_CO_TRY(model::CheckFileRows(record->span, files, i, **rows, name));
  co_return rows;
}

Task<Result<CompactedTailPtr>> CompactedFiles::Tail(OpContext context, CompactedPlace place) {
  Task<Result<CompactedTailPtr>> fetch = cache_.Tail(std::move(context), place.path);
  Result<CompactedTailPtr> tail = co_await fetch;
  if (tail.status().code() == StatusCode::kNotFound) co_return MissingObject(place.path);
  if (tail.ok()) LS_CO_TRY(CheckSerdeType((*tail)->file, place));
  co_return tail;
}

Task<Result<std::vector<Buffer>>> CompactedFiles::Payloads(OpContext context, std::string path, CompanionPtr rows,
                                                           CompactedTailPtr tail, model::RowRange range) {
  Task<Result<std::vector<Buffer>>> fetch =
      cache_.Payloads(std::move(context), path, std::move(rows), std::move(tail),
                      static_cast<std::int64_t>(range.first), static_cast<std::int64_t>(range.count));
  Result<std::vector<Buffer>> payloads = co_await fetch;
  if (payloads.status().code() == StatusCode::kNotFound) co_return MissingObject(path);
  co_return payloads;
}

}  // namespace lakestream
