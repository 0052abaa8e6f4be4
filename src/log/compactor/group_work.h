#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "log/compactor/compactor.h"
#include "log/compactor/range_spool.h"
#include "log/compactor/range_work.h"
#include "log/compactor/section_reader.h"

namespace lakestream {

/// Writes the compacted files of many logs' ranges. Each WAL object is read once for all of them, about in the order in
/// which they were written; entries wait in memory until those before them are there, go into a few open files as they
/// come, or into a scratch file when memory is short. What fails of one log stops none of the others. Use it once.
class GroupWork {
 public:
  /// All of `parts` outlives this.
  GroupWork(const CompactorParts& parts, const CompactorOptions& options, std::vector<RangeWork> work);

  /// One answer for each range, in the order given.
  Task<std::vector<RangeFiles>> Run(OpContext context);
  const WorkCost& cost() const { return cost_; }

 private:
  struct Place {
    std::size_t range;
    std::size_t record;
  };
  struct Object {
    std::string name;
    std::int64_t created_ms = 0;  ///< of the first index record that names it
    std::int64_t bytes = 0;       ///< at most so many are fetched
    std::vector<Place> places;
  };
  using Window = std::pair<std::size_t, std::size_t>;  ///< objects from, to
  struct Fetch {
    std::vector<Place> places;
    SectionReader::Answer answer;
  };

  void FindObjects();
  Window NextWindow(std::size_t from) const;
  Task<Status> FetchWindow(OpContext context, Window window, std::vector<Fetch>* fetched);
  Task<Status> FetchObject(OpContext context, std::size_t object, Fetch* fetch);
  void TakeWindow(std::vector<Fetch> fetched);
  /// Lets memory go until the next window fits.
  Task<Status> Relieve(OpContext context);
  RangeSpool* Fullest();
  Task<Status> SpillOldest();
  Task<std::vector<RangeFiles>> FinishAll(OpContext context);

  Runtime& runtime_;
  ScratchSpace& scratch_space_;
  const CompactorOptions options_;
  const std::shared_ptr<MemoryGauge> gauge_;
  SectionReader reader_;
  std::vector<std::unique_ptr<RangeSpool>> spools_;
  std::vector<Object> objects_;
  std::deque<std::vector<Place>> in_memory_;  ///< by object, oldest first; some may have gone since
  std::unique_ptr<ScratchFile> scratch_;
  WorkCost cost_;
};

}  // namespace lakestream
