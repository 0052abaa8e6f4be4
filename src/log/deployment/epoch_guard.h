#pragma once

#include <memory>
#include <string>

#include "format/deployment_record.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// Begins sessions only while the deployment is still the one that this process opened. After its metadata was brought
/// back from a copy it has another epoch, and what a process knows from before (log ends, leases) may be wrong.
class EpochGuard final : public ForwardingMetadataStore {
 public:
  EpochGuard(MetadataStore& inner, const DeploymentRecord& opened)
      : ForwardingMetadataStore(inner), deployment_id_(opened.deployment_id), epoch_(opened.epoch) {}

  /// Errors also: fenced (another epoch, or another deployment).
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;

 private:
  Task<Status> CheckEpoch(OpContext context);

  const std::string deployment_id_;
  const std::int64_t epoch_;
};

}  // namespace lakestream
