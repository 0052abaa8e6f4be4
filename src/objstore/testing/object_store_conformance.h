#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "objstore/object_store.h"
#include "runtime/runtime.h"

// The contract of ObjectStore as a list of cases that every back end passes. A back end's x_test.cc:
//
//   ObjectStoreBackend Mine() { return ObjectStoreBackend{"mine", 0, [](Runtime& runtime) { ... }}; }
//   INSTANTIATE_TEST_SUITE_P(Mine, ObjectStoreConformance, ObjectStoreCasesFor(Mine()), ObjectStoreCaseName);
//   TEST(Mine, SkipsTheseCasesOnly) { EXPECT_EQ(CasesSkippedBy(Mine()), ...); }

namespace lakestream {

/// An open, empty store and all that it stands on.
class OpenObjectStore {
 public:
  virtual ~OpenObjectStore() = default;
  virtual ObjectStore& store() = 0;
  /// Awaited before this is destroyed.
  virtual Task<void> Stop() { co_return; }
};

struct ObjectStoreBackend {
  std::string name;
  std::uint64_t seed = 0;  ///< 0: on threads; else the simulator's seed
  std::function<std::unique_ptr<OpenObjectStore>(Runtime&)> open;
};

/// What a case works with.
class ObjectStoreWorld {
 public:
  ObjectStoreWorld(Runtime& runtime, ObjectStore& store) : runtime_(runtime), store_(store) {}

  Runtime& runtime() { return runtime_; }
  ObjectStore& store() { return store_; }

  // The calls with their usual arguments.
  Task<Status> Create(std::string key, std::string bytes);
  Task<Status> Overwrite(std::string key, std::string bytes);
  Task<Result<Buffer>> Get(std::string key);
  Task<Result<Buffer>> GetRange(std::string key, std::uint64_t offset, std::optional<std::uint64_t> length);
  Task<Result<ObjectInfo>> Head(std::string key);
  Task<Status> Delete(std::string key);
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(std::string key, PutMode mode);
  /// The keys of one page, each followed by "\n", and "next" with a line for it where it has one.
  Task<Result<std::string>> ListText(std::string prefix, std::string start_after, int limit);
  /// The bytes, or the name of the status code.
  Task<std::string> GetText(std::string key);

  OpContext Expired();
  OpContext Cancelled();

 private:
  Runtime& runtime_;
  ObjectStore& store_;
};

/// On which back ends a case makes sense.
enum class CaseNeeds { kNothing, kOverwrite, kCreateOnly, kChecksum, kFreeKeys, kPathKeys };

struct ObjectStoreCase {
  std::string name;
  CaseNeeds needs;
  Task<void> (*body)(ObjectStoreWorld& world);
};

/// Every case, in the order of the contract.
const std::vector<ObjectStoreCase>& ObjectStoreCases();

/// The capability that rules the case out, as "name=value"; empty where the case applies.
std::string RuledOutBy(CaseNeeds needs, const ObjectStoreCapabilities& capabilities);

/// "case: capability" for each case that the back end skips, in order. Prints how many run.
std::vector<std::string> CasesSkippedBy(const ObjectStoreBackend& backend);

struct ObjectStoreCaseParam {
  ObjectStoreBackend backend;
  ObjectStoreCase contract;
};
inline void PrintTo(const ObjectStoreCaseParam& param, std::ostream* out) {
  *out << param.backend.name << ": " << param.contract.name;
}

std::vector<ObjectStoreCaseParam> ObjectStoreParams(const ObjectStoreBackend& backend);
inline auto ObjectStoreCasesFor(const ObjectStoreBackend& backend) {
  return testing::ValuesIn(ObjectStoreParams(backend));
}
inline std::string ObjectStoreCaseName(const testing::TestParamInfo<ObjectStoreCaseParam>& info) {
  return info.param.contract.name;
}

/// Runs one case; skips it for the reason that RuledOutBy gives, and for no other.
class ObjectStoreConformance : public testing::TestWithParam<ObjectStoreCaseParam> {};

}  // namespace lakestream
