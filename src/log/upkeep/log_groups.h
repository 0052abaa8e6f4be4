#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "log/catalog/stream_lister.h"

namespace lakestream {

/// A log, and what people call it.
struct NamedLog {
  std::shared_ptr<const StreamMetadata> stream;
  int partition = 0;

  LogId log() const { return stream->logs[static_cast<std::size_t>(partition)]; }
  std::string stream_name() const;
};

/// Goes through the logs of all active streams, in groups that a job takes at a time. Not a snapshot: a stream that is
/// made or dropped meanwhile may be missed or seen. Thread safety: none.
class LogGroups {
 public:
  static constexpr std::size_t kMost = 1000;

  /// `only`: none for all streams; one that is named twice is taken once. The catalog outlives this.
  LogGroups(StreamCatalog& catalog, std::vector<StreamIdentifier> only);

  /// Up to kMost logs; none at the end. Errors: not_found (of `only`), unavailable, corrupt.
  Task<Result<std::vector<NamedLog>>> Next(OpContext context);

 private:
  Task<Result<bool>> LoadMore(OpContext context);
  void Take(StreamMetadata stream);

  StreamCatalog* catalog_;
  std::vector<StreamIdentifier> only_;
  std::size_t next_of_only_ = 0;
  std::set<StreamIdentifier> taken_of_only_;
  std::optional<StreamLister> lister_;  ///< none: `only_`
  std::vector<NamedLog> waiting_;
  std::size_t given_ = 0;  ///< of `waiting_`
};

}  // namespace lakestream
