#include "log/upkeep/log_groups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"

namespace lakestream {

std::string NamedLog::stream_name() const { return LogicalIdOf(*stream).ToString(); }

LogGroups::LogGroups(StreamCatalog& catalog, std::vector<StreamIdentifier> only)
    : catalog_(&catalog), only_(std::move(only)) {
  if (only_.empty()) lister_ = catalog.ListStreams();
}

void LogGroups::Take(StreamMetadata stream) {
  const auto shared = std::make_shared<const StreamMetadata>(std::move(stream));
  for (std::size_t i = 0; i < shared->logs.size(); ++i) waiting_.push_back(NamedLog{shared, static_cast<int>(i)});
}

/// False when there is nothing more.
Task<Result<bool>> LogGroups::LoadMore(OpContext context) {
  if (!lister_) {
    if (next_of_only_ == only_.size()) co_return false;
    const StreamIdentifier& next = only_[next_of_only_];
    LS_CO_ASSIGN(StreamMetadata stream, co_await catalog_->LoadStream(std::move(context), next));
    ++next_of_only_;
    if (taken_of_only_.insert(stream.id).second) Take(std::move(stream));
    co_return true;
  }
  LS_CO_ASSIGN(const std::vector<StreamListing> page, co_await lister_->Next(context));
  for (const StreamListing& listing : page) {
    if (listing.state != LifecycleState::kActive) continue;
    Result<StreamMetadata> stream = co_await catalog_->LoadStream(context, listing.id);
    if (stream.status().code() == StatusCode::kNotFound) continue;  // dropped meanwhile
    LS_CO_TRY(stream.status());
    Take(*std::move(stream));
  }
  co_return !page.empty();
}

Task<Result<std::vector<NamedLog>>> LogGroups::Next(OpContext context) {
  while (waiting_.size() - given_ < kMost) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(std::exchange(given_, 0)));
    LS_CO_ASSIGN(const bool more, co_await LoadMore(context));
    if (!more) break;
  }
  const std::size_t count = std::min(kMost, waiting_.size() - given_);
  const auto from = waiting_.begin() + static_cast<std::ptrdiff_t>(given_);
  given_ += count;
  co_return std::vector<NamedLog>(from, from + static_cast<std::ptrdiff_t>(count));
}

}  // namespace lakestream
