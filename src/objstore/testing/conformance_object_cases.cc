#include <algorithm>

#include "objstore/testing/conformance_cases.h"
#include "runtime/testing/co_test.h"
#include "runtime/when_all.h"

// Put, Get, Head, Delete, and what every call does with its context.

namespace lakestream {
namespace {

std::string Pattern(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  std::uint32_t state = seed * 2654435761u + 1;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

Task<void> RoundTripOfNoBytes(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.store().Put(OpContext(), "empty", BufferChain(), PutMode::kCreate));
  const Result<Buffer> bytes = co_await world.Get("empty");
  CO_ASSERT_OK(bytes);
  EXPECT_EQ(bytes->size(), 0u);
  const Result<ObjectInfo> info = co_await world.Head("empty");
  CO_ASSERT_OK(info);
  EXPECT_EQ(info->size, 0u);
}

Task<void> RoundTripOfOneByte(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("one", std::string(1, '\0')));
  CO_ASSERT_EQ(co_await world.GetText("one"), std::string(1, '\0'));
}

Task<void> RoundTripOfManyParts(ObjectStoreWorld& world) {
  // More parts than one writev takes, of uneven sizes, and shared slices among them.
  const std::string expected = Pattern(5 << 20, 7);
  const Buffer whole = Buffer::CopyOf(expected);
  BufferChain chain;
  for (std::size_t at = 0, i = 0; at < whole.size(); ++i) {
    const std::size_t length = std::min<std::size_t>(1 + i % 3 * 1777, whole.size() - at);
    chain.Append(whole.Slice(at, length));
    at += length;
  }
  EXPECT_GT(chain.parts().size(), 2'500u);
  CO_ASSERT_OK(co_await world.store().Put(OpContext(), "large", std::move(chain), PutMode::kCreate));
  const Result<Buffer> bytes = co_await world.Get("large");
  CO_ASSERT_OK(bytes);
  // Not EXPECT_EQ: a failure would print the bytes.
  EXPECT_TRUE(bytes->text() == expected);
}

Task<void> CreateConflictLeavesTheFirst(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("k", "first"));
  CO_ASSERT_CODE(co_await world.Create("k", "second"), kAlreadyExists);
  CO_ASSERT_CODE(co_await world.Create("k", "first"), kAlreadyExists);
  CO_ASSERT_EQ(co_await world.GetText("k"), "first");
}

Task<void> OverwriteReplaces(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Overwrite("k", "first, and longer"));
  CO_ASSERT_OK(co_await world.Overwrite("k", "second"));
  CO_ASSERT_EQ(co_await world.GetText("k"), "second");
  const Result<ObjectInfo> info = co_await world.Head("k");
  CO_ASSERT_OK(info);
  EXPECT_EQ(info->size, 6u);
}

Task<void> OverwriteIsRefused(ObjectStoreWorld& world) {
  CO_ASSERT_CODE(co_await world.Overwrite("new", "x"), kUnimplemented);
  CO_ASSERT_EQ(co_await world.GetText("new"), "not_found");
  CO_ASSERT_OK(co_await world.Create("old", "x"));
  CO_ASSERT_CODE(co_await world.Overwrite("old", "y"), kUnimplemented);
  CO_ASSERT_EQ(co_await world.GetText("old"), "x");
  CO_ASSERT_CODE(co_await world.StartUpload("new", PutMode::kOverwrite), kUnimplemented);
}

Task<void> RangesAreCutAtTheEnd(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("k", "0123456789"));
  struct {
    std::uint64_t offset;
    std::optional<std::uint64_t> length;
    const char* expected;
  } const table[] = {
      {0, std::nullopt, "0123456789"}, {0, 10, "0123456789"}, {0, 11, "0123456789"},
      {0, 1, "0"},                     {3, 4, "3456"},        {3, std::nullopt, "3456789"},
      {9, 1, "9"},                     {9, 2, "9"},           {9, std::nullopt, "9"},
      {10, std::nullopt, ""},          {10, 1, ""},           {11, 5, ""},
      {11, std::nullopt, ""},          {5, 0, ""},            {1'000'000'000'000, 1, ""},
      {1, UINT64_MAX, "123456789"},    {UINT64_MAX, UINT64_MAX, ""},
  };
  for (const auto& row : table) {
    const Result<Buffer> bytes = co_await world.GetRange("k", row.offset, row.length);
    CO_ASSERT_OK(bytes);
    EXPECT_EQ(bytes->text(), row.expected) << row.offset;
  }
}

Task<void> MissingIsNotFound(ObjectStoreWorld& world) {
  CO_ASSERT_CODE(co_await world.Get("missing"), kNotFound);
  CO_ASSERT_CODE(co_await world.GetRange("missing", 5, 5), kNotFound);
  CO_ASSERT_CODE(co_await world.Head("missing"), kNotFound);
  CO_ASSERT_CODE(co_await world.Get("no/such/folder"), kNotFound);
  CO_ASSERT_CODE(co_await world.Head("no/such/folder"), kNotFound);
}

Task<void> HeadTellsWhatTheObjectIs(ObjectStoreWorld& world) {
  const WallTime before = world.runtime().clock.Wall();
  CO_ASSERT_OK(co_await world.Create("folder/k", "12345"));
  const WallTime after = world.runtime().clock.Wall();
  const Result<ObjectInfo> info = co_await world.Head("folder/k");
  CO_ASSERT_OK(info);
  EXPECT_EQ(info->key, "folder/k");
  EXPECT_EQ(info->size, 5u);
  // The store's clock is its own, but every store under test is on this machine.
  EXPECT_GE(info->modified, before - std::chrono::seconds(1));
  EXPECT_LE(info->modified, after + std::chrono::seconds(1));
}

Task<void> HeadGivesTheChecksum(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("check", "123456789"));
  const Result<ObjectInfo> info = co_await world.Head("check");
  CO_ASSERT_OK(info);
  CO_ASSERT_TRUE(info->crc32c.has_value());
  EXPECT_EQ(*info->crc32c, 0xe3069283u);  // the check value of CRC-32C
  CO_ASSERT_OK(co_await world.Create("nothing", ""));
  const Result<ObjectInfo> nothing = co_await world.Head("nothing");
  CO_ASSERT_OK(nothing);
  CO_ASSERT_TRUE(nothing->crc32c.has_value());
  EXPECT_EQ(*nothing->crc32c, 0u);
}

Task<void> BytesOutliveTheObject(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("k", "still here"));
  const Result<Buffer> bytes = co_await world.Get("k");
  CO_ASSERT_OK(bytes);
  CO_ASSERT_OK(co_await world.Delete("k"));
  EXPECT_EQ(bytes->text(), "still here");
}

Task<void> DeleteRemoves(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("a/1", "x"));
  CO_ASSERT_OK(co_await world.Create("a/2", "x"));
  CO_ASSERT_OK(co_await world.Create("b", "x"));
  const std::vector<std::string> keys = {"a/1", "missing", "no/such/folder", "b", "b"};
  CO_ASSERT_OK(co_await world.store().Delete(OpContext(), keys));
  CO_ASSERT_EQ(co_await world.GetText("a/1"), "not_found");
  CO_ASSERT_EQ(co_await world.GetText("b"), "not_found");
  CO_ASSERT_CODE(co_await world.Head("b"), kNotFound);
  CO_ASSERT_EQ(co_await world.GetText("a/2"), "x");
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "a/2\n");
}

Task<void> DeleteOfNothingIsOk(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Delete("missing"));
  CO_ASSERT_OK(co_await world.Delete("missing/too"));
  CO_ASSERT_OK(co_await world.store().Delete(OpContext(), std::vector<std::string>()));
}

Task<void> DeletedKeysCanBeCreatedAgain(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("f/k", "one"));
  CO_ASSERT_OK(co_await world.Delete("f/k"));
  CO_ASSERT_OK(co_await world.Create("f/k", "two"));
  CO_ASSERT_EQ(co_await world.GetText("f/k"), "two");
}

Task<void> OneOfManyCreatorsWins(ObjectStoreWorld& world) {
  for (int round = 0; round < 5; ++round) {
    const std::string key = "race/" + std::to_string(round);
    std::vector<Task<Status>> tasks;
    for (int i = 0; i < 16; ++i) tasks.push_back(world.Create(key, Pattern(1000, static_cast<unsigned>(i))));
    const std::vector<Status> answers = co_await WhenAll(world.runtime(), std::move(tasks));
    int winner = -1;
    for (int i = 0; i < 16; ++i) {
      const Status& answer = answers[static_cast<std::size_t>(i)];
      if (answer.ok()) {
        EXPECT_EQ(winner, -1) << "two creators were told ok";
        winner = i;
      } else {
        EXPECT_EQ(answer.code(), StatusCode::kAlreadyExists) << answer.ToString();
      }
    }
    CO_ASSERT_TRUE(winner >= 0);
    const std::string stored = co_await world.GetText(key);
    EXPECT_TRUE(stored == Pattern(1000, static_cast<unsigned>(winner)));
  }
}

Task<void> ManyCreatorsInOneNewFolder(ObjectStoreWorld& world) {
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 32; ++i) tasks.push_back(world.Create("new/deep/folder/" + std::to_string(100 + i), "x"));
  for (const Status& answer : co_await WhenAll(world.runtime(), std::move(tasks))) CO_ASSERT_OK(answer);
  const Result<ListPage> page = co_await world.store().List(OpContext(), "new/", "", 100);
  CO_ASSERT_OK(page);
  EXPECT_EQ(page->objects.size(), 32u);
}

Task<Status> ReadUntilThere(ObjectStoreWorld& world, std::string key, std::string expected) {
  while (true) {
    const Result<Buffer> bytes = co_await world.Get(key);
    if (bytes.ok()) {
      co_return bytes->text() == expected ? OkStatus() : Internal("a reader saw a part").With("bytes", bytes->size());
    }
    if (bytes.status().code() != StatusCode::kNotFound) co_return bytes.status();
    const Status slept = co_await SleepFor(world.runtime(), OpContext(), std::chrono::microseconds(200));
    if (!slept.ok()) co_return slept;
  }
}

Task<void> ReadersSeeAllOrNothing(ObjectStoreWorld& world) {
  for (unsigned round = 0; round < 8; ++round) {
    const std::string key = "seen/" + std::to_string(round);
    const std::string bytes = Pattern(300'000, round);
    std::vector<Task<Status>> tasks;
    for (int reader = 0; reader < 3; ++reader) tasks.push_back(ReadUntilThere(world, key, bytes));
    tasks.push_back(world.Create(key, bytes));
    for (const Status& answer : co_await WhenAll(world.runtime(), std::move(tasks))) CO_ASSERT_OK(answer);
  }
}

Task<void> DoNothing(ObjectStoreWorld& world, OpContext context, StatusCode expected) {
  ObjectStore& store = world.store();
  CO_ASSERT_OK(co_await world.Create("kept", "x"));
  Result<std::unique_ptr<ObjectUpload>> upload = co_await world.StartUpload("uploaded", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), BufferChain(Buffer::CopyOf("12"))));

  const BufferChain bytes(Buffer::CopyOf("x"));
  const std::vector<std::string> kept = {"kept"};
  CO_ASSERT_EQ((co_await store.Put(context, "new", bytes, PutMode::kCreate)).code(), expected);
  CO_ASSERT_EQ((co_await store.Get(context, "kept", ByteRange())).status().code(), expected);
  CO_ASSERT_EQ((co_await store.Head(context, "kept")).status().code(), expected);
  CO_ASSERT_EQ((co_await store.List(context, "", "", 10)).status().code(), expected);
  CO_ASSERT_EQ((co_await store.Delete(context, kept)).code(), expected);
  CO_ASSERT_EQ((co_await store.StartUpload(context, "new", PutMode::kCreate)).status().code(), expected);
  CO_ASSERT_EQ((co_await (*upload)->Append(context, bytes)).code(), expected);
  CO_ASSERT_EQ((co_await (*upload)->Complete(context)).code(), expected);
  CO_ASSERT_EQ((co_await (*upload)->Abort(context)).code(), expected);

  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "kept\n");
  // The upload goes on as if those calls had not been made.
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  CO_ASSERT_EQ(co_await world.GetText("uploaded"), "12");
}

Task<void> ExpiredContextsDoNothing(ObjectStoreWorld& world) {
  return DoNothing(world, world.Expired(), StatusCode::kDeadlineExceeded);
}
Task<void> CancelledContextsDoNothing(ObjectStoreWorld& world) {
  return DoNothing(world, world.Cancelled(), StatusCode::kCancelled);
}

}  // namespace

void internal::AddObjectCases(std::vector<ObjectStoreCase>& cases) {
  cases.push_back({"RoundTripOfNoBytes", CaseNeeds::kNothing, RoundTripOfNoBytes});
  cases.push_back({"RoundTripOfOneByte", CaseNeeds::kNothing, RoundTripOfOneByte});
  cases.push_back({"RoundTripOfManyParts", CaseNeeds::kNothing, RoundTripOfManyParts});
  cases.push_back({"CreateConflictLeavesTheFirst", CaseNeeds::kNothing, CreateConflictLeavesTheFirst});
  cases.push_back({"OverwriteReplaces", CaseNeeds::kOverwrite, OverwriteReplaces});
  cases.push_back({"OverwriteIsRefused", CaseNeeds::kCreateOnly, OverwriteIsRefused});
  cases.push_back({"RangesAreCutAtTheEnd", CaseNeeds::kNothing, RangesAreCutAtTheEnd});
  cases.push_back({"MissingIsNotFound", CaseNeeds::kNothing, MissingIsNotFound});
  cases.push_back({"HeadTellsWhatTheObjectIs", CaseNeeds::kNothing, HeadTellsWhatTheObjectIs});
  cases.push_back({"HeadGivesTheChecksum", CaseNeeds::kChecksum, HeadGivesTheChecksum});
  cases.push_back({"BytesOutliveTheObject", CaseNeeds::kNothing, BytesOutliveTheObject});
  cases.push_back({"DeleteRemoves", CaseNeeds::kNothing, DeleteRemoves});
  cases.push_back({"DeleteOfNothingIsOk", CaseNeeds::kNothing, DeleteOfNothingIsOk});
  cases.push_back({"DeletedKeysCanBeCreatedAgain", CaseNeeds::kNothing, DeletedKeysCanBeCreatedAgain});
  cases.push_back({"OneOfManyCreatorsWins", CaseNeeds::kNothing, OneOfManyCreatorsWins});
  cases.push_back({"ManyCreatorsInOneNewFolder", CaseNeeds::kNothing, ManyCreatorsInOneNewFolder});
  cases.push_back({"ReadersSeeAllOrNothing", CaseNeeds::kNothing, ReadersSeeAllOrNothing});
  cases.push_back({"ExpiredContextsDoNothing", CaseNeeds::kNothing, ExpiredContextsDoNothing});
  cases.push_back({"CancelledContextsDoNothing", CaseNeeds::kNothing, CancelledContextsDoNothing});
}

}  // namespace lakestream
