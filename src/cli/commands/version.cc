#include "cli/commands/version.h"

#include <fmt/format.h>

#include "cli/exit_code.h"
#include "format/deployment_record.h"

namespace lakestream {

int RunVersion(Output& out, const VersionOptions&) {
#ifdef __clang__
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
  out.Write(fmt::format("lakestream {}, format version {}, {}\n", LAKESTREAM_VERSION, kFormatVersion, kCompiler));
  return kExitOk;
}

}  // namespace lakestream
