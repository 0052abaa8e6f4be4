#include "objstore/memory/memory_object_store.h"
#include "objstore/testing/object_store_conformance.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

class OpenMemory final : public OpenObjectStore {
 public:
  explicit OpenMemory(Runtime& runtime) : store_(runtime) {}
  ObjectStore& store() override { return store_; }

 private:
  MemoryObjectStore store_;
};

ObjectStoreBackend Memory(std::uint64_t seed) {
  return {seed == 0 ? "memory" : "memory in the simulator", seed,
          [](Runtime& runtime) { return std::make_unique<OpenMemory>(runtime); }};
}

INSTANTIATE_TEST_SUITE_P(Memory, ObjectStoreConformance, ObjectStoreCasesFor(Memory(0)), ObjectStoreCaseName);
INSTANTIATE_TEST_SUITE_P(SimulatedMemory, ObjectStoreConformance, ObjectStoreCasesFor(Memory(11)),
                         ObjectStoreCaseName);

TEST(MemoryObjectStore, NoPartOfADamagedObjectIsServed) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  MemoryObjectStore store(threads.runtime());
  const BufferChain bytes(Buffer::CopyOf("123456789"));
  ASSERT_TRUE(Wait(store.Put(OpContext(), "k", bytes, PutMode::kCreate)).ok());
  const ByteRange beside = {0, 3};
  EXPECT_EQ(Wait(store.Get(OpContext(), "k", beside))->text(), "123");
  ASSERT_TRUE(store.DamageByte("k", 8).ok());
  EXPECT_EQ(Wait(store.Get(OpContext(), "k", beside)).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(Wait(store.Get(OpContext(), "k", ByteRange())).status().code(), StatusCode::kCorrupt);
}

TEST(MemoryObjectStore, TellsOfEveryChangeAsItTakesEffect) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  MemoryObjectStore store(threads.runtime());
  MemoryObjectStore view(threads.runtime(), store);
  std::vector<std::string> told;
  store.Observe([&told](const std::string& key, const Buffer* bytes) {
    told.push_back(key + (bytes == nullptr ? " removed" : "=" + std::string(bytes->text())));
  });
  const BufferChain bytes(Buffer::CopyOf("1"));
  ASSERT_TRUE(Wait(view.Put(OpContext(), "a", bytes, PutMode::kCreate)).ok());
  ASSERT_FALSE(Wait(view.Put(OpContext(), "a", bytes, PutMode::kCreate)).ok());
  const std::unique_ptr<ObjectUpload> upload = *Wait(view.StartUpload(OpContext(), "b", PutMode::kCreate));
  ASSERT_TRUE(Wait(upload->Append(OpContext(), bytes)).ok());
  EXPECT_EQ(told.size(), 1u);
  ASSERT_TRUE(Wait(upload->Complete(OpContext())).ok());
  ASSERT_TRUE(Wait(view.Delete(OpContext(), {"a", "c"})).ok());
  EXPECT_EQ(told, (std::vector<std::string>{"a=1", "b=1", "a removed"}));
}

/// As a store in which nobody cleans up after those who died.
TEST(MemoryObjectStore, KeepsWhatUploadsLeave) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  MemoryObjectStore store(threads.runtime());
  MemoryObjectStore view(threads.runtime(), store);
  const BufferChain bytes(Buffer::CopyOf("123"));
  std::unique_ptr<ObjectUpload> dropped = *Wait(view.StartUpload(OpContext(), "a", PutMode::kCreate));
  ASSERT_TRUE(Wait(dropped->Append(OpContext(), bytes)).ok());
  dropped.reset();
  const std::unique_ptr<ObjectUpload> aborted = *Wait(view.StartUpload(OpContext(), "b", PutMode::kCreate));
  ASSERT_TRUE(Wait(aborted->Append(OpContext(), bytes)).ok());
  ASSERT_TRUE(Wait(aborted->Abort(OpContext())).ok());
  const std::unique_ptr<ObjectUpload> late = *Wait(view.StartUpload(OpContext(), "c", PutMode::kCreate));
  const auto removed = Wait(store.RemoveLeftovers(OpContext(), threads.runtime().clock.Wall() + std::chrono::hours(1)));
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->uploads, 2);
  EXPECT_EQ(removed->bytes, 3);
  EXPECT_EQ(Wait(late->Append(OpContext(), bytes)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Wait(late->Complete(OpContext())).code(), StatusCode::kUnavailable);
}

TEST(ObjectStoreSkips, OfMemory) {
  const std::vector<std::string> expected = {"OverwriteIsRefused: create_only=false",
                                             "PathsExcludeEachOther: keys_are_paths=false"};
  EXPECT_EQ(CasesSkippedBy(Memory(0)), expected);
  EXPECT_EQ(CasesSkippedBy(Memory(11)), expected);
}

}  // namespace
}  // namespace lakestream
