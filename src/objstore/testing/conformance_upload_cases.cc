#include "objstore/testing/conformance_cases.h"
#include "runtime/testing/co_test.h"
#include "runtime/when_all.h"

// Objects that are written in parts.

namespace lakestream {
namespace {

using Upload = std::unique_ptr<ObjectUpload>;

BufferChain Chain(std::string_view text) { return BufferChain(Buffer::CopyOf(text)); }

Task<void> UploadShowsOnceComplete(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("folder/up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string part(100'000 + static_cast<std::size_t>(i), static_cast<char>('a' + i));
    expected += part;
    CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain(part)));
    CO_ASSERT_EQ(co_await world.GetText("folder/up"), "not_found");
    CO_ASSERT_CODE(co_await world.Head("folder/up"), kNotFound);
    CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
  }
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  const std::string stored = co_await world.GetText("folder/up");
  EXPECT_TRUE(stored == expected);
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "folder/up\n");
  const Result<ObjectInfo> info = co_await world.Head("folder/up");
  CO_ASSERT_OK(info);
  EXPECT_EQ(info->size, expected.size());
}

Task<void> UploadHasItsChecksum(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("1234")));
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), BufferChain()));
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("56789")));
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  const Result<ObjectInfo> info = co_await world.Head("up");
  CO_ASSERT_OK(info);
  CO_ASSERT_TRUE(info->crc32c.has_value());
  EXPECT_EQ(*info->crc32c, 0xe3069283u);
}

Task<void> UploadOfNothingIsAnObject(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  CO_ASSERT_EQ(co_await world.GetText("up"), "");
  CO_ASSERT_OK(co_await world.Head("up"));
}

Task<void> UploadIsAsOldAsItsCompletion(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("x")));
  CO_ASSERT_OK(co_await SleepFor(world.runtime(), OpContext(), std::chrono::milliseconds(50)));
  const WallTime before = world.runtime().clock.Wall();
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  const Result<ObjectInfo> info = co_await world.Head("up");
  CO_ASSERT_OK(info);
  // A file system's clock ticks every 4 or 10 ms.
  EXPECT_GE(info->modified, before - std::chrono::milliseconds(20));
}

Task<void> AbortedUploadsLeaveNothing(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("x")));
  CO_ASSERT_OK(co_await (*upload)->Abort(OpContext()));
  CO_ASSERT_OK(co_await (*upload)->Abort(OpContext()));
  CO_ASSERT_CODE(co_await (*upload)->Append(OpContext(), Chain("y")), kInvalidArgument);
  CO_ASSERT_CODE(co_await (*upload)->Complete(OpContext()), kInvalidArgument);
  CO_ASSERT_EQ(co_await world.GetText("up"), "not_found");
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
  CO_ASSERT_OK(co_await world.Create("up", "free"));
}

Task<void> AbortAfterCompleteKeepsTheObject(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("x")));
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  CO_ASSERT_OK(co_await (*upload)->Abort(OpContext()));
  upload->reset();
  CO_ASSERT_EQ(co_await world.GetText("up"), "x");
}

Task<void> DroppedUploadsShowNothing(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("x")));
  upload->reset();
  CO_ASSERT_EQ(co_await world.GetText("up"), "not_found");
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
}

Task<void> UploadConflictLeavesTheFirst(ObjectStoreWorld& world) {
  Result<Upload> upload = co_await world.StartUpload("up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("second")));
  CO_ASSERT_OK(co_await world.Create("up", "first"));
  CO_ASSERT_CODE(co_await (*upload)->Complete(OpContext()), kAlreadyExists);
  CO_ASSERT_OK(co_await (*upload)->Abort(OpContext()));
  CO_ASSERT_EQ(co_await world.GetText("up"), "first");
}

Task<Status> UploadWhole(ObjectStoreWorld& world, std::string key, std::string bytes, PutMode mode) {
  Result<Upload> upload = co_await world.StartUpload(key, mode);
  if (!upload.ok()) co_return upload.status();
  const Status appended = co_await (*upload)->Append(OpContext(), Chain(bytes));
  if (!appended.ok()) co_return appended;
  co_return co_await (*upload)->Complete(OpContext());
}

Task<void> OneOfManyUploadsWins(ObjectStoreWorld& world) {
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 8; ++i) {
    tasks.push_back(UploadWhole(world, "race/up", std::string(10, static_cast<char>('a' + i)), PutMode::kCreate));
  }
  const std::vector<Status> answers = co_await WhenAll(world.runtime(), std::move(tasks));
  std::string winner;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].ok()) winner += std::string(10, static_cast<char>('a' + i));
    EXPECT_TRUE(answers[i].ok() || answers[i].code() == StatusCode::kAlreadyExists) << answers[i].ToString();
  }
  CO_ASSERT_EQ(co_await world.GetText("race/up"), winner);
}

Task<void> UploadsOverwrite(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("up", "first"));
  CO_ASSERT_OK(co_await UploadWhole(world, "up", "second", PutMode::kOverwrite));
  CO_ASSERT_EQ(co_await world.GetText("up"), "second");
}

Task<void> UploadsDoNotMix(ObjectStoreWorld& world) {
  Result<Upload> a = co_await world.StartUpload("a", PutMode::kCreate);
  CO_ASSERT_OK(a);
  Result<Upload> b = co_await world.StartUpload("b", PutMode::kCreate);
  CO_ASSERT_OK(b);
  for (int i = 0; i < 10; ++i) {
    CO_ASSERT_OK(co_await (*a)->Append(OpContext(), Chain("a")));
    CO_ASSERT_OK(co_await (*b)->Append(OpContext(), Chain("bb")));
  }
  CO_ASSERT_OK(co_await (*b)->Complete(OpContext()));
  CO_ASSERT_OK(co_await (*a)->Complete(OpContext()));
  CO_ASSERT_EQ(co_await world.GetText("a"), std::string(10, 'a'));
  CO_ASSERT_EQ(co_await world.GetText("b"), std::string(20, 'b'));
}

Task<void> LeftoversOfUploadsGo(ObjectStoreWorld& world) {
  const Duration tick = std::chrono::milliseconds(50);
  CO_ASSERT_OK(co_await world.Create("object", "x"));
  Result<Upload> dropped = co_await world.StartUpload("dropped", PutMode::kCreate);
  CO_ASSERT_OK(dropped);
  CO_ASSERT_OK(co_await (*dropped)->Append(OpContext(), Chain("123")));
  dropped->reset();
  Result<Upload> old = co_await world.StartUpload("old", PutMode::kCreate);
  CO_ASSERT_OK(old);
  CO_ASSERT_OK(co_await (*old)->Append(OpContext(), Chain("1234")));
  CO_ASSERT_OK(co_await SleepFor(world.runtime(), OpContext(), tick));
  CO_ASSERT_OK(co_await world.Create("now", "x"));
  const Result<ObjectInfo> now = co_await world.Head("now");
  CO_ASSERT_OK(now);
  CO_ASSERT_OK(co_await SleepFor(world.runtime(), OpContext(), tick));
  Result<Upload> young = co_await world.StartUpload("young", PutMode::kCreate);
  CO_ASSERT_OK(young);
  CO_ASSERT_OK(co_await (*young)->Append(OpContext(), Chain("12345")));

  const Result<ObjectLeftovers> none = co_await world.store().RemoveLeftovers(OpContext(), now->modified - 2 * tick);
  CO_ASSERT_OK(none);
  EXPECT_EQ(none->uploads, 0);
  const Result<ObjectLeftovers> removed = co_await world.store().RemoveLeftovers(OpContext(), now->modified);
  CO_ASSERT_OK(removed);
  // What a store spares or has not left at all it need not remove.
  CO_ASSERT_TRUE(removed->uploads <= 2 && removed->bytes <= 7);
  const Result<ObjectLeftovers> again = co_await world.store().RemoveLeftovers(OpContext(), now->modified);
  CO_ASSERT_OK(again);
  EXPECT_EQ(again->uploads, 0);

  const Status completed = co_await (*old)->Complete(OpContext());
  EXPECT_TRUE(completed.ok() || completed.code() == StatusCode::kUnavailable) << completed.ToString();
  CO_ASSERT_EQ(co_await world.GetText("old"), completed.ok() ? "1234" : "not_found");
  CO_ASSERT_OK(co_await (*young)->Complete(OpContext()));
  CO_ASSERT_EQ(co_await world.GetText("young"), "12345");
  CO_ASSERT_EQ(co_await world.GetText("object"), "x");
  CO_ASSERT_EQ(co_await world.GetText("dropped"), "not_found");
}

}  // namespace

void internal::AddUploadCases(std::vector<ObjectStoreCase>& cases) {
  cases.push_back({"LeftoversOfUploadsGo", CaseNeeds::kNothing, LeftoversOfUploadsGo});
  cases.push_back({"UploadShowsOnceComplete", CaseNeeds::kNothing, UploadShowsOnceComplete});
  cases.push_back({"UploadHasItsChecksum", CaseNeeds::kChecksum, UploadHasItsChecksum});
  cases.push_back({"UploadOfNothingIsAnObject", CaseNeeds::kNothing, UploadOfNothingIsAnObject});
  cases.push_back({"UploadIsAsOldAsItsCompletion", CaseNeeds::kNothing, UploadIsAsOldAsItsCompletion});
  cases.push_back({"AbortedUploadsLeaveNothing", CaseNeeds::kNothing, AbortedUploadsLeaveNothing});
  cases.push_back({"AbortAfterCompleteKeepsTheObject", CaseNeeds::kNothing, AbortAfterCompleteKeepsTheObject});
  cases.push_back({"DroppedUploadsShowNothing", CaseNeeds::kNothing, DroppedUploadsShowNothing});
  cases.push_back({"UploadConflictLeavesTheFirst", CaseNeeds::kNothing, UploadConflictLeavesTheFirst});
  cases.push_back({"OneOfManyUploadsWins", CaseNeeds::kNothing, OneOfManyUploadsWins});
  cases.push_back({"UploadsOverwrite", CaseNeeds::kOverwrite, UploadsOverwrite});
  cases.push_back({"UploadsDoNotMix", CaseNeeds::kNothing, UploadsDoNotMix});
}

}  // namespace lakestream
