#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "objstore/local/object_checksum.h"
#include "runtime/posix/posix.h"

namespace lakestream {

/// A file that is being written and has no name yet (O_TMPFILE), or a name that is no object's. Destroying
/// it removes it, unless it was linked. One caller at a time; blocks.
class TempFile {
 public:
  /// Without a name, on the file system of the directory. unimplemented where that cannot do it,
  /// not_found where the directory was removed.
  static Result<TempFile> CreateUnnamed(int directory, const std::string& key);
  /// With this name in this directory, which stays open longer.
  static Result<TempFile> CreateNamed(int directory, std::string name, const std::string& key);

  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&&) = delete;
  ~TempFile();

  /// Appends all the bytes; after an error none of them count, and it may be repeated.
  Status Append(const BufferChain& bytes);
  /// Gives the file the time of now: what is published has the age of its publication.
  Status Touch();
  Status Sync();
  /// Gives the file this name too. Zero, or the error number; EEXIST where the name is taken.
  int Link(int directory, const std::string& name);

  int fd() const { return fd_.get(); }
  Result<ino_t> inode() const;
  std::uint64_t size() const { return checksum_.size(); }
  ObjectChecksum checksum() const { return checksum_.Finish(); }

 private:
  TempFile(UniqueFd fd, int directory, std::string name, std::string key)
      : fd_(std::move(fd)), directory_(directory), name_(std::move(name)), key_(std::move(key)) {}

  UniqueFd fd_;
  int directory_;
  std::string name_;  // empty: unnamed, or moved away
  std::string key_;
  ChecksumBuilder checksum_;
};

}  // namespace lakestream
