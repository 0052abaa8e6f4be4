#include "objstore/testing/stream_call.h"

#include <algorithm>
#include <limits>

#include "base/testing/op_stream.h"

namespace lakestream {
namespace {

constexpr std::size_t kLongestKey = 1024;

/// A key of `bytes` bytes in parts that a file system takes.
std::string LongKey(const std::string& prefix, std::size_t bytes) {
  std::string key = prefix;
  while (key.size() < bytes) key += key.size() % 200 == 199 ? '/' : 'k';
  if (key.back() == '/') key.back() = 'k';
  return key;
}

class Drawer {
 public:
  Drawer(std::uint64_t seed, const std::string& prefix, const ObjectStoreCapabilities& capabilities)
      : draws_(seed), prefix_(prefix), create_only_(capabilities.create_only) {
    std::vector<std::string> names = {"a/1", "a/2", "a/b/c", "a/b/d", "a/b-", "a.", "a-", "a0", "ab", "b/1", "b", "..a",
                                      ".tmp", "x.crc32", "a b", "~", "\xc3\xbc", "\xef\xbf\xbf", "%2f", "a\\b"};
    // Keys that continue another one, and names that a directory cannot hold or keeps for itself.
    const std::vector<std::string> free_names = {"a", "a/b", "a/1/x", "b/1/.tmp/x", "x.crc32c", std::string(300, 'n')};
    std::vector<std::string> all = names;
    all.insert(all.end(), free_names.begin(), free_names.end());
    if (!capabilities.keys_are_paths) names = all;
    // "b" and "b/1" exclude each other where keys are paths.
    if (capabilities.keys_are_paths) std::erase(names, draws_.OneIn(2) ? "b" : "b/1");
    for (const std::string& name : draws_.Some(std::move(names), 8)) writable_.push_back(prefix_ + name);
    if (draws_.OneIn(3)) writable_.push_back(LongKey(prefix_, kLongestKey - static_cast<std::size_t>(draws_.Number(2))));
    readable_ = writable_;
    for (const std::string& name : draws_.Some(std::move(all), 6)) readable_.push_back(prefix_ + name);
  }

  std::vector<ObjectStreamCall> All() {
    std::vector<ObjectStreamCall> calls;
    const int count = 20 + draws_.Number(80);
    for (int i = 0; i < count; ++i) calls.push_back(Next(i));
    return calls;
  }

 private:
  ObjectStreamCall Next(int id) {
    ObjectStreamCall call;
    call.id = id;
    const int kind = draws_.Number(100);
    if (kind < 28) {
      DrawWrite(call, ObjectStreamOp::kPut);
    } else if (kind < 46) {
      DrawRead(call);
    } else if (kind < 64) {
      DrawList(call);
    } else if (kind < 74) {
      DrawDelete(call);
    } else {
      DrawUpload(call, kind - 74);
    }
    if (!spoiled_ && call.op != ObjectStreamOp::kDrop && draws_.OneIn(25)) {
      call.context = draws_.OneIn(2) ? ObjectStreamContext::kExpired : ObjectStreamContext::kCancelled;
    }
    spoiled_ = false;
    return call;
  }

  void DrawWrite(ObjectStreamCall& call, ObjectStreamOp op) {
    call.op = op;
    call.key = draws_.Of(writable_);
    DrawParts(call);
    if (draws_.OneIn(3)) {
      call.mode = PutMode::kOverwrite;
      // Then the mode is a fault by itself.
      if (create_only_) spoiled_ = true;
    }
    if (Spoil(25)) call.key = BadKey();
  }

  void DrawParts(ObjectStreamCall& call) {
    const int parts = draws_.Number(4);
    for (int i = 0; i < parts; ++i) {
      call.part_bytes.push_back(draws_.Of(std::vector<std::size_t>{0, 1, 7, 7, 100, 4096, 65'536, 70'000}));
    }
  }

  void DrawRead(ObjectStreamCall& call) {
    call.op = draws_.OneIn(3) ? ObjectStreamOp::kHead : ObjectStreamOp::kGet;
    call.key = draws_.Of(readable_);
    if (draws_.OneIn(2)) {
      call.range.offset = Bytes();
      if (!draws_.OneIn(3)) call.range.length = Bytes();
    }
    if (Spoil(25)) call.key = BadKey();
  }

  std::uint64_t Bytes() {
    return draws_.Of(std::vector<std::uint64_t>{0, 1, 2, 7, 8, 100, 4096, 65'535, 65'536, 131'072,
                                                std::numeric_limits<std::uint64_t>::max(),
                                                std::numeric_limits<std::uint64_t>::max() - 1});
  }

  void DrawList(ObjectStreamCall& call) {
    call.op = ObjectStreamOp::kList;
    call.key = prefix_;
    if (draws_.OneIn(2)) {
      // A part of a key, a whole one, or one that nothing begins with.
      const std::string& key = draws_.Of(readable_);
      call.key = key.substr(0, prefix_.size() + draws_.Below(key.size() - prefix_.size() + 1));
      if (draws_.OneIn(4)) call.key += draws_.Of(std::vector<std::string>{"/", "//", "/.", "\n", "/../"});
    }
    if (draws_.OneIn(2)) {
      call.start_after = draws_.Of(readable_);
      if (draws_.OneIn(3)) call.start_after += draws_.Of(std::vector<std::string>{"/", "-", "\xff", "/a", "//"});
      if (draws_.OneIn(4)) call.start_after.pop_back();
    }
    call.limit = draws_.Of(std::vector<int>{1, 2, 3, 5, 10'000});
    call.pages = draws_.OneIn(2) ? 1 : 100;
    if (Spoil(20)) call.limit = draws_.Of(std::vector<int>{0, -1, 10'001});
  }

  void DrawDelete(ObjectStreamCall& call) {
    call.op = ObjectStreamOp::kDelete;
    const int count = draws_.OneIn(2) ? 1 : draws_.Number(5);
    for (int i = 0; i < count; ++i) call.keys.push_back(draws_.Of(readable_));
    if (Spoil(20)) call.keys.push_back(BadKey());
  }

  void DrawUpload(ObjectStreamCall& call, int kind) {
    call.upload = draws_.Number(kStreamUploads);
    if (kind < 8) {
      DrawWrite(call, ObjectStreamOp::kStart);
      call.part_bytes.clear();
    } else if (kind < 17) {
      call.op = ObjectStreamOp::kAppend;
      DrawParts(call);
    } else if (kind < 23) {
      call.op = ObjectStreamOp::kComplete;
    } else {
      call.op = kind == 23 ? ObjectStreamOp::kAbort : ObjectStreamOp::kDrop;
    }
  }

  std::string BadKey() {
    return draws_.Of(std::vector<std::string>{"", "/", "/a", prefix_ + "/", prefix_ + "a//b", prefix_ + "a/./b", "..",
                                              prefix_ + "a/..", prefix_ + "\n", prefix_ + "\x7f", std::string(1, '\0'),
                                              LongKey(prefix_, kLongestKey + 1)});
  }

  /// True once in n, and at most once a call.
  bool Spoil(int n) {
    if (spoiled_ || !draws_.OneIn(n)) return false;
    spoiled_ = true;
    return true;
  }

  Draws draws_;
  const std::string prefix_;
  const bool create_only_;
  std::vector<std::string> writable_;
  std::vector<std::string> readable_;
  bool spoiled_ = false;
};

std::string_view NameOf(ObjectStreamOp op) {
  switch (op) {
    case ObjectStreamOp::kPut: return "Put";
    case ObjectStreamOp::kGet: return "Get";
    case ObjectStreamOp::kHead: return "Head";
    case ObjectStreamOp::kList: return "List";
    case ObjectStreamOp::kDelete: return "Delete";
    case ObjectStreamOp::kStart: return "StartUpload";
    case ObjectStreamOp::kAppend: return "Append";
    case ObjectStreamOp::kComplete: return "Complete";
    case ObjectStreamOp::kAbort: return "Abort";
    case ObjectStreamOp::kDrop: return "let the upload go";
  }
  return "unknown";
}

}  // namespace

std::vector<ObjectStreamCall> DrawObjectStream(std::uint64_t seed, const std::string& prefix,
                                               const ObjectStoreCapabilities& capabilities) {
  return Drawer(seed, prefix, capabilities).All();
}

std::string ToText(const ObjectStreamCall& call) {
  std::string text = "#" + std::to_string(call.id) + " " + std::string(NameOf(call.op));
  const bool write = call.op == ObjectStreamOp::kPut || call.op == ObjectStreamOp::kStart;
  if (call.op >= ObjectStreamOp::kStart) text += " upload=" + std::to_string(call.upload);
  if (call.op != ObjectStreamOp::kDelete && call.op <= ObjectStreamOp::kStart) text += " " + StreamText(call.key);
  for (const std::string& key : call.keys) text += " " + StreamText(key);
  if (write) text += call.mode == PutMode::kCreate ? " create" : " overwrite";
  if (call.op == ObjectStreamOp::kPut || call.op == ObjectStreamOp::kAppend) {
    text += " parts of";
    for (const std::size_t bytes : call.part_bytes) text += " " + std::to_string(bytes);
    text += " bytes";
  }
  if (call.op == ObjectStreamOp::kGet) {
    text += " from " + std::to_string(call.range.offset);
    if (call.range.length) text += ", " + std::to_string(*call.range.length) + " bytes";
  }
  if (call.op == ObjectStreamOp::kList) {
    text += " after " + StreamText(call.start_after) + " limit=" + std::to_string(call.limit);
    text += " pages=" + std::to_string(call.pages);
  }
  if (call.context == ObjectStreamContext::kExpired) text += " in a context that has expired";
  if (call.context == ObjectStreamContext::kCancelled) text += " in a cancelled context";
  return text;
}

}  // namespace lakestream
