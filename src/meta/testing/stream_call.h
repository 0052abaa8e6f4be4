#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meta/metadata_store.h"

namespace lakestream {

enum class StreamOp {
  kPut,
  kCreateIfAbsent,
  kCreateEphemeral,
  kCompareAndSet,
  kDelete,
  kDeleteRange,
  kRead,
  kList,
  kScan,
  kSequencedPut,
  kOpenSession,
  kCloseSession,
  kKillOther,  ///< the second client dies, with its sessions, and is opened again
  kReopen,     ///< all sessions are closed, all clients go, and the store is opened anew
  kAwaitChange,
};

enum class StreamContext { kUsual, kExpired, kCancelled };
enum class StreamVersion { kCurrent, kOther, kNegative };

/// One request of a batch.
struct StreamPart {
  int partition = 0;
  std::string key;  ///< of a sequenced put: its prefix
  KeyComparison comparison = KeyComparison::kEqual;
  std::int64_t first_delta = 0;
  std::int64_t second_delta = 0;
  int guard = -1;
  bool refused = false;  ///< by its `admit`
};

/// A call of a stream. It stands alone: what it needs of earlier calls are slots that may be empty.
struct StreamCall {
  int id = 0;  ///< names what the call made, and stands in its values
  StreamOp op = StreamOp::kRead;
  StreamContext context = StreamContext::kUsual;
  int client = 0;      ///< 0 or 1
  int partition = 0;   ///< index in StreamPartitions; -1: all of them (List and Scan)
  std::string key;     ///< also the lower bound of a range
  std::string to = {};
  std::string cursor = {};
  std::size_t value_bytes = 0;
  StreamVersion version = StreamVersion::kCurrent;
  int session = -1;    ///< slot of the guard, the owner, or the session itself; -1: none
  int limit = 100;
  std::vector<StreamPart> parts = {};
};

inline constexpr int kStreamSessions = 3;

/// The names of the partitions that a stream may use.
const std::vector<std::string>& StreamPartitions();
/// Bounds of a range that holds every key of a stream.
std::string FirstStreamKey();
std::string EndOfStreamKeys();

/// The stream of a seed. Calls with two faults at once are not drawn: which one is answered is open.
std::vector<StreamCall> DrawStream(std::uint64_t seed);

/// The call as one line.
std::string ToText(const StreamCall& call);

/// The bytes that part `part` of the call writes.
std::string StreamValue(const StreamCall& call, std::size_t part);

}  // namespace lakestream
