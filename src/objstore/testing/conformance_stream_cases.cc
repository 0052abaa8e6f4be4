#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

#include "base/testing/op_stream.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/testing/conformance_cases.h"
#include "objstore/testing/stream_call.h"
#include "runtime/testing/co_test.h"

// Streams of calls that follow from a seed, done by the store and by a memory store: every answer must be equal, and so
// must everything that is there at the end.

namespace lakestream {
namespace {

constexpr std::uint64_t kSeeds = 30;
constexpr int kMaxPages = 1000;

using Calls = std::vector<ObjectStreamCall>;

std::string CodeText(const Status& status) { return std::string(StatusCodeName(status.code())); }

BufferChain Bytes(const ObjectStreamCall& call) {
  BufferChain chain;
  for (std::size_t i = 0; i < call.part_bytes.size(); ++i) {
    std::string part = std::to_string(call.id) + "." + std::to_string(i) + ".";
    part.resize(call.part_bytes[i], static_cast<char>('a' + call.id % 26));
    chain.Append(Buffer(std::move(part)));
  }
  return chain;
}

/// One store that does the calls and tells its answers as text.
class Side {
 public:
  /// `capabilities`: those of the store under test, also for the oracle, which then answers as such a store has to.
  Side(ObjectStore& store, ObjectStoreCapabilities capabilities, bool oracle)
      : store_(store), capabilities_(capabilities), oracle_(oracle) {}

  /// The call outlives the task.
  Task<std::string> Do(const ObjectStreamCall& call, OpContext context) {
    const bool write = call.op == ObjectStreamOp::kPut || call.op == ObjectStreamOp::kStart;
    if (write && oracle_ && capabilities_.create_only && call.mode == PutMode::kOverwrite) return Refuse();
    switch (call.op) {
      case ObjectStreamOp::kPut: return Code(store_.Put(std::move(context), call.key, Bytes(call), call.mode));
      case ObjectStreamOp::kGet: return Get(call, std::move(context));
      case ObjectStreamOp::kHead: return Head(call, std::move(context));
      case ObjectStreamOp::kList: return List(call, std::move(context));
      case ObjectStreamOp::kDelete: return Code(store_.Delete(std::move(context), call.keys));
      case ObjectStreamOp::kStart: return Start(call, std::move(context));
      default: return GoOn(call, std::move(context));
    }
  }

  /// Every object below the prefix with its bytes, and deletes them all.
  Task<std::string> TakeEverything(std::string prefix) {
    uploads_ = {};
    std::string text;
    std::vector<std::string> keys;
    std::optional<std::string> next = "";
    for (int pages = 0; next; ++pages) {
      if (pages == kMaxPages) co_return "pages without end";
      const OpContext context;
      const Result<ListPage> page = co_await store_.List(context, prefix, *next, 3);
      if (!page.ok()) co_return text + CodeText(page.status());
      for (const ObjectInfo& object : page->objects) keys.push_back(object.key);
      next = page->next;
    }
    for (const std::string& key : keys) {
      ObjectStreamCall call;
      call.key = key;
      const OpContext context;
      text += "\n      " + StreamText(key) + " ";
      text += co_await Get(call, context);
    }
    const OpContext context;
    const Status deleted = co_await store_.Delete(context, keys);
    co_return text + "\n      " + CodeText(deleted);
  }

 private:
  static Task<std::string> Code(Task<Status> task) {
    const Status status = co_await task;
    co_return CodeText(status);
  }
  static Task<std::string> Refuse() { co_return std::string(StatusCodeName(StatusCode::kUnimplemented)); }

  Task<std::string> Get(const ObjectStreamCall& call, OpContext context) {
    const Result<Buffer> bytes = co_await store_.Get(std::move(context), call.key, call.range);
    co_return bytes.ok() ? StreamText(bytes->text()) : CodeText(bytes.status());
  }

  Task<std::string> Head(const ObjectStreamCall& call, OpContext context) {
    const Result<ObjectInfo> info = co_await store_.Head(std::move(context), call.key);
    if (!info.ok()) co_return CodeText(info.status());
    std::string text = StreamText(info->key) + " " + std::to_string(info->size);
    if (capabilities_.keeps_crc32c) text += info->crc32c ? " crc " + std::to_string(*info->crc32c) : " without crc";
    co_return text;
  }

  Task<std::string> List(const ObjectStreamCall& call, OpContext context) {
    std::string text;
    std::string after = call.start_after;
    for (int i = 0; i < call.pages; ++i) {
      if (i == kMaxPages) co_return "pages without end";
      const Result<ListPage> page = co_await store_.List(context, call.key, after, call.limit);
      if (!page.ok()) co_return text + CodeText(page.status());
      for (const ObjectInfo& object : page->objects) {
        text += StreamText(object.key) + " " + std::to_string(object.size) + "; ";
      }
      if (!page->next) co_return text + "end";
      text += "page; ";
      after = *page->next;
    }
    co_return text + "more";
  }

  Task<std::string> Start(const ObjectStreamCall& call, OpContext context) {
    Result<std::unique_ptr<ObjectUpload>> upload =
        co_await store_.StartUpload(std::move(context), call.key, call.mode);
    if (!upload.ok()) co_return CodeText(upload.status());
    // What was in the slot is abandoned.
    UploadOf(call) = *std::move(upload);
    co_return "ok";
  }

  Task<std::string> GoOn(const ObjectStreamCall& call, OpContext context) {
    std::unique_ptr<ObjectUpload>& upload = UploadOf(call);
    if (!upload) co_return "the slot is empty";
    Status status;
    if (call.op == ObjectStreamOp::kAppend) status = co_await upload->Append(std::move(context), Bytes(call));
    if (call.op == ObjectStreamOp::kComplete) status = co_await upload->Complete(std::move(context));
    if (call.op == ObjectStreamOp::kAbort) status = co_await upload->Abort(std::move(context));
    if (call.op == ObjectStreamOp::kDrop) upload.reset();
    co_return CodeText(status);
  }

  std::unique_ptr<ObjectUpload>& UploadOf(const ObjectStreamCall& call) {
    return uploads_[static_cast<std::size_t>(call.upload)];
  }

  ObjectStore& store_;
  const ObjectStoreCapabilities capabilities_;
  const bool oracle_;
  std::array<std::unique_ptr<ObjectUpload>, kStreamUploads> uploads_;
};

struct Difference {
  std::size_t at = 0;  ///< index of the call; their number for the end
  std::string expected;
  std::string actual;
};

/// All of the same length. Each run of a stream has its own, so that nothing an earlier one left behind is in its way.
std::string PrefixOf(std::uint64_t run) {
  const std::string number = std::to_string(run);
  return "s" + std::string(9 - std::min<std::size_t>(number.size(), 9), '0') + number + "-";
}

void MovePrefix(std::string& key, const std::string& from, const std::string& to) {
  if (key.starts_with(from)) key.replace(0, from.size(), to);
}
Calls WithPrefix(Calls calls, const std::string& from, const std::string& to) {
  for (ObjectStreamCall& call : calls) {
    MovePrefix(call.key, from, to);
    MovePrefix(call.start_after, from, to);
    for (std::string& key : call.keys) MovePrefix(key, from, to);
  }
  return calls;
}

OpContext ContextOf(ObjectStreamContext kind, ObjectStoreWorld& world) {
  if (kind == ObjectStreamContext::kExpired) return world.Expired();
  return kind == ObjectStreamContext::kCancelled ? world.Cancelled() : OpContext();
}

Task<std::optional<Difference>> RunStream(ObjectStoreWorld& world, const Calls& calls, std::string prefix) {
  MemoryObjectStore memory(world.runtime());
  const ObjectStoreCapabilities capabilities = world.store().capabilities();
  Side oracle(memory, capabilities, true);
  Side store(world.store(), capabilities, false);
  std::optional<Difference> found;
  for (std::size_t i = 0; i < calls.size() && !found; ++i) {
    Difference difference;
    difference.at = i;
    difference.expected = co_await oracle.Do(calls[i], ContextOf(calls[i].context, world));
    difference.actual = co_await store.Do(calls[i], ContextOf(calls[i].context, world));
    if (difference.expected != difference.actual) found = std::move(difference);
  }
  Difference end;
  end.at = calls.size();
  end.expected = co_await oracle.TakeEverything(prefix);
  end.actual = co_await store.TakeEverything(prefix);
  if (!found && end.expected != end.actual) found = std::move(end);
  co_return found;
}

std::string Report(std::uint64_t seed, const Calls& calls, const Difference& difference) {
  std::string text = "seed " + std::to_string(seed) + ", " + std::to_string(calls.size()) + " calls:\n";
  for (const ObjectStreamCall& call : calls) text += "  " + ToText(call) + "\n";
  if (difference.at == calls.size()) text += "  everything that is there at the end\n";
  constexpr std::size_t kMost = 4000;
  text += "    memory: " + difference.expected.substr(0, kMost) + "\n";
  return text + "    this:   " + difference.actual.substr(0, kMost) + "\n";
}

/// Leaves out what can be left out; `run` numbers the runs.
Task<std::string> Shortest(ObjectStoreWorld& world, std::uint64_t seed, Calls calls, Difference first,
                           std::uint64_t run) {
  StreamShrinker<ObjectStreamCall> shrinker(std::move(calls), first.at);
  Difference last = std::move(first);
  std::string prefix = PrefixOf(run);
  const std::string drawn = prefix;
  std::string told = prefix;
  while (const std::optional<Calls> trial = shrinker.Next()) {
    prefix = PrefixOf(++run);
    const Calls moved = WithPrefix(*trial, drawn, prefix);
    std::optional<Difference> difference = co_await RunStream(world, moved, prefix);
    shrinker.Tell(difference ? std::optional(difference->at) : std::nullopt);
    if (!difference) continue;
    last = *std::move(difference);
    told = prefix;
  }
  // With the keys that the answers have.
  co_return Report(seed, WithPrefix(shrinker.best(), drawn, told), last);
}

Task<void> StreamsAgreeWithMemory(ObjectStoreWorld& world) {
  const SeedRange seeds = OpStreamSeeds(kSeeds);
  const ObjectStoreCapabilities capabilities = world.store().capabilities();
  std::uint64_t run = 0;
  std::size_t done = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const std::string prefix = PrefixOf(++run);
    const Calls calls = DrawObjectStream(seed, prefix, capabilities);
    std::optional<Difference> difference = co_await RunStream(world, calls, prefix);
    if (difference) {
      const std::string report = co_await Shortest(world, seed, calls, *std::move(difference), run);
      ADD_FAILURE() << report;
      co_return;
    }
    done += calls.size();
  }
  EXPECT_GT(run, 0u) << "no seed was run: LAKESTREAM_OP_SEEDS is FIRST..LAST";
  std::cout << "streams: " << run << " seeds, " << done << " calls\n";
}

}  // namespace

void internal::AddStreamCases(std::vector<ObjectStoreCase>& cases) {
  cases.push_back({"StreamsAgreeWithMemory", CaseNeeds::kNothing, StreamsAgreeWithMemory});
}

}  // namespace lakestream
