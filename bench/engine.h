#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lakestream/status.h"
#include "log/deployment/deployment.h"
#include "log/lease/lease_keeper.h"
#include "log/reader/log_reader.h"
#include "log/writer/log_writer.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "objstore/local/local_object_store.h"
#include "runtime/runtime.h"

namespace lakestream::bench {

/// A writer with its leases on stores that the benchmark chose. Blocks; not for the runtime's threads.
class Engine {
 public:
  /// The stores outlive the engine.
  static Result<std::unique_ptr<Engine>> Start(Runtime& runtime, MetadataStore& meta, ObjectStore& wal,
                                               WriterOptions options);
  ~Engine();
  Status Stop();

  LogWriter& writer() { return *writer_; }

 private:
  Engine(Runtime& runtime, MetadataStore& meta, const WriterOptions& options)
      : runtime_(runtime), leases_(runtime, meta, options) {}
  Runtime& runtime_;
  LeaseKeeper leases_;
  std::unique_ptr<LogWriter> writer_;
  bool stopped_ = false;
};

Result<std::unique_ptr<LmdbMetadataStore>> OpenLmdb(Runtime& runtime, const std::string& directory);
Result<std::unique_ptr<LocalObjectStore>> OpenLocal(Runtime& runtime, const std::string& directory);

/// A new embedded deployment, stopped when it goes. Blocks; not for the runtime's threads.
class Embedded {
 public:
  static Result<std::unique_ptr<Embedded>> Open(Runtime& runtime, const std::string& directory,
                                                WriterOptions options = WriterOptions());
  ~Embedded();
  Status Stop();
  Deployment& deployment() { return *deployment_; }

 private:
  Embedded(Runtime& runtime, std::unique_ptr<Deployment> deployment)
      : runtime_(runtime), deployment_(std::move(deployment)) {}
  Runtime& runtime_;
  std::unique_ptr<Deployment> deployment_;
  bool stopped_ = false;
};

}  // namespace lakestream::bench
