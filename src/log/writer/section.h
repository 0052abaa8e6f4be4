#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "format/wal_object.h"
#include "log/lease/lease_keeper.h"
#include "log/writer/pending_append.h"
#include "model/age.h"
#include "model/section_state.h"

namespace lakestream {

/// When a flush came how far.
struct FlushTimes {
  MonotonicTime queued{};   ///< its oldest append
  MonotonicTime started{};
  MonotonicTime durable{};
};

/// One WAL object of this writer. Changed only before its PUT has ended.
struct WalObject {
  std::string name;
  model::Moment begun;  ///< before the PUT that made it durable
  FlushTimes times;
  std::int64_t payload_bytes = 0;  ///< of the whole payload region
  bool only_section = false;
};

/// One log's part of a flush. Changed under the writer's mutex; the lease only while nothing is issued.
struct Section {
  LogId log;
  std::vector<PendingAppendPtr> entries;  ///< not empty; in the order of their offsets
  std::int64_t records = 0;
  std::int64_t bytes = 0;

  model::SectionState state = model::SectionState::kWaiting;
  bool ended = false;  ///< every entry is answered, and the log's order goes on without this
  std::shared_ptr<WalObject> object;  ///< durable; none while it waits for one
  WalSection layout;                  ///< as it stands in the object
  LeaseUse lease;
  Offset end_before;        ///< the log end known before the put was issued
  bool retry_pending = false;
  int index_tries = 0;
  int objects = 0;  ///< how often it was put into an object
};
using SectionPtr = std::shared_ptr<Section>;

}  // namespace lakestream
