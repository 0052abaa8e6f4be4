#include "meta/lmdb/lmdb_metadata_store.h"
#include "meta/lmdb/testing/lmdb_test_util.h"
#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

/// A fresh directory; its clients are stores of one process.
class LmdbBackend final : public MetadataBackend {
 public:
  std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override {
    LmdbOptions options;
    options.directory = directory_.path();
    options.create = true;
    options.shards = 4;
    auto opened = Wait(LmdbMetadataStore::Open(runtime, OpContext(), options));
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return *std::move(opened);
  }

 private:
  TempDirectory directory_;
};

INSTANTIATE_TEST_SUITE_P(Lmdb, MetadataStoreConformance,
                         testing::Values(OnThreads("lmdb", [](Runtime&) { return std::make_unique<LmdbBackend>(); })),
                         MetadataConformanceName);

}  // namespace
}  // namespace lakestream
