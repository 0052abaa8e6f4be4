#include "cli/description_output.h"

#include <utility>

#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "codec/utf8.h"

namespace lakestream {

int PrintDescription(Environment& environment, Description description, bool json) {
  if (json) {
    if (!description.damage.ok()) {
      description.fields.Add("error", JsonValue::String(Printable(description.damage.message())));
    }
    environment.out().Write(DumpJson(description.fields) + "\n");
  } else {
    environment.out().Write(TreeText(description.fields));
  }
  if (description.damage.ok()) return kExitOk;
  environment.out().Flush();
  PrintError(description.damage);
  return ExitCodeFor(description.damage.code());
}

}  // namespace lakestream
