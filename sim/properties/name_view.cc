#include "sim/properties/name_view.h"

#include <utility>

#include "sim/properties/log_view.h"

namespace lakestream::sim {

std::vector<std::string> NameView::NamedIn(const LogChange& change) {
  std::vector<std::string> objects;
  const auto add = [&](const std::string& file) {
    for (const std::string& key : ObjectsOf(change.log, file)) objects.push_back("compacted/" + key);
  };
  if (change.index && !change.index->parquet) objects.push_back("wal/" + change.index->object);
  if (change.index) {
    for (const CompactedFile& file : change.index->files) add(file.name);
  }
  if (change.compaction) {
    for (const std::string& file : FilesOf(*change.compaction)) add(file);
  }
  return objects;
}

void NameView::Forget(const std::string& record, MonotonicTime at, bool index) {
  const auto before = by_record_.find(record);
  if (before == by_record_.end()) return;
  for (const std::string& object : before->second) {
    names_[object].erase(record);
    if (index) nameless_since_[object] = at;
  }
  by_record_.erase(before);
}

void NameView::Apply(const StoreEvent& event) {
  const LogChange& change = event.of_log;
  const bool index = change.kind == LogChange::Kind::kIndex;
  if (!index && change.kind != LogChange::Kind::kCompaction) return;
  const std::string& record = event.change.record.key;
  Forget(record, event.at, index);
  if (event.change.removed) return;
  std::vector<std::string> objects = NamedIn(change);
  for (const std::string& object : objects) names_[object].insert(record);
  by_record_[record] = std::move(objects);
}

const std::string* NameView::NamedBy(const std::string& object) const {
  const auto named = names_.find(object);
  return named == names_.end() || named->second.empty() ? nullptr : &*named->second.begin();
}

std::optional<MonotonicTime> NameView::NamelessSince(const std::string& object) const {
  const auto since = nameless_since_.find(object);
  return since == nameless_since_.end() ? std::nullopt : std::optional(since->second);
}

}  // namespace lakestream::sim
