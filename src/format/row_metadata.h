#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/log_entry_header.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// LakehouseEntryMetadata: what a companion file keeps of a row (specification, "Companion files").

struct RowMetadata {
  LogEntryHeader header;
  std::optional<std::int64_t> schema_version;  ///< never set by this project: it has no schemas
  friend bool operator==(const RowMetadata&, const RowMetadata&) = default;
};

/// What must hold of every entry: at least one record; no number negative; an end that 64 bits can hold; a cumulative
/// size that the entry's own size is part of. Otherwise invalid_argument, with field=.
Status CheckEntryHeader(const LogEntryHeader& header);

/// The message's bytes: all five fields of the header, zeros too. Requires: CheckEntryHeader takes the header.
std::string EncodeRowMetadata(const RowMetadata& metadata);

/// `object` names the companion in messages. Unknown fields are skipped, and the reserved ones; a field that the header
/// lacks is 0. Errors: corrupt, naming object, field and offset (in these bytes), for broken wire bytes, another wire
/// type, a message without a header, a known field twice, and what CheckEntryHeader refuses.
Result<RowMetadata> DecodeRowMetadata(ByteSpan bytes, std::string_view object);

}  // namespace lakestream
