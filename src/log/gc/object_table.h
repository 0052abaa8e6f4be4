#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lakestream {

/// The objects that a pass may have to do with, in 8 bytes and two bits each: by their references (object_names.h). While
/// it grows, up to twice that. Thread safety: none.
class ObjectTable {
 public:
  void Add(std::uint64_t reference) { references_.push_back(reference); }
  /// Before the first of what follows, after the last Add.
  void Seal();

  bool Holds(std::uint64_t reference) const { return Find(reference) < references_.size(); }
  /// Some record names it. Without effect on what is not in the table.
  void MarkNamed(std::uint64_t reference) { Set(named_, reference); }
  bool IsNamed(std::uint64_t reference) const { return Get(named_, reference); }
  /// A second listing showed it, or it is known why it did not.
  void MarkSeen(std::uint64_t reference) { Set(seen_, reference); }
  bool AllSeen() const;
  std::size_t size() const { return references_.size(); }

 private:
  std::size_t Find(std::uint64_t reference) const;
  void Set(std::vector<bool>& bits, std::uint64_t reference);
  bool Get(const std::vector<bool>& bits, std::uint64_t reference) const;

  std::vector<std::uint64_t> references_;
  std::vector<bool> named_;
  std::vector<bool> seen_;
};

}  // namespace lakestream
