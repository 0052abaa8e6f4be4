// libFuzzer's side of the driver. Its own command line is that of the program.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz_run.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::atexit([] { lakestream::PrintFuzzCounts(stderr); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lakestream::RunFuzzInput(lakestream::ByteSpan(data, size));
  return 0;
}
