// Runs a fuzz target over the files of its corpus, with any compiler: TARGET_fuzz FILE_OR_FOLDER...
// Ends with 1 where there is no file, or where one of the target's decoders accepted none.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz_run.h"

namespace lakestream {
namespace {

std::vector<std::string> ListFiles(const std::string& root) {
  if (!std::filesystem::is_directory(root)) return {root};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool RunFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return false;
  // The last name printed is the input that failed.
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  // Exactly as many bytes, so that a sanitizer sees a read behind them.
  const auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(text.size());
  if (!text.empty()) std::memcpy(bytes.get(), text.data(), text.size());
  RunFuzzInput(ByteSpan(bytes.get(), text.size()));
  return true;
}

int RunAll(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (const std::string& file : ListFiles(argv[i])) {
      if (RunFile(file)) continue;
      std::fprintf(stderr, "cannot read %s\n", file.c_str());
      return 1;
    }
  }
  PrintFuzzCounts(stdout);
  if (FuzzCountsHold()) return 0;
  std::fprintf(stderr, "nothing ran, or a decoder accepted nothing\n");
  return 1;
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) { return lakestream::RunAll(argc, argv); }
