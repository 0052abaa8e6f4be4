#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "meta/metadata_store.h"
#include "runtime/runtime.h"
#include "runtime/wait.h"

// The contract of MetadataStore, a case per sentence. A back end runs it so (x_test.cc):
//
//   struct MyBackend : MetadataBackend {                     // one store, made fresh for each case
//     std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override { ... }
//   };
//   INSTANTIATE_TEST_SUITE_P(My, MetadataStoreConformance,
//       testing::Values(OnThreads("my", [](Runtime&) { return std::make_unique<MyBackend>(); })),
//       MetadataConformanceName);
//
// and links `meta_conformance`:  lakestream_test(meta_my SOURCES x_test.cc DEPS meta_my meta_conformance).

namespace lakestream {

/// One store under test, with everything that its clients share. Made before the first client and destroyed
/// after the last one.
class MetadataBackend {
 public:
  virtual ~MetadataBackend() = default;

  /// Another client of the same store, as another process would have it. Destroying the client ends it as a
  /// process that stops cleanly; the store keeps its records, and a client opened later finds them.
  virtual std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) = 0;

  /// Ends the client as the death of its process would. When it returns, the client's sessions count as ended
  /// for all others. Override where destroying the client does not do that.
  virtual void KillClient(std::unique_ptr<MetadataStore> client) { client.reset(); }

  /// Moves the clock from which the store takes creation times by this much; false where it cannot be moved.
  virtual bool ShiftWall(Duration) { return false; }
};

/// What runs the coroutines of a case: real threads or the simulator.
class ConformanceDriver {
 public:
  virtual ~ConformanceDriver() = default;
  virtual Runtime& runtime() = 0;
  /// Runs the task to its end.
  virtual void Run(Task<void> task) = 0;
  /// As MetadataBackend::ShiftWall, for stores that take their time from runtime().
  virtual bool ShiftWall(Duration) { return false; }
};

struct MetadataConformanceParam {
  std::string name;
  std::function<std::unique_ptr<ConformanceDriver>()> driver;
  std::function<std::unique_ptr<MetadataBackend>(Runtime&)> backend;
};

/// The store on a ThreadRuntime of its own.
MetadataConformanceParam OnThreads(std::string name,
                                   std::function<std::unique_ptr<MetadataBackend>(Runtime&)> backend);
/// The store in the simulator.
MetadataConformanceParam OnSimulator(std::string name, std::uint64_t seed,
                                     std::function<std::unique_ptr<MetadataBackend>(Runtime&)> backend);

inline void PrintTo(const MetadataConformanceParam& param, std::ostream* out) { *out << param.name; }
/// Names a parameter for INSTANTIATE_TEST_SUITE_P.
std::string MetadataConformanceName(const testing::TestParamInfo<MetadataConformanceParam>& info);

/// A case that a back end may leave out, and the capability that it then lacks. Every other skip fails.
struct ConformanceSkip {
  const char* test;
  const char* capability;
};
const std::vector<ConformanceSkip>& AllowedMetadataSkips();

class MetadataStoreConformance : public testing::TestWithParam<MetadataConformanceParam> {
 protected:
  static void SetUpTestSuite();
  /// Prints the cases that ran and those that were left out.
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  MetadataStore& store() { return *clients_.front(); }
  /// The second client of the same store, opened when first asked for.
  MetadataStore& other();
  MetadataBackend& backend() { return *backend_; }
  Runtime& runtime() { return driver_->runtime(); }
  /// Closes all clients and opens the store anew.
  void Reopen();
  /// Kills the second client.
  void KillOther();
  void LetTimePass(Duration time) { EXPECT_TRUE(Run(SleepFor(runtime(), Context(), time)).ok()); }
  bool ShiftWall(Duration by) { return driver_->ShiftWall(by) || backend_->ShiftWall(by); }

  template <class T>
  T Run(Task<T> task) {
    std::optional<T> slot;
    driver_->Run(internal::RunInto(std::move(task), &slot));
    return std::move(*slot);
  }
  /// Runs them side by side; the results in order.
  std::vector<Status> RunAll(std::vector<Task<Status>> tasks);

  OpContext Context() { return OpContext(); }
  OpContext After(Duration time) { return OpContext().WithDeadline(runtime().Now() + time); }
  /// A context that had ended before the call.
  OpContext Expired() { return OpContext().WithDeadline(runtime().Now()); }
  OpContext CancelledContext();

  // The calls with their usual arguments.
  Result<WriteAnswer> Put(const Partition& p, const std::string& key, std::string_view value);
  Result<WriteAnswer> Create(const Partition& p, const std::string& key, std::string_view value);
  ReadAnswer Get(const Partition& p, const std::string& key) { return Read(p, key, KeyComparison::kEqual); }
  /// The answer; nothing, and a failure of the case, where the call fails.
  ReadAnswer Read(const Partition& p, const std::string& key, KeyComparison comparison);
  /// The key that a read finds, or "none".
  std::string KeyOf(const Partition& p, const std::string& key, KeyComparison comparison);
  std::string ValueOf(const Partition& p, const std::string& key);
  /// All keys of the range, in pages of `limit`.
  std::vector<std::string> Keys(std::optional<Partition> p, const std::string& from, const std::string& to,
                                int limit = 100);
  std::vector<MetadataRecord> Records(std::optional<Partition> p, const std::string& from, const std::string& to,
                                      int limit = 100);
  Result<SequencedPutAnswer> Sequence(const Partition& p, const std::string& prefix, std::int64_t first,
                                      std::int64_t second, std::string_view value = "v");
  std::vector<Result<SequencedPutAnswer>> Sequences(std::vector<SequencedPutRequest> requests);
  static SequencedPutRequest Request(const Partition& p, const std::string& prefix, std::int64_t first,
                                     std::int64_t second, std::string_view value = "v");
  std::shared_ptr<MetadataSession> OpenSession(MetadataStore& client);

  /// "{log:020d}-{end:020d}-{size:020d}"
  static std::string IndexKey(std::int64_t log, std::int64_t end, std::int64_t size);

  /// A partition in another shard than `p`, or one of the same shard; found by asking the store.
  std::optional<Partition> ElsewhereThan(const Partition& p) { return Neighbour(p, false); }
  std::optional<Partition> SameShardAs(const Partition& p) { return Neighbour(p, true); }

 private:
  std::optional<Partition> Neighbour(const Partition& p, bool same);

  std::unique_ptr<ConformanceDriver> driver_;
  std::unique_ptr<MetadataBackend> backend_;
  std::vector<std::unique_ptr<MetadataStore>> clients_;
};

/// Leaves the case out where the store lacks the capability.
#define LS_CONFORMANCE_NEEDS(capability)                 \
  if (!store().capabilities().capability) GTEST_SKIP() << "capability " #capability

}  // namespace lakestream
