#include "meta/memory/memory_metadata_store.h"
#include "meta/testing/metadata_store_conformance.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "meta/wrap/retry_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"

namespace lakestream {
namespace {

/// The wrappers over one client of a memory store; faults are those that a retry hides.
class StackedStore final : public ForwardingMetadataStore {
 public:
  struct Parts {
    Parts(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend)
        : memory(runtime, std::move(backend)),
          plan(runtime),
          fault(runtime, memory, plan),
          retry(runtime, fault, MetadataRetryOptions{50, std::chrono::milliseconds(1), std::chrono::milliseconds(1)}),
          metrics(runtime, retry) {
      MetadataFaultRates rates;
      rates.fail = 1000;
      rates.delay = 1000;
      rates.short_page = 3000;
      rates.watch_late = 5000;
      rates.max_delay = std::chrono::milliseconds(2);
      plan.Randomize(rates, runtime.random);
    }
    MemoryMetadataStore memory;
    MetadataFaultPlan plan;
    FaultMetadataStore fault;
    RetryMetadataStore retry;
    MetricsMetadataStore metrics;
  };

  explicit StackedStore(std::unique_ptr<Parts> parts)
      : ForwardingMetadataStore(parts->metrics), parts_(std::move(parts)) {}
  std::uint64_t client_id() const { return parts_->memory.client_id(); }

 private:
  std::unique_ptr<Parts> parts_;
};

class StackedBackend final : public MetadataBackend {
 public:
  std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override {
    return std::make_unique<StackedStore>(std::make_unique<StackedStore::Parts>(runtime, shared_));
  }
  void KillClient(std::unique_ptr<MetadataStore> client) override {
    shared_->ExpireClient(static_cast<StackedStore&>(*client).client_id());
  }

 private:
  std::shared_ptr<MemoryMetadataBackend> shared_ = std::make_shared<MemoryMetadataBackend>();
};

class UnguardedBackend final : public MetadataBackend {
 public:
  std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override {
    memory_.push_back(std::make_unique<MemoryMetadataStore>(runtime, shared_));
    return std::make_unique<UnguardedMetadataStore>(*memory_.back());
  }
  void KillClient(std::unique_ptr<MetadataStore> client) override {
    client.reset();
    shared_->ExpireClient(memory_.back()->client_id());
  }

 private:
  std::shared_ptr<MemoryMetadataBackend> shared_ = std::make_shared<MemoryMetadataBackend>();
  std::vector<std::unique_ptr<MemoryMetadataStore>> memory_;
};

std::unique_ptr<MetadataBackend> NewStack(Runtime&) { return std::make_unique<StackedBackend>(); }
std::unique_ptr<MetadataBackend> NewUnguarded(Runtime&) { return std::make_unique<UnguardedBackend>(); }

INSTANTIATE_TEST_SUITE_P(Wrap, MetadataStoreConformance,
                         testing::Values(OnThreads("stack_threads", NewStack), OnSimulator("stack_sim1", 1, NewStack),
                                         OnSimulator("stack_sim2", 2, NewStack),
                                         OnSimulator("unguarded", 3, NewUnguarded)),
                         MetadataConformanceName);

}  // namespace
}  // namespace lakestream
