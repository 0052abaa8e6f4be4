#include "meta/wrap/retry_metadata_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/invariant.h"
#include "base/logging.h"
#include "base/try.h"
#include "meta/checks.h"

namespace lakestream {
namespace {

Status StatusOf(const Status& status) { return status; }
template <class T>
Status StatusOf(const Result<T>& result) {
  return result.status();
}

using SequencedAnswers = std::vector<Result<SequencedPutAnswer>>;

/// The places of the requests that may be sent again.
std::vector<std::size_t> Repeatable(const std::vector<SequencedPutRequest>& requests,
                                    const SequencedAnswers& answers) {
  std::set<std::string> overtaken;
  std::vector<std::size_t> places;
  for (std::size_t i = requests.size(); i-- > 0;) {
    const StatusCode code = answers[i].status().code();
    const std::string& partition = requests[i].partition.name();
    // What is wrong in itself is refused whatever came before it.
    if (code != StatusCode::kUnavailable && CheckSequencedPut(requests[i]).ok()) overtaken.insert(partition);
    if (code == StatusCode::kUnavailable && !overtaken.contains(partition)) places.push_back(i);
  }
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace

/// Counts the attempts of one call and waits between them.
class RetryMetadataStore::Attempts {
 public:
  Attempts(Runtime& runtime, MetadataRetryOptions options) : runtime_(runtime), options_(options) {}

  int made() const { return made_; }
  /// True after a wait, when another attempt may be made.
  Task<bool> Another(OpContext context) {
    if (made_ >= options_.max_attempts) co_return false;
    Duration most = options_.first_wait;
    for (int i = 1; i < made_ && most < options_.max_wait; ++i) most *= 2;
    most = std::min(most, options_.max_wait);
    const auto wait = static_cast<std::int64_t>(runtime_.random.Below(static_cast<std::uint64_t>(most.count()) + 1));
    const MonotonicTime until = runtime_.Now() + Duration(wait);
    if (until >= context.deadline) co_return false;
    if (context.retry_budget && !context.retry_budget->TryTake()) co_return false;
    const Status slept = co_await SleepUntil(runtime_, std::move(context), until);
    ++made_;
    co_return slept.ok();
  }

 private:
  Runtime& runtime_;
  const MetadataRetryOptions options_;
  int made_ = 1;
};

template <class R>
Task<R> RetryMetadataStore::Retry(Runtime& runtime, MetadataRetryOptions options, OpContext context,
                                  std::function<Task<R>(OpContext)> call) {
  Attempts attempts(runtime, options);
  while (true) {
    R answer = co_await call(context);
    if (StatusOf(answer).code() != StatusCode::kUnavailable) co_return answer;
    const bool another = co_await attempts.Another(context);
    if (!another) co_return StatusOf(answer).With("attempts", attempts.made());
    Log(LogLevel::kInfo, "a call to the metadata store is made again", StatusOf(answer));
  }
}

RetryMetadataStore::RetryMetadataStore(Runtime& runtime, MetadataStore& inner, MetadataRetryOptions options)
    : ForwardingMetadataStore(inner), runtime_(runtime), options_(options) {
  LS_INVARIANT(options.max_attempts >= 1, "the first attempt counts");
  LS_INVARIANT(options.first_wait >= Duration::zero() && options.max_wait >= Duration::zero(),
               "waits are not negative");
}

Task<Result<std::vector<ReadAnswer>>> RetryMetadataStore::Read(OpContext context, std::vector<ReadRequest> requests) {
  MetadataStore* store = &inner();
  return Retry<Result<std::vector<ReadAnswer>>>(
      runtime_, options_, std::move(context),
      [store, requests = std::move(requests)](OpContext c) { return store->Read(std::move(c), requests); });
}

Task<Result<WriteAnswer>> RetryMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                  Buffer value, WriteGuard guard) {
  MetadataStore* store = &inner();
  return Retry<Result<WriteAnswer>>(runtime_, options_, std::move(context),
                                    [store, partition, key, value, guard](OpContext c) {
                                      return store->Put(std::move(c), partition, key, value, guard);
                                    });
}

Task<Result<WriteAnswer>> RetryMetadataStore::CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                             Buffer value, WriteGuard guard) {
  MetadataStore* store = &inner();
  return Retry<Result<WriteAnswer>>(runtime_, options_, std::move(context),
                                    [store, partition, key, value, guard](OpContext c) {
                                      return store->CreateIfAbsent(std::move(c), partition, key, value, guard);
                                    });
}

Task<Result<WriteAnswer>> RetryMetadataStore::CreateEphemeral(OpContext context, Partition partition, std::string key,
                                                              Buffer value,
                                                              std::shared_ptr<MetadataSession> session) {
  MetadataStore* store = &inner();
  return Retry<Result<WriteAnswer>>(runtime_, options_, std::move(context),
                                    [store, partition, key, value, session](OpContext c) {
                                      return store->CreateEphemeral(std::move(c), partition, key, value, session);
                                    });
}

Task<Result<WriteAnswer>> RetryMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                            Buffer value, std::int64_t version, WriteGuard guard) {
  MetadataStore* store = &inner();
  return Retry<Result<WriteAnswer>>(
      runtime_, options_, std::move(context), [store, partition, key, value, version, guard](OpContext c) {
        return store->CompareAndSet(std::move(c), partition, key, value, version, guard);
      });
}

Task<Status> RetryMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  MetadataStore* store = &inner();
  return Retry<Status>(runtime_, options_, std::move(context), [store, partition, key, guard](OpContext c) {
    return store->Delete(std::move(c), partition, key, guard);
  });
}

Task<Status> RetryMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                                             WriteGuard guard) {
  MetadataStore* store = &inner();
  return Retry<Status>(runtime_, options_, std::move(context), [store, partition, from, to, guard](OpContext c) {
    return store->DeleteRange(std::move(c), partition, from, to, guard);
  });
}

Task<Result<KeyPage>> RetryMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  MetadataStore* store = &inner();
  return Retry<Result<KeyPage>>(runtime_, options_, std::move(context), [store, range, cursor, limit](OpContext c) {
    return store->List(std::move(c), range, cursor, limit);
  });
}

Task<Result<ScanPage>> RetryMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  MetadataStore* store = &inner();
  return Retry<Result<ScanPage>>(runtime_, options_, std::move(context), [store, range, cursor, limit](OpContext c) {
    return store->Scan(std::move(c), range, cursor, limit);
  });
}

Task<std::vector<Result<SequencedPutAnswer>>> RetryMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  Attempts attempts(runtime_, options_);
  SequencedAnswers answers = co_await inner().SequencedPut(context, requests);
  LS_INVARIANT(answers.size() == requests.size(), "each request has its answer");
  while (true) {
    const std::vector<std::size_t> places = Repeatable(requests, answers);
    if (places.empty()) co_return answers;
    const bool another = co_await attempts.Another(context);
    if (!another) co_return answers;
    std::vector<SequencedPutRequest> again;
    for (const std::size_t place : places) again.push_back(requests[place]);
    SequencedAnswers new_answers = co_await inner().SequencedPut(context, std::move(again));
    for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = std::move(new_answers[i]);
  }
}

class RetryMetadataStore::Session final : public MetadataSession {
 public:
  Session(Runtime& runtime, MetadataRetryOptions options, std::shared_ptr<MetadataSession> inner)
      : runtime_(runtime), options_(options), inner_(std::move(inner)) {}

  const std::string& id() const override { return inner_->id(); }
  bool ProvablyAlive() const override { return inner_->ProvablyAlive(); }
  Task<Status> Close(OpContext context) override {
    return Retry<Status>(runtime_, options_, std::move(context),
                         [session = inner_](OpContext c) { return session->Close(std::move(c)); });
  }

 private:
  Runtime& runtime_;
  const MetadataRetryOptions options_;
  const std::shared_ptr<MetadataSession> inner_;
};

Task<Result<std::shared_ptr<MetadataSession>>> RetryMetadataStore::OpenSession(OpContext context, Duration timeout) {
  using Opened = Result<std::shared_ptr<MetadataSession>>;
  MetadataStore* store = &inner();
  std::function<Task<Opened>(OpContext)> open = [store, timeout](OpContext c) {
    return store->OpenSession(std::move(c), timeout);
  };
  Task<Opened> retry = Retry<Opened>(runtime_, options_, std::move(context), std::move(open));
  LS_CO_ASSIGN(std::shared_ptr<MetadataSession> session, co_await retry);
  std::shared_ptr<MetadataSession> wrapped = std::make_shared<Session>(runtime_, options_, std::move(session));
  co_return wrapped;
}

}  // namespace lakestream
