#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/log_records.h"
#include "lakestream/status.h"

namespace lakestream {

// What passes of the garbage collector leave for later ones (specification, "Reclaiming WAL objects"; docs/gc.md). Each
// record is written once and never changed, but for the marks. Creation times, by the metadata store, are when a pass
// started and when it ended.

/// Where all of these records live, but for the marks.
inline constexpr std::string_view kCollectionPartition = "/lakestream/gc";

/// The marks of a pass: the same two records in every shard, each at the end of a range that a pass scans, so that a scan
/// of it that does not give the mark was cut. Every pass overwrites them.
inline constexpr std::string_view kIndexMarkKey = "lakestream-gc-pass";
inline constexpr std::string_view kCompactionMarkKey = "/lakestream/compaction/gc-pass";
/// Keys of index records of all logs, and kIndexMarkKey behind them.
KeyBounds MarkedIndexKeys();
/// Compaction records of all logs, and kCompactionMarkKey behind them.
KeyBounds MarkedCompactionKeys();
bool IsCollectionMark(std::string_view key);
/// The number of the pass, in ASCII decimal.
std::string EncodeCollectionMark(std::int64_t pass);
/// Errors: corrupt.
Result<std::int64_t> DecodeCollectionMark(std::string_view value, std::string_view object);

/// An object below a root by which a pass asks the store for its time, and which it deletes at once. Nothing names it.
std::string CollectionProbeName(std::string_view uuid);
bool IsCollectionProbeName(std::string_view name);

/// A pass that was begun. The number is in the key, 1 or more; whoever creates the record has the number for himself.
struct CollectionPassRecord {
  std::string collector;  ///< names who began it; not empty
  friend bool operator==(const CollectionPassRecord&, const CollectionPassRecord&) = default;
};
/// /lakestream/gc/passes/{number:020d}. Requires: number >= 0.
std::string CollectionPassKey(std::int64_t number);
KeyBounds CollectionPassKeys();
std::optional<std::int64_t> NumberOfCollectionPassKey(std::string_view key);
/// Errors: invalid_argument.
Result<std::string> EncodeCollectionPass(const CollectionPassRecord& record);
/// Errors: corrupt.
Result<CollectionPassRecord> DecodeCollectionPass(std::string_view value, std::string_view object);

/// A moment on the clock that runs on while a machine sleeps.
struct BootStamp {
  std::string boot_id;  ///< the kernel's name for this boot of this machine; not empty
  std::int64_t ms = 0;  ///< since the boot
  friend bool operator==(const BootStamp&, const BootStamp&) = default;
};

/// A pass that was complete. The one with the greatest number has the candidates that count.
struct CollectionResultRecord {
  std::int64_t pass = 0;        ///< its number, 1 or more; names its candidate records
  std::int64_t candidates = 0;
  std::int64_t bytes = 0;       ///< of all of them
  std::int32_t records = 0;     ///< candidate records, numbered from 0
  std::optional<BootStamp> boot;  ///< when it ended; none where that clock says nothing
  friend bool operator==(const CollectionResultRecord&, const CollectionResultRecord&) = default;
};
/// /lakestream/gc/results/{number:020d}. Requires: number >= 0.
std::string CollectionResultKey(std::int64_t number);
KeyBounds CollectionResultKeys();
std::optional<std::int64_t> NumberOfCollectionResultKey(std::string_view key);
/// Errors: invalid_argument for what the decoder refuses.
Result<std::string> EncodeCollectionResult(const CollectionResultRecord& record);
/// Errors: corrupt, naming the field.
Result<CollectionResultRecord> DecodeCollectionResult(std::string_view value, std::string_view object);

/// An object that nothing named.
struct CollectionCandidate {
  std::string object;      ///< "wal/" or "compacted/", and its key below that root
  std::int64_t bytes = 0;
  /// When a complete pass ended that found it unnamed, and since when every complete one did, in milliseconds since the
  /// Unix epoch. None: the pass that this record belongs to is the first.
  std::optional<std::int64_t> since_ms;
  friend bool operator==(const CollectionCandidate&, const CollectionCandidate&) = default;
};

inline constexpr std::size_t kMaxCandidatesOfRecord = 500;
/// /lakestream/gc/candidates/{pass:020d}-{number:010d}. Requires: both 0 or more.
std::string CandidatesKey(std::int64_t pass, std::int32_t number);
/// All candidate records of one pass.
KeyBounds CandidatesKeys(std::int64_t pass);
/// The pass in a key; nothing where the key is none of candidates.
std::optional<std::int64_t> PassOfCandidatesKey(std::string_view key);
/// 1 to kMaxCandidatesOfRecord, ascending by object. Errors: invalid_argument for what the decoder refuses.
Result<std::string> EncodeCandidates(const std::vector<CollectionCandidate>& candidates);
/// Errors: corrupt, naming the field.
Result<std::vector<CollectionCandidate>> DecodeCandidates(std::string_view value, std::string_view object);

}  // namespace lakestream
