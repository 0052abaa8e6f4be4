#include <iostream>
#include <map>
#include <stop_token>

#include "meta/testing/metadata_store_conformance.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/thread_runtime.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

class ThreadDriver final : public ConformanceDriver {
 public:
  Runtime& runtime() override { return runtime_.runtime(); }
  void Run(Task<void> task) override { Wait(std::move(task)); }

 private:
  ThreadRuntime runtime_{ThreadRuntimeOptions()};
};

class SimDriver final : public ConformanceDriver {
 public:
  explicit SimDriver(std::uint64_t seed) : scheduler_(seed), node_(scheduler_.AddNode("client")) {}
  Runtime& runtime() override { return node_.runtime(); }
  void Run(Task<void> task) override {
    const Status ended = scheduler_.Run(std::move(task));
    ASSERT_TRUE(ended.ok()) << ended.ToString();
  }
  bool ShiftWall(Duration by) override {
    node_.ShiftWall(by);
    return true;
  }

 private:
  SimScheduler scheduler_;
  SimNode& node_;
};

struct Cases {
  std::vector<std::string> ran;
  std::vector<std::string> skipped;
};
/// By the name of the back end.
std::map<std::string, Cases>& AllCases() {
  static std::map<std::string, Cases> cases;
  return cases;
}

void Print(std::string_view what, const std::vector<std::string>& cases) {
  std::cout << what << " " << cases.size() << ":";
  for (const std::string& name : cases) std::cout << " " << name;
  std::cout << "\n";
}

/// "PutThenGet" of "PutThenGet/memory".
std::string CaseName() {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  return name.substr(0, name.find('/'));
}

Task<std::vector<Status>> Gather(Runtime& runtime, std::vector<Task<Status>> tasks) {
  co_return co_await WhenAll(runtime, std::move(tasks));
}

}  // namespace

MetadataConformanceParam OnThreads(std::string name,
                                   std::function<std::unique_ptr<MetadataBackend>(Runtime&)> backend) {
  return {std::move(name), [] { return std::make_unique<ThreadDriver>(); }, std::move(backend)};
}

MetadataConformanceParam OnSimulator(std::string name, std::uint64_t seed,
                                     std::function<std::unique_ptr<MetadataBackend>(Runtime&)> backend) {
  return {std::move(name), [seed] { return std::make_unique<SimDriver>(seed); }, std::move(backend)};
}

std::string MetadataConformanceName(const testing::TestParamInfo<MetadataConformanceParam>& info) {
  return info.param.name;
}

const std::vector<ConformanceSkip>& AllowedMetadataSkips() {
  static const std::vector<ConformanceSkip> skips = {
      {"PutGuardedByAnEndedSessionIsFenced", "guarded_writes"},
      {"EveryWriteHoldsItsGuard", "guarded_writes"},
      {"SequencedPutGuardedByAnEndedSessionIsFenced", "guarded_writes"},
      {"GuardOfAKilledClientIsFenced", "guarded_writes"},
  };
  return skips;
}

void MetadataStoreConformance::SetUpTestSuite() {
  AllCases().clear();
}

void MetadataStoreConformance::TearDownTestSuite() {
  for (const auto& [backend, cases] : AllCases()) {
    Print("conformance of " + backend + ", cases run", cases.ran);
    Print("conformance of " + backend + ", cases left out", cases.skipped);
  }
}

void MetadataStoreConformance::SetUp() {
  driver_ = GetParam().driver();
  backend_ = GetParam().backend(runtime());
  clients_.push_back(backend_->OpenClient(runtime()));
  ASSERT_NE(clients_.front(), nullptr);
}

void MetadataStoreConformance::TearDown() {
  if (IsSkipped()) {
    AllCases()[GetParam().name].skipped.push_back(CaseName());
    bool allowed = false;
    for (const ConformanceSkip& skip : AllowedMetadataSkips()) allowed = allowed || CaseName() == skip.test;
    EXPECT_TRUE(allowed) << "the case was left out, and the table of skips does not name it";
  } else {
    AllCases()[GetParam().name].ran.push_back(CaseName());
  }
  clients_.clear();
  backend_.reset();
  driver_.reset();
}

MetadataStore& MetadataStoreConformance::other() {
  if (clients_.size() == 1) clients_.push_back(backend_->OpenClient(runtime()));
  return *clients_.back();
}

void MetadataStoreConformance::Reopen() {
  clients_.clear();
  clients_.push_back(backend_->OpenClient(runtime()));
}

void MetadataStoreConformance::KillOther() {
  std::unique_ptr<MetadataStore> client = std::move(clients_.back());
  clients_.pop_back();
  backend_->KillClient(std::move(client));
}

std::vector<Status> MetadataStoreConformance::RunAll(std::vector<Task<Status>> tasks) {
  return Run(Gather(runtime(), std::move(tasks)));
}

OpContext MetadataStoreConformance::CancelledContext() {
  std::stop_source source;
  source.request_stop();
  return OpContext().WithCancel(source.get_token());
}

Result<WriteAnswer> MetadataStoreConformance::Put(const Partition& p, const std::string& key,
                                                  std::string_view value) {
  return Run(store().Put(Context(), p, key, Buffer::CopyOf(value)));
}

Result<WriteAnswer> MetadataStoreConformance::Create(const Partition& p, const std::string& key,
                                                     std::string_view value) {
  return Run(store().CreateIfAbsent(Context(), p, key, Buffer::CopyOf(value)));
}

ReadAnswer MetadataStoreConformance::Read(const Partition& p, const std::string& key, KeyComparison comparison) {
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{p, key, comparison});
  Result<std::vector<ReadAnswer>> answers = Run(store().Read(Context(), std::move(requests)));
  EXPECT_TRUE(answers.ok()) << answers.status().ToString();
  if (!answers.ok()) return std::nullopt;
  EXPECT_EQ(answers->size(), 1u);
  return answers->front();
}

std::string MetadataStoreConformance::KeyOf(const Partition& p, const std::string& key, KeyComparison comparison) {
  const ReadAnswer answer = Read(p, key, comparison);
  return answer ? answer->key : "none";
}

std::string MetadataStoreConformance::ValueOf(const Partition& p, const std::string& key) {
  const ReadAnswer answer = Get(p, key);
  return answer ? std::string(answer->value.text()) : "none";
}

std::vector<std::string> MetadataStoreConformance::Keys(std::optional<Partition> p, const std::string& from,
                                                        const std::string& to, int limit) {
  std::vector<std::string> keys;
  std::optional<std::string> cursor = "";
  while (cursor) {
    Result<KeyPage> page = Run(store().List(Context(), KeyRange{p, from, to}, *cursor, limit));
    EXPECT_TRUE(page.ok()) << page.status().ToString();
    if (!page.ok()) break;
    EXPECT_LE(page->keys.size(), static_cast<std::size_t>(limit));
    keys.insert(keys.end(), page->keys.begin(), page->keys.end());
    cursor = page->next;
  }
  return keys;
}

std::vector<MetadataRecord> MetadataStoreConformance::Records(std::optional<Partition> p, const std::string& from,
                                                              const std::string& to, int limit) {
  std::vector<MetadataRecord> records;
  std::optional<std::string> cursor = "";
  while (cursor) {
    Result<ScanPage> page = Run(store().Scan(Context(), KeyRange{p, from, to}, *cursor, limit));
    EXPECT_TRUE(page.ok()) << page.status().ToString();
    if (!page.ok()) break;
    EXPECT_LE(page->records.size(), static_cast<std::size_t>(limit));
    records.insert(records.end(), page->records.begin(), page->records.end());
    cursor = page->next;
  }
  return records;
}

SequencedPutRequest MetadataStoreConformance::Request(const Partition& p, const std::string& prefix,
                                                      std::int64_t first, std::int64_t second,
                                                      std::string_view value) {
  return SequencedPutRequest{p, prefix, first, second, Buffer::CopyOf(value), WriteGuard(), nullptr};
}

std::vector<Result<SequencedPutAnswer>> MetadataStoreConformance::Sequences(
    std::vector<SequencedPutRequest> requests) {
  const std::size_t count = requests.size();
  std::vector<Result<SequencedPutAnswer>> answers = Run(store().SequencedPut(Context(), std::move(requests)));
  EXPECT_EQ(answers.size(), count);
  return answers;
}

Result<SequencedPutAnswer> MetadataStoreConformance::Sequence(const Partition& p, const std::string& prefix,
                                                              std::int64_t first, std::int64_t second,
                                                              std::string_view value) {
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(p, prefix, first, second, value));
  return Sequences(std::move(requests)).front();
}

std::shared_ptr<MetadataSession> MetadataStoreConformance::OpenSession(MetadataStore& client) {
  Result<std::shared_ptr<MetadataSession>> session = Run(client.OpenSession(Context(), std::chrono::seconds(10)));
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return session.ok() ? *session : nullptr;
}

std::string MetadataStoreConformance::IndexKey(std::int64_t log, std::int64_t end, std::int64_t size) {
  std::string key;
  for (const std::int64_t part : {log, end, size}) {
    const std::string digits = std::to_string(part);
    key += (key.empty() ? "" : "-") + std::string(20 - digits.size(), '0') + digits;
  }
  return key;
}

std::optional<Partition> MetadataStoreConformance::Neighbour(const Partition& p, bool same) {
  const std::string key = "/neighbour/probe";
  EXPECT_TRUE(Put(p, key, "probe").ok());
  std::optional<Partition> found;
  for (int i = 0; i < 64 && !found; ++i) {
    const Partition candidate = Partition::Named("neighbour-" + std::to_string(i));
    if (Get(candidate, key).has_value() == same) found = candidate;
  }
  EXPECT_TRUE(Run(store().Delete(Context(), p, key)).ok());
  EXPECT_TRUE(found) << (same ? "no partition shares the shard" : "every partition is in one shard");
  return found;
}

namespace {

TEST(MetadataConformanceTable, EachAllowedSkipNamesACase) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (const ConformanceSkip& skip : AllowedMetadataSkips()) {
    bool exists = false;
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
      const testing::TestSuite& suite = *all.GetTestSuite(s);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        exists = exists || std::string(suite.GetTestInfo(t)->name()).starts_with(std::string(skip.test) + "/");
      }
    }
    EXPECT_TRUE(exists) << skip.test;
  }
}

}  // namespace
}  // namespace lakestream
