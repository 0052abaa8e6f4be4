#include "bench/wrappers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bench/surroundings.h"

namespace lakestream::bench {

Task<Status> TimedObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  Timed timed;
  timed.bytes = bytes.size();
  const MonotonicTime before = runtime_.Now();
  Task<Status> put = inner().Put(std::move(context), std::move(key), std::move(bytes), mode);
  const Status status = co_await put;
  timed.took = runtime_.Now() - before;
  const std::lock_guard lock(mutex_);
  puts_.push_back(timed);
  co_return status;
}

std::vector<TimedObjectStore::Timed> TimedObjectStore::puts() const {
  const std::lock_guard lock(mutex_);
  return puts_;
}

Task<std::vector<Result<SequencedPutAnswer>>> TimedMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  const MonotonicTime before = runtime_.Now();
  auto put = inner().SequencedPut(std::move(context), std::move(requests));
  std::vector<Result<SequencedPutAnswer>> answers = co_await put;
  const Duration took = runtime_.Now() - before;
  const std::lock_guard lock(mutex_);
  puts_.push_back(took);
  co_return answers;
}

std::vector<Duration> TimedMetadataStore::puts() const {
  const std::lock_guard lock(mutex_);
  return puts_;
}

Task<Result<ScanPage>> MemoryWatch::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  const Result<std::int64_t> now = ProcessNumber("status", "RssAnon");
  if (now.ok()) most_kib_ = std::max(most_kib_, *now);
  return inner().Scan(std::move(context), std::move(range), std::move(cursor), limit);
}

Task<Status> DamagingObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  if (damage_.exchange(false)) {
    BufferChain damaged;
    for (const Buffer& part : bytes.parts()) {
      if (damaged.parts().size() + 1 < bytes.parts().size()) {
        damaged.Append(part);
        continue;
      }
      std::string last(part.text());
      last.back() = static_cast<char>(last.back() ^ 1);
      damaged.Append(Buffer(std::move(last)));
    }
    bytes = std::move(damaged);
  }
  Task<Status> put = inner().Put(std::move(context), std::move(key), std::move(bytes), mode);
  co_return co_await put;
}

}  // namespace lakestream::bench
