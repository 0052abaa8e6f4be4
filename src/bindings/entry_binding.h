#pragma once

#include <cstdint>
#include <functional>

#include "kafka/records/record.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/types.h"
#include "log/catalog/binding.h"
#include "log/log_entry.h"

namespace lakestream {

/// What a consumer gets: a record of the entry, or of an opaque entry the whole.
using EntryItem = kafka::Record;

/// Called for one item after another; false ends the walk. The item's views live until it returns.
using ItemVisitor = std::function<bool(const EntryItem&)>;

/// What the payloads of a stream's entries mean (specification, "Binding"). Thread safety: any thread.
class EntryBinding {
 public:
  virtual ~EntryBinding() = default;

  /// How many records an append of this payload has. Errors: invalid_argument where the binding does not allow it, with
  /// what is wrong and where.
  virtual Result<std::int32_t> CountRecords(ByteSpan payload) const = 0;

  /// How many items of the entry a reader gets who starts at `from`, by its header alone.
  virtual std::int64_t CountItems(const LogEntryHeader& header, Offset from) const = 0;

  /// Walks those items. Errors: corrupt (what is stored breaks the binding's format), resource_exhausted, unimplemented;
  /// with entry_offset=. What was walked before the error is right.
  virtual Status Walk(const LogEntry& entry, Offset from, const ItemVisitor& visit) const = 0;
};

/// Lives for ever.
const EntryBinding& EntryBindingFor(Binding binding);

}  // namespace lakestream
