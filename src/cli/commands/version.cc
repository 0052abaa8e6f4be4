#include "cli/commands/version.h"

#include <fmt/format.h>

#include "cli/exit_code.h"
#include "format/deployment_record.h"
#include "format/json.h"

namespace lakestream {

int RunVersion(Output& out, const VersionOptions& options) {
#ifdef __clang__
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
  if (options.json) {
    JsonValue json = JsonValue::Object();
    json.Add("version", JsonValue::String(LAKESTREAM_VERSION))
        .Add("format_version", JsonValue::Int(kFormatVersion))
        .Add("compiler", JsonValue::String(kCompiler));
    out.Write(DumpJson(json) + "\n");
    return kExitOk;
  }
  out.Write(fmt::format("lakestream {}, format version {}, {}\n", LAKESTREAM_VERSION, kFormatVersion, kCompiler));
  return kExitOk;
}

}  // namespace lakestream
