#pragma once

#include <string>

#include "lakestream/status.h"

namespace lakestream {

/// Whether LMDB's shared memory map and the kernel's locks can be relied on there.
enum class FileSystemVerdict { kGood, kDoubtful, kRefused };

struct FileSystemKind {
  const char* name;
  FileSystemVerdict verdict;
};

/// Judges the type number that statfs gives. Pure.
FileSystemKind JudgeFileSystem(long type);

/// Refuses a directory on a network or user-space file system by its name; warns once per process where the
/// file system loses its contents with the machine or is not known.
Status CheckFileSystem(const std::string& directory);

}  // namespace lakestream
