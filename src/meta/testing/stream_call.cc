#include "meta/testing/stream_call.h"

#include <limits>

#include "base/testing/op_stream.h"
#include "meta/checks.h"

namespace lakestream {
namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kLongestPrefix = kMaxMetadataKeyBytes - 42;

const std::vector<std::string>& Keys() {
  static const std::vector<std::string> keys = {
      "a", "a-", "ab", "b", "p", "pp", "p-x", "p-00000000000000000007", "p-18446744073709551615", "q-7",
      std::string("a\0", 2), std::string("a\0b", 3), "a\xff", "\xff", "\xff\xff", "~", "-",
      "/", "//", "/a", "/a/", "/a//", "/a/b", "/a/b/c", "/a/\xef\xbf\xbf", "/ab", "/b", "a/", "a/b", "a/b/c", "\xff/",
      std::string(kMaxMetadataKeyBytes, 'k'), std::string(kMaxMetadataKeyBytes - 1, 'k'),
      std::string(kMaxMetadataKeyBytes - 1, 'k') + "/", std::string(kMaxMetadataKeyBytes, '/')};
  return keys;
}
const std::vector<std::string>& Prefixes() {
  static const std::vector<std::string> prefixes = {"p", "p-", "pp", "a", "q", "00000000000000000007",
                                                    std::string("a\0", 2), std::string(kLongestPrefix, 'k')};
  return prefixes;
}
const std::vector<std::string>& BadKeys() {
  static const std::vector<std::string> keys = {"", std::string(kMaxMetadataKeyBytes + 1, 'k')};
  return keys;
}
const std::vector<std::string>& BadPrefixes() {
  static const std::vector<std::string> prefixes = {"", "p/", "/", std::string(kLongestPrefix + 1, 'k')};
  return prefixes;
}

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : draws_(seed) {
    keys_ = draws_.Some(Keys(), 9);
    prefixes_ = draws_.Some(Prefixes(), 3);
    std::vector<int> partitions;
    for (int i = 0; i < static_cast<int>(StreamPartitions().size()); ++i) partitions.push_back(i);
    partitions_ = draws_.Some(std::move(partitions), 4);
  }

  std::vector<StreamCall> All() {
    std::vector<StreamCall> calls;
    const int count = 20 + draws_.Number(100);
    for (int i = 0; i < count; ++i) calls.push_back(Next(i));
    return calls;
  }

 private:
  StreamCall Next(int id) {
    StreamCall call;
    call.id = id;
    call.client = draws_.Number(2);
    call.partition = draws_.Of(partitions_);
    call.key = Key();
    call.value_bytes = ValueBytes();
    const int kind = draws_.Number(100);
    if (kind < 38) {
      DrawWrite(call, kind);
    } else if (kind < 60) {
      DrawReads(call);
    } else if (kind < 74) {
      DrawPages(call);
    } else if (kind < 86) {
      DrawSequencedPut(call);
    } else {
      DrawSession(call, kind - 86);
    }
    const bool has_context = call.op != StreamOp::kKillOther && call.op != StreamOp::kReopen;
    if (!spoiled_ && has_context && draws_.OneIn(25)) {
      call.context = draws_.OneIn(2) ? StreamContext::kExpired : StreamContext::kCancelled;
    }
    spoiled_ = false;
    return call;
  }

  void DrawWrite(StreamCall& call, int kind) {
    call.op = StreamOp::kPut;
    if (kind >= 14) call.op = StreamOp::kCreateIfAbsent;
    if (kind >= 21) call.op = StreamOp::kCompareAndSet;
    if (kind >= 28) call.op = StreamOp::kDelete;
    if (kind >= 32) call.op = StreamOp::kDeleteRange;
    if (draws_.OneIn(6)) call.session = draws_.Number(kStreamSessions);
    if (call.op == StreamOp::kCompareAndSet && draws_.OneIn(3)) {
      call.version = StreamVersion::kOther;
      if (Spoil(3)) call.version = StreamVersion::kNegative;
    }
    if (call.op == StreamOp::kDeleteRange) DrawRange(call);
    if (Spoil(30)) call.key = draws_.Of(BadKeys());
    const bool has_value = call.op != StreamOp::kDelete && call.op != StreamOp::kDeleteRange;
    if (has_value && Spoil(200)) call.value_bytes = kMaxMetadataValueBytes + 1;
  }

  void DrawRange(StreamCall& call) {
    call.to = Key();
    if (call.to < call.key && !draws_.OneIn(4)) std::swap(call.key, call.to);
    if (draws_.OneIn(5)) call.key = FirstStreamKey();
    if (draws_.OneIn(5)) call.to = EndOfStreamKeys();
    if (Spoil(40)) call.to = draws_.Of(BadKeys());
  }

  void DrawReads(StreamCall& call) {
    call.op = StreamOp::kRead;
    const int count = draws_.OneIn(3) ? draws_.Number(5) : 1;
    for (int i = 0; i < count; ++i) {
      StreamPart part;
      part.partition = draws_.Of(partitions_);
      part.key = draws_.OneIn(3) ? draws_.Of(Keys()) : Key();
      part.comparison = draws_.Of(std::vector<KeyComparison>{KeyComparison::kEqual, KeyComparison::kFloor,
                                                             KeyComparison::kCeiling, KeyComparison::kHigher});
      if (Spoil(40)) part.key = draws_.Of(BadKeys());
      call.parts.push_back(std::move(part));
    }
  }

  void DrawPages(StreamCall& call) {
    call.op = draws_.OneIn(2) ? StreamOp::kList : StreamOp::kScan;
    if (draws_.OneIn(3)) call.partition = -1;
    call.limit = draws_.Of(std::vector<int>{1, 2, 3, 64, 65, kMaxMetadataPageLimit});
    DrawRange(call);
    if (Spoil(30)) call.limit = draws_.Of(std::vector<int>{0, -1, kMaxMetadataPageLimit + 1});
    if (Spoil(30)) call.cursor = draws_.Of(std::vector<std::string>{"?", "0", ":", "-1:a", "999999999999:a"});
  }

  void DrawSequencedPut(StreamCall& call) {
    call.op = StreamOp::kSequencedPut;
    const int count = draws_.OneIn(2) ? 1 : draws_.Number(5);
    for (int i = 0; i < count; ++i) {
      StreamPart part;
      part.partition = draws_.Of(partitions_);
      part.key = draws_.Of(prefixes_);
      part.first_delta = draws_.Of(std::vector<std::int64_t>{1, 1, 1, 3, 1000, kMaxInt / 2 + 1, kMaxInt});
      part.second_delta = draws_.Of(std::vector<std::int64_t>{0, 1, 7, 7, kMaxInt});
      if (draws_.OneIn(6)) part.guard = draws_.Number(kStreamSessions);
      part.refused = part.guard < 0 && draws_.OneIn(8);
      if (part.guard < 0 && !part.refused) {
        if (Spoil(20)) part.first_delta = draws_.Of(std::vector<std::int64_t>{0, -1});
        if (Spoil(20)) part.second_delta = -1;
        if (Spoil(20)) part.key = draws_.Of(BadPrefixes());
      }
      call.parts.push_back(std::move(part));
    }
  }

  void DrawSession(StreamCall& call, int kind) {
    call.session = draws_.Number(kStreamSessions);
    call.op = StreamOp::kOpenSession;
    if (kind >= 4) call.op = StreamOp::kCreateEphemeral;
    if (kind >= 9) call.op = StreamOp::kCloseSession;
    if (kind >= 11) call.op = StreamOp::kAwaitChange;
    if (kind == 12) call.op = StreamOp::kKillOther;
    if (kind == 13) call.op = StreamOp::kReopen;
  }

  /// True once in n, and at most once a call.
  bool Spoil(int n) {
    if (spoiled_ || !draws_.OneIn(n)) return false;
    spoiled_ = true;
    return true;
  }
  /// Sequenced keys that are there already come in by chance.
  std::string Key() {
    if (draws_.OneIn(12)) return draws_.Of(prefixes_) + "-00000000000000000001-00000000000000000007";
    return draws_.Of(keys_);
  }
  std::size_t ValueBytes() { return draws_.Of(std::vector<std::size_t>{0, 1, 5, 5, 5, 5, 100, 1989, 2000, 5000}); }

  Draws draws_;
  std::vector<std::string> keys_;
  std::vector<std::string> prefixes_;
  std::vector<int> partitions_;
  bool spoiled_ = false;
};

std::string_view NameOf(StreamOp op) {
  switch (op) {
    case StreamOp::kPut: return "Put";
    case StreamOp::kCreateIfAbsent: return "CreateIfAbsent";
    case StreamOp::kCreateEphemeral: return "CreateEphemeral";
    case StreamOp::kCompareAndSet: return "CompareAndSet";
    case StreamOp::kDelete: return "Delete";
    case StreamOp::kDeleteRange: return "DeleteRange";
    case StreamOp::kRead: return "Read";
    case StreamOp::kList: return "List";
    case StreamOp::kScan: return "Scan";
    case StreamOp::kSequencedPut: return "SequencedPut";
    case StreamOp::kOpenSession: return "OpenSession";
    case StreamOp::kCloseSession: return "CloseSession";
    case StreamOp::kKillOther: return "kill the second client";
    case StreamOp::kReopen: return "reopen the store";
    case StreamOp::kAwaitChange: return "AwaitChange";
  }
  return "unknown";
}

std::string_view NameOf(KeyComparison comparison) {
  switch (comparison) {
    case KeyComparison::kEqual: return "equal";
    case KeyComparison::kFloor: return "floor";
    case KeyComparison::kCeiling: return "ceiling";
    case KeyComparison::kHigher: return "higher";
  }
  return "unknown";
}

std::string PartitionText(int partition) {
  return partition < 0 ? "*" : StreamPartitions()[static_cast<std::size_t>(partition)];
}

std::string PartText(const StreamCall& call, const StreamPart& part) {
  std::string text = " [" + PartitionText(part.partition) + " " + StreamText(part.key);
  if (call.op == StreamOp::kRead) return text + " " + std::string(NameOf(part.comparison)) + "]";
  text += " +" + std::to_string(part.first_delta) + " +" + std::to_string(part.second_delta);
  if (part.guard >= 0) text += " guard=" + std::to_string(part.guard);
  if (part.refused) text += " refused by admit";
  return text + "]";
}

}  // namespace

const std::vector<std::string>& StreamPartitions() {
  static const std::vector<std::string> names = {"7", "8", "9", "70", "/a", "/a/b", "/stream-id-generator"};
  return names;
}

std::string FirstStreamKey() { return std::string(1, '\0'); }
std::string EndOfStreamKeys() { return std::string(kMaxMetadataKeyBytes - 1, '\xff') + "/"; }

std::vector<StreamCall> DrawStream(std::uint64_t seed) { return Drawer(seed).All(); }

std::string ToText(const StreamCall& call) {
  std::string text = "#" + std::to_string(call.id) + " " + std::string(NameOf(call.op));
  if (call.op == StreamOp::kKillOther || call.op == StreamOp::kReopen) return text;
  text += " client=" + std::to_string(call.client);
  const bool range = call.op == StreamOp::kDeleteRange || call.op == StreamOp::kList || call.op == StreamOp::kScan;
  const bool page = range && call.op != StreamOp::kDeleteRange;
  const bool session = call.op == StreamOp::kOpenSession || call.op == StreamOp::kCloseSession;
  if (call.parts.empty() && !session) text += " partition=" + PartitionText(call.partition) + " " + StreamText(call.key);
  if (range) text += " to " + StreamText(call.to);
  if (page) text += " limit=" + std::to_string(call.limit);
  if (!call.cursor.empty()) text += " cursor=" + StreamText(call.cursor);
  const bool value = call.op == StreamOp::kPut || call.op == StreamOp::kCreateIfAbsent ||
                     call.op == StreamOp::kCreateEphemeral || call.op == StreamOp::kCompareAndSet;
  if (value) text += " value of " + std::to_string(call.value_bytes) + " bytes";
  if (call.op == StreamOp::kCompareAndSet) {
    if (call.version == StreamVersion::kCurrent) text += " of the current version";
    if (call.version == StreamVersion::kOther) text += " of another version";
    if (call.version == StreamVersion::kNegative) text += " of a negative version";
  }
  if (call.session >= 0) text += " session=" + std::to_string(call.session);
  for (const StreamPart& part : call.parts) text += PartText(call, part);
  if (call.context == StreamContext::kExpired) text += " in a context that has expired";
  if (call.context == StreamContext::kCancelled) text += " in a cancelled context";
  return text;
}

std::string StreamValue(const StreamCall& call, std::size_t part) {
  if (call.value_bytes == 0) return std::string();
  std::string value = std::to_string(call.id) + "." + std::to_string(part);
  value.resize(call.value_bytes, 'v');
  return value;
}

}  // namespace lakestream
