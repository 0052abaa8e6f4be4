#include <filesystem>

#include "base/testing/temp_directory.h"
#include "objstore/local/local_object_store.h"
#include "objstore/testing/object_store_conformance.h"

namespace lakestream {
namespace {

class OpenLocal final : public OpenObjectStore {
 public:
  OpenLocal(Runtime& runtime, bool named_temp_files) {
    LocalObjectStoreOptions options;
    options.directory = directory_.path();
    options.named_temp_files = named_temp_files;
    store_ = LocalObjectStore::Open(runtime, options).value();
  }
  ObjectStore& store() override { return *store_; }

 private:
  TempDirectory directory_;
  std::unique_ptr<LocalObjectStore> store_;
};

ObjectStoreBackend Local(bool named_temp_files) {
  return {named_temp_files ? "local with named temporary files" : "local", 0, [named_temp_files](Runtime& runtime) {
            return std::make_unique<OpenLocal>(runtime, named_temp_files);
          }};
}

INSTANTIATE_TEST_SUITE_P(Local, ObjectStoreConformance, ObjectStoreCasesFor(Local(false)), ObjectStoreCaseName);
INSTANTIATE_TEST_SUITE_P(LocalNamed, ObjectStoreConformance, ObjectStoreCasesFor(Local(true)), ObjectStoreCaseName);

TEST(ObjectStoreSkips, OfLocal) {
  const std::vector<std::string> expected = {"OverwriteReplaces: create_only=true",
                                             "AKeyMayContinueAnother: keys_are_paths=true",
                                             "UploadsOverwrite: create_only=true"};
  EXPECT_EQ(CasesSkippedBy(Local(false)), expected);
  EXPECT_EQ(CasesSkippedBy(Local(true)), expected);
}

}  // namespace
}  // namespace lakestream
