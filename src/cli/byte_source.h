#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/environment.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// Bytes to look at, wherever they are.
struct ByteSource {
  std::string name;
  std::uint64_t size = 0;
  std::optional<std::uint32_t> stored_crc32c;  ///< of all bytes, where the store keeps one
  /// `length` bytes from `offset`, cut at the end; of a file never checked against the stored checksum.
  std::function<Result<Buffer>(std::uint64_t offset, std::uint64_t length)> fetch;
};

/// Whether a source on the command line means a file: "-" (standard input), or where no deployment was named,
/// the path of a file that is there.
bool MeansFile(const Environment& environment, const std::string& source);

/// Errors: not_found, unavailable.
Result<ByteSource> OpenFileSource(const std::string& path);

/// An object of the opened deployment's WAL root. Errors: as ObjectStore::Head.
Result<ByteSource> OpenObjectSource(Deployment& deployment, const std::string& key);

}  // namespace lakestream
