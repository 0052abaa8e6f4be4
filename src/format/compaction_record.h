#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "format/index_key.h"
#include "format/json.h"
#include "format/log_records.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// Where the compaction of a log stands: one record of this project in the partition P(L), changed only by CreateIfAbsent
// and CompareAndSet, so that compaction index updates of a log never run at once (specification, "Compaction").

/// /lakestream/compaction/{L}. Requires: log >= 0.
std::string CompactionRecordKey(LogId log);
/// All compaction records of a deployment.
KeyBounds CompactionRecordKeys();
/// The log in a key; nothing where the key is none of a compaction record.
std::optional<LogId> LogOfCompactionRecordKey(std::string_view key);

/// /lakestream/compaction-claim/{L}/{session}: an ephemeral record in P(L) of a session that is, or may be, the owner in
/// the log's compaction record; its value is the session's id again. It goes with the session, so that others see whether
/// an owner's session has ended. Requires: log >= 0, a session's id.
std::string CompactionClaimKey(LogId log, std::string_view session);
/// The log in a key; nothing where the key is none of a claim.
std::optional<LogId> LogOfCompactionClaimKey(std::string_view key);

/// Offsets [start, end), with 0 <= start < end.
struct CompactionRange {
  Offset start;
  Offset end;
  friend bool operator==(const CompactionRange&, const CompactionRange&) = default;
};

/// The range of an index record that cannot be compacted, because its object is missing or damaged. Ranges end before
/// it, and the next one starts at its end.
struct QuarantinedRange {
  CompactionRange range;
  std::string reason;  ///< for people; not empty
  friend bool operator==(const QuarantinedRange&, const QuarantinedRange&) = default;
};

/// Nothing is under way.
struct CompactionIdle {
  Offset next;  ///< where the next range may start; not within a quarantined one, but perhaps at its start
  friend bool operator==(const CompactionIdle&, const CompactionIdle&) = default;
};

/// Somebody writes the compacted files of a range. Nothing else names them yet.
struct CompactionWorking {
  std::string owner;  ///< the session of whoever works; not empty
  CompactionRange range;
  std::vector<std::string> files;  ///< names of Parquet files, distinct, at least one; each has a companion, too
  friend bool operator==(const CompactionWorking&, const CompactionWorking&) = default;
};

/// All files are complete; steps C3 and C4 run, or have to be repeated with just these values.
struct CompactionInstalling {
  std::string owner;  ///< the session of whoever installs; not empty
  CompactionRange range;
  IndexKey key;       ///< of the range's last record; ends where the range does
  std::string value;  ///< the bytes of the PARQUET record's EntryIndex; its files fit the range
  friend bool operator==(const CompactionInstalling&, const CompactionInstalling&) = default;
};

/// The log was deleted. Nothing follows.
struct CompactionDropped {
  friend bool operator==(const CompactionDropped&, const CompactionDropped&) = default;
};

struct CompactionRecord {
  std::variant<CompactionIdle, CompactionWorking, CompactionInstalling, CompactionDropped> state;
  std::vector<QuarantinedRange> quarantined;  ///< ascending, disjoint; none overlaps the range of the state
  std::vector<JsonMember> unknown;            ///< fields of later releases; kept and written last
  friend bool operator==(const CompactionRecord&, const CompactionRecord&) = default;
};

/// "idle", "working", "installing", "dropped".
std::string_view CompactionStateName(const CompactionRecord& record);

/// The Parquet files that a record names, and that are no garbage therefore: those of `working`, or of the file index of
/// `installing`. Requires: a record that EncodeCompactionRecord takes.
std::vector<std::string> FilesOf(const CompactionRecord& record);

/// The value of log L's record. Errors: invalid_argument for what the decoder refuses.
Result<std::string> EncodeCompactionRecord(const CompactionRecord& record, LogId log);
/// Errors: corrupt, naming the key as object, and the field, for missing fields, wrong types, an unknown state, fields of
/// another state, and all that the types above rule out.
Result<CompactionRecord> DecodeCompactionRecord(std::string_view value, LogId log);

}  // namespace lakestream
