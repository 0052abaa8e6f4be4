#include "objstore/memory/memory_object_store.h"
#include "objstore/testing/object_store_conformance.h"

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

TEST(ObjectStoreSkips, OfMemory) {
  const std::vector<std::string> expected = {"OverwriteIsRefused: create_only=false",
                                             "PathsExcludeEachOther: keys_are_paths=false"};
  EXPECT_EQ(CasesSkippedBy(Memory(0)), expected);
  EXPECT_EQ(CasesSkippedBy(Memory(11)), expected);
}

}  // namespace
}  // namespace lakestream
