#include "cli/commands/help.h"

#include "cli/exit_code.h"

namespace lakestream {

const char* const kExitCodeHelp =
    "Exit codes:\n"
    "  0    done; for append: every entry is durable and in order\n"
    "  1    failed, and what failed was not done\n"
    "  2    wrong use of the command\n"
    "  3    a change may have been made, now or later; read before you repeat it\n"
    "  4    no such deployment, stream, partition, record, object or input file\n"
    "  5    stored bytes are damaged\n"
    "  130  interrupted (SIGINT), after what was under way had ended; 143 by SIGTERM\n";

int RunHelp(Output& out, const HelpOptions& options) {
  out.Write(options.text);
  return kExitOk;
}

}  // namespace lakestream
