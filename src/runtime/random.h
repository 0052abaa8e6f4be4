#pragma once

#include <cstdint>
#include <string>

namespace lakestream {

/// The only source of chance. Thread safety: any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t Next() = 0;

  /// Uniform in [0, bound). Requires: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  /// A random (version 4) UUID as lower-case 8-4-4-4-12 text.
  std::string Uuid();
};

}  // namespace lakestream
