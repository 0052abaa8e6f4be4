#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/invariant.h"
#include "log/fsck/section_table.h"

namespace lakestream {

/// Names of objects in 8 bytes and a bit, to be marked by what names them. That two names hash alike has a chance of
/// 2^-64 for each pair. Thread safety: none.
class NameTable {
 public:
  void Add(std::string_view name) { hashes_.push_back(SectionTable::ObjectHash(name)); }
  /// Before the first Mark, after the last Add.
  void Seal() {
    std::sort(hashes_.begin(), hashes_.end());
    named_.assign(hashes_.size(), false);
  }

  /// False where there is no such name.
  bool Mark(std::string_view name) {
    LS_INVARIANT(named_.size() == hashes_.size(), "names are marked after the table was sealed");
    const std::size_t at = Find(name);
    if (at == hashes_.size()) return false;
    named_[at] = true;
    return true;
  }
  bool Holds(std::string_view name) const { return Find(name) != hashes_.size(); }
  bool Named(std::string_view name) const {
    const std::size_t at = Find(name);
    return at != hashes_.size() && named_[at];
  }
  bool AllNamed() const { return std::all_of(named_.begin(), named_.end(), [](bool named) { return named; }); }
  std::size_t size() const { return hashes_.size(); }

 private:
  std::size_t Find(std::string_view name) const {
    const std::uint64_t hash = SectionTable::ObjectHash(name);
    const auto at = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
    return at != hashes_.end() && *at == hash ? static_cast<std::size_t>(at - hashes_.begin()) : hashes_.size();
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<bool> named_;
};

}  // namespace lakestream
