#include "objstore/testing/object_store_conformance.h"

#include <iostream>
#include <stop_token>

#include "base/try.h"
#include "objstore/testing/conformance_cases.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// A runtime of the kind that the back end asks for.
class Ground {
 public:
  explicit Ground(std::uint64_t seed) {
    if (seed == 0) {
      threads_ = std::make_unique<ThreadRuntime>(ThreadRuntimeOptions{});
    } else {
      scheduler_ = std::make_unique<SimScheduler>(seed);
    }
  }
  Runtime& runtime() { return scheduler_ ? scheduler_->runtime() : threads_->runtime(); }
  void Run(Task<void> task) {
    if (!scheduler_) return Wait(std::move(task));
    const Status ended = scheduler_->Run(std::move(task));
    EXPECT_TRUE(ended.ok()) << ended.ToString();
  }

 private:
  std::unique_ptr<ThreadRuntime> threads_;
  std::unique_ptr<SimScheduler> scheduler_;
};

}  // namespace

Task<Status> ObjectStoreWorld::Create(std::string key, std::string bytes) {
  return store_.Put(OpContext(), std::move(key), BufferChain(Buffer(std::move(bytes))), PutMode::kCreate);
}
Task<Status> ObjectStoreWorld::Overwrite(std::string key, std::string bytes) {
  return store_.Put(OpContext(), std::move(key), BufferChain(Buffer(std::move(bytes))), PutMode::kOverwrite);
}
Task<Result<Buffer>> ObjectStoreWorld::Get(std::string key) {
  return store_.Get(OpContext(), std::move(key), ByteRange());
}
Task<Result<Buffer>> ObjectStoreWorld::GetRange(std::string key, std::uint64_t offset,
                                                std::optional<std::uint64_t> length) {
  return store_.Get(OpContext(), std::move(key), ByteRange{offset, length});
}
Task<Result<ObjectInfo>> ObjectStoreWorld::Head(std::string key) { return store_.Head(OpContext(), std::move(key)); }
Task<Status> ObjectStoreWorld::Delete(std::string key) { return store_.Delete(OpContext(), {std::move(key)}); }
Task<Result<std::unique_ptr<ObjectUpload>>> ObjectStoreWorld::StartUpload(std::string key, PutMode mode) {
  return store_.StartUpload(OpContext(), std::move(key), mode);
}

Task<Result<std::string>> ObjectStoreWorld::ListText(std::string prefix, std::string start_after, int limit) {
  Task<Result<ListPage>> list = store_.List(OpContext(), std::move(prefix), std::move(start_after), limit);
  LS_CO_ASSIGN(const ListPage page, co_await list);
  std::string text;
  for (const ObjectInfo& object : page.objects) text += object.key + "\n";
  if (page.next) text += "next " + *page.next + "\n";
  co_return text;
}

Task<std::string> ObjectStoreWorld::GetText(std::string key) {
  const Result<Buffer> bytes = co_await Get(std::move(key));
  co_return bytes.ok() ? std::string(bytes->text()) : std::string(StatusCodeName(bytes.status().code()));
}

OpContext ObjectStoreWorld::Expired() { return OpContext().WithDeadline(runtime_.Now()); }
OpContext ObjectStoreWorld::Cancelled() {
  std::stop_source source;
  source.request_stop();
  return OpContext().WithCancel(source.get_token());
}

const std::vector<ObjectStoreCase>& ObjectStoreCases() {
  static const std::vector<ObjectStoreCase> cases = [] {
    std::vector<ObjectStoreCase> all;
    internal::AddObjectCases(all);
    internal::AddKeyCases(all);
    internal::AddListCases(all);
    internal::AddUploadCases(all);
    internal::AddStreamCases(all);
    return all;
  }();
  return cases;
}

std::string RuledOutBy(CaseNeeds needs, const ObjectStoreCapabilities& capabilities) {
  switch (needs) {
    case CaseNeeds::kNothing: return "";
    case CaseNeeds::kOverwrite: return capabilities.create_only ? "create_only=true" : "";
    case CaseNeeds::kCreateOnly: return capabilities.create_only ? "" : "create_only=false";
    case CaseNeeds::kChecksum: return capabilities.keeps_crc32c ? "" : "keeps_crc32c=false";
    case CaseNeeds::kFreeKeys: return capabilities.keys_are_paths ? "keys_are_paths=true" : "";
    case CaseNeeds::kPathKeys: return capabilities.keys_are_paths ? "" : "keys_are_paths=false";
  }
  return "unknown";
}

std::vector<std::string> CasesSkippedBy(const ObjectStoreBackend& backend) {
  Ground ground(backend.seed);
  const std::unique_ptr<OpenObjectStore> open = backend.open(ground.runtime());
  const ObjectStoreCapabilities capabilities = open->store().capabilities();
  ground.Run(open->Stop());
  std::vector<std::string> skipped;
  for (const ObjectStoreCase& contract : ObjectStoreCases()) {
    const std::string reason = RuledOutBy(contract.needs, capabilities);
    if (!reason.empty()) skipped.push_back(contract.name + ": " + reason);
  }
  std::cout << "conformance of " << backend.name << ": " << ObjectStoreCases().size() - skipped.size()
            << " cases run, " << skipped.size() << " are skipped\n";
  return skipped;
}

std::vector<ObjectStoreCaseParam> ObjectStoreParams(const ObjectStoreBackend& backend) {
  std::vector<ObjectStoreCaseParam> params;
  for (const ObjectStoreCase& contract : ObjectStoreCases()) params.push_back({backend, contract});
  return params;
}

TEST_P(ObjectStoreConformance, Holds) {
  const ObjectStoreCaseParam& param = GetParam();
  Ground ground(param.backend.seed);
  const std::unique_ptr<OpenObjectStore> open = param.backend.open(ground.runtime());
  const std::string reason = RuledOutBy(param.contract.needs, open->store().capabilities());
  if (!reason.empty()) {
    ground.Run(open->Stop());
    GTEST_SKIP() << reason;
  }
  ObjectStoreWorld world(ground.runtime(), open->store());
  ground.Run(param.contract.body(world));
  ground.Run(open->Stop());
}

}  // namespace lakestream
