#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "meta/lmdb/lmdb_environment.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// A session of this process. Alive while its lock file is held, which is until Close or until its store stops;
/// letting the object go changes nothing.
class LmdbSession final : public MetadataSession {
 public:
  LmdbSession(Runtime& runtime, const std::shared_ptr<LmdbEnvironment>& environment, SessionNumber number)
      : runtime_(runtime), environment_(environment), number_(number), id_(SessionId(number)) {}

  const std::string& id() const override { return id_; }
  bool ProvablyAlive() const override;
  Task<Status> Close(OpContext context) override;

 private:
  Runtime& runtime_;
  const std::weak_ptr<LmdbEnvironment> environment_;
  const SessionNumber number_;
  const std::string id_;
  std::atomic<bool> over_{false};
  std::atomic<bool> closed_{false};
};

}  // namespace lakestream
