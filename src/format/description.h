#pragma once

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream {

/// What a record or an object holds, for people and for scripts: a tree of fields with the specification's names.
/// Integers are integers, bytes are strings whose name ends in _hex or _base64.
struct Description {
  JsonValue fields = JsonValue::Object();
  /// ok, or why the reading ended; `fields` then has what came before.
  Status damage;
};

}  // namespace lakestream
