#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/entry_index.h"
#include "format/wal_object.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

/// Every log section of every WAL object in 16 bytes and a bit, to be compared with the index records: a hash of the
/// object's name, and one of all that an index record tells of its section. That two differ and hash alike in both has
/// a chance of 2^-128. Thread safety: none.
class SectionTable {
 public:
  struct Section {
    std::uint64_t object = 0;
    std::uint64_t digest = 0;
    friend auto operator<=>(const Section&, const Section&) = default;
  };

  static std::uint64_t ObjectHash(std::string_view name);
  static Section Of(std::string_view object, const WalSection& section, std::uint64_t region_bytes);
  /// What the record says. Errors: corrupt entry_offsets.
  static Result<Section> Of(LogId log, const EntryIndex& index, std::string_view record_key);

  void Add(const Section& section) { sections_.push_back(section); }
  /// Before the first Mark, after the last Add.
  void Seal();

  enum class Mark {
    kFound,
    kAgain,    ///< an earlier index record named the same section
    kUnknown,  ///< no such section: another shape, another object, or one that came later
  };
  Mark MarkNamed(const Section& section);

  bool IsNamed(const Section& section) const;
  /// Whether some section of the object was marked.
  bool AnyNamed(std::uint64_t object) const;
  bool Holds(std::uint64_t object) const;
  bool AllNamed() const { return named_ == sections_.size(); }
  std::size_t size() const { return sections_.size(); }

 private:
  std::size_t Find(const Section& section) const;

  std::vector<Section> sections_;
  std::vector<bool> marks_;
  std::size_t named_ = 0;
};

}  // namespace lakestream
