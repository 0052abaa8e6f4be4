#include <iostream>

#include "base/testing/op_stream.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/shard.h"
#include "meta/testing/metadata_store_conformance.h"
#include "meta/testing/stream_call.h"
#include "meta/testing/stream_side.h"

// Streams of calls that follow from a seed, done by the store and by the memory store: every answer must be equal, and
// so must everything that is there at the end. Keys are drawn from both classes without regard to the bounds that
// callers may rely on (MetadataKeyLess): a store with another order needs a capability that narrows them.

namespace lakestream {
namespace {

constexpr std::uint64_t kSeeds = 20;
constexpr int kOracleShards = 256;

class OracleBackend final : public MetadataBackend {
 public:
  std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override {
    return std::make_unique<MemoryMetadataStore>(runtime, shared_);
  }
  void KillClient(std::unique_ptr<MetadataStore> client) override {
    shared_->ExpireClient(static_cast<MemoryMetadataStore&>(*client).client_id());
  }

 private:
  std::shared_ptr<MemoryMetadataBackend> shared_ =
      std::make_shared<MemoryMetadataBackend>(MemoryMetadataOptions{kOracleShards});
};

/// Names that share a shard of the oracle exactly where `shards` says so.
std::vector<std::string> OraclePartitions(const std::vector<int>& shards) {
  std::vector<std::string> names;
  std::vector<bool> taken(kOracleShards);
  int next = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (static_cast<std::size_t>(shards[i]) < i) {
      names.push_back(names[static_cast<std::size_t>(shards[i])]);
      continue;
    }
    std::string name;
    do {
      name = std::to_string(next++);
    } while (taken[static_cast<std::size_t>(ShardOf(Partition::Named(name), kOracleShards))]);
    taken[static_cast<std::size_t>(ShardOf(Partition::Named(name), kOracleShards))] = true;
    names.push_back(std::move(name));
  }
  return names;
}

struct Difference {
  std::size_t at = 0;  ///< index of the call; their number for the end
  std::string expected;
  std::string actual;
};

struct StreamWorld {
  const MetadataConformanceParam& param;
  ConformanceDriver& driver;
  std::vector<int> shards;
  bool guards = true;
  std::size_t* requests = nullptr;  ///< sequenced puts that were sent
  std::size_t* put_off = nullptr;   ///< and that were unavailable
};

std::optional<Difference> RunStream(const StreamWorld& world, const std::vector<StreamCall>& calls) {
  OracleBackend memory;
  const std::unique_ptr<MetadataBackend> backend = world.param.backend(world.driver.runtime());
  StreamSide oracle(world.driver, memory, OraclePartitions(world.shards), world.shards, true, world.guards);
  StreamSide store(world.driver, *backend, StreamPartitions(), world.shards, false, true);
  StreamTruth truth;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool batch = calls[i].op == StreamOp::kSequencedPut;
    Difference difference{i, {}, {}};
    // The oracle goes first, and says what a write replaced; but of a batch it does what the store did not put off.
    if (batch) difference.actual = store.Do(calls[i], truth);
    difference.expected = oracle.Do(calls[i], truth);
    if (!batch) difference.actual = store.Do(calls[i], truth);
    if (difference.expected != difference.actual) return difference;
    if (batch) *world.put_off += truth.not_done.size();
    if (batch) *world.requests += calls[i].parts.size();
  }
  Difference difference{calls.size(), oracle.Everything(truth), {}};
  difference.actual = store.Everything(truth);
  if (difference.expected != difference.actual) return difference;
  return std::nullopt;
}

std::string Report(std::uint64_t seed, const std::vector<StreamCall>& calls, const Difference& difference) {
  std::string text = "seed " + std::to_string(seed) + ", " + std::to_string(calls.size()) + " calls:\n";
  for (const StreamCall& call : calls) text += "  " + ToText(call) + "\n";
  if (difference.at == calls.size()) text += "  everything that is there at the end\n";
  constexpr std::size_t kMost = 4000;
  text += "    memory: " + difference.expected.substr(0, kMost) + "\n";
  return text + "    this:   " + difference.actual.substr(0, kMost) + "\n";
}

/// Leaves out what can be left out.
std::string Shortest(const StreamWorld& world, std::uint64_t seed, std::vector<StreamCall> calls, Difference first) {
  StreamShrinker<StreamCall> shrinker(std::move(calls), first.at);
  Difference last = std::move(first);
  while (const auto trial = shrinker.Next()) {
    const std::optional<Difference> difference = RunStream(world, *trial);
    if (difference) last = *difference;
    shrinker.Tell(difference ? std::optional(difference->at) : std::nullopt);
  }
  return Report(seed, shrinker.best(), last);
}

TEST_P(MetadataStoreConformance, StreamsOfCallsAgreeWithTheMemoryStore) {
  const std::unique_ptr<ConformanceDriver> driver = GetParam().driver();
  std::size_t requests = 0;
  std::size_t put_off = 0;
  StreamWorld world{GetParam(), *driver, {}, store().capabilities().guarded_writes, &requests, &put_off};
  {
    const std::unique_ptr<MetadataBackend> empty = GetParam().backend(driver->runtime());
    world.shards = AskForShards(*driver, *empty);
  }
  const SeedRange seeds = OpStreamSeeds(kSeeds);
  std::uint64_t ran = 0;
  std::size_t calls_done = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed, ++ran) {
    const std::vector<StreamCall> calls = DrawStream(seed);
    const std::optional<Difference> difference = RunStream(world, calls);
    calls_done += calls.size();
    if (difference) FAIL() << Shortest(world, seed, calls, *difference);
  }
  EXPECT_GT(ran, 0u) << "no seed was run: LAKESTREAM_OP_SEEDS is FIRST..LAST";
  EXPECT_LE(put_off, requests / 5) << "sequenced puts were unavailable";
  std::cout << "streams with " << GetParam().name << ": " << ran << " seeds, " << calls_done << " calls\n";
}

}  // namespace
}  // namespace lakestream
