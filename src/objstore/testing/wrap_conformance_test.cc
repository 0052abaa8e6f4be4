#include "objstore/memory/memory_object_store.h"
#include "objstore/testing/object_store_conformance.h"
#include "objstore/wrap/fault_object_store.h"
#include "objstore/wrap/limit_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "objstore/wrap/retry_object_store.h"

namespace lakestream {
namespace {

/// Every wrapper over memory, none of them with anything to do.
class OpenStack final : public OpenObjectStore {
 public:
  explicit OpenStack(Runtime& runtime)
      : memory_(runtime),
        plan_(runtime),
        fault_(runtime, memory_, plan_),
        limit_(runtime, fault_, 2),
        retry_(runtime, limit_, RetryOptions()),
        metrics_(runtime, retry_) {}
  ObjectStore& store() override { return metrics_; }
  Task<void> Stop() override { return fault_.Stop(); }

 private:
  MemoryObjectStore memory_;
  FaultPlan plan_;
  FaultObjectStore fault_;
  LimitObjectStore limit_;
  RetryObjectStore retry_;
  MetricsObjectStore metrics_;
};

ObjectStoreBackend Stack(std::uint64_t seed) {
  return {seed == 0 ? "wrappers" : "wrappers in the simulator", seed,
          [](Runtime& runtime) { return std::make_unique<OpenStack>(runtime); }};
}

INSTANTIATE_TEST_SUITE_P(Wrappers, ObjectStoreConformance, ObjectStoreCasesFor(Stack(0)), ObjectStoreCaseName);
INSTANTIATE_TEST_SUITE_P(SimulatedWrappers, ObjectStoreConformance, ObjectStoreCasesFor(Stack(12)),
                         ObjectStoreCaseName);

TEST(ObjectStoreSkips, OfWrappers) {
  const std::vector<std::string> expected = {"OverwriteIsRefused: create_only=false",
                                             "PathsExcludeEachOther: keys_are_paths=false"};
  EXPECT_EQ(CasesSkippedBy(Stack(0)), expected);
  EXPECT_EQ(CasesSkippedBy(Stack(12)), expected);
}

}  // namespace
}  // namespace lakestream
