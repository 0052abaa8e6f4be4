#include "log/gc/object_table.h"

#include <algorithm>

namespace lakestream {

void ObjectTable::Seal() {
  std::sort(references_.begin(), references_.end());
  references_.erase(std::unique(references_.begin(), references_.end()), references_.end());
  named_.assign(references_.size(), false);
  seen_.assign(references_.size(), false);
}

bool ObjectTable::AllSeen() const { return std::find(seen_.begin(), seen_.end(), false) == seen_.end(); }

std::size_t ObjectTable::Find(std::uint64_t reference) const {
  const auto found = std::lower_bound(references_.begin(), references_.end(), reference);
  const bool there = found != references_.end() && *found == reference;
  return there ? static_cast<std::size_t>(found - references_.begin()) : references_.size();
}

void ObjectTable::Set(std::vector<bool>& bits, std::uint64_t reference) {
  const std::size_t at = Find(reference);
  if (at < references_.size()) bits[at] = true;
}

bool ObjectTable::Get(const std::vector<bool>& bits, std::uint64_t reference) const {
  const std::size_t at = Find(reference);
  return at < references_.size() && bits[at];
}

}  // namespace lakestream
