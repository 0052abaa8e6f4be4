#include "bench/folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace lakestream::bench {

Result<Folder> Folder::Make(const std::string& parent, const std::string& name) {
  std::string path = parent + "/" + name;
  std::error_code error;
  if (std::filesystem::create_directory(path, error)) return Folder(std::move(path));
  return Unavailable("a folder for the benchmark cannot be made").With("path", path).With("reason", error.message());
}

Folder::~Folder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::vector<FoundFile> FilesBelow(const std::string& folder) {
  std::vector<FoundFile> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    if (entry.is_regular_file()) files.push_back(FoundFile{entry.path().string(), entry.file_size()});
  }
  std::sort(files.begin(), files.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  return files;
}

Status DamageFile(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  const char last = static_cast<char>(file.get());
  file.seekp(-1, std::ios::end);
  file.put(static_cast<char>(last ^ 1));
  file.close();
  return file.good() ? OkStatus() : Unavailable("a file could not be damaged").With("path", path);
}

}  // namespace lakestream::bench
