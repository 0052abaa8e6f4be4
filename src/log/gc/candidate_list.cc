#include "log/gc/candidate_list.h"

#include <limits>

#include "base/try.h"

namespace lakestream {

Task<Result<CandidateBase>> ReadCandidateBase(MetadataStore& meta, OpContext context) {
  const std::string last = CollectionResultKey(std::numeric_limits<std::int64_t>::max());
  Task<Result<ReadAnswer>> look = meta.Floor(std::move(context), CollectionHome(), last);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await look);
  CandidateBase base;
  if (!answer || !answer->key.starts_with(CollectionResultKeys().first)) co_return base;
  const std::optional<std::int64_t> number = NumberOfCollectionResultKey(answer->key);
  if (!number) co_return Corrupt("a key has the form of no record").With("object", answer->key);
  base.number = *number;
  base.ended_ms = answer->created_ms;
  const Result<CollectionResultRecord> result = DecodeCollectionResult(answer->value.text(), answer->key);
  if (result.ok()) base.result = *result;
  co_return base;
}

Task<Status> CandidateReader::Advance() {
  if (at_ < page_.size()) ++at_;
  while (at_ >= page_.size() && next_ < records_) {
    const std::string key = CandidatesKey(pass_, next_);
    Task<Result<ReadAnswer>> get = meta_.Get(context_, CollectionHome(), key);
    LS_CO_ASSIGN(const ReadAnswer answer, co_await get);
    if (!answer) co_return NotFound("candidates of a pass are not there any more").With("key", key);
    LS_CO_ASSIGN(page_, DecodeCandidates(answer->value.text(), key));
    at_ = 0;
    ++next_;
  }
  co_return OkStatus();
}

Task<Status> CandidateWriter::Add(CollectionCandidate candidate) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  ++result_.candidates;
  result_.bytes = candidate.bytes > kMost - result_.bytes ? kMost : result_.bytes + candidate.bytes;
  page_.push_back(std::move(candidate));
  if (page_.size() < kMaxCandidatesOfRecord) co_return OkStatus();
  Task<Status> flush = Flush();
  co_return co_await flush;
}

Task<Status> CandidateWriter::Flush() {
  if (page_.empty()) co_return OkStatus();
  LS_CO_ASSIGN(std::string value, EncodeCandidates(page_));
  const std::string key = CandidatesKey(result_.pass, result_.records);
  const Buffer bytes(std::move(value));
  Task<Result<WriteAnswer>> put = meta_.Put(context_, CollectionHome(), key, bytes, WriteGuard());
  LS_CO_TRY((co_await put).status());
  ++result_.records;
  page_.clear();
  co_return OkStatus();
}

Task<Result<bool>> CandidateWriter::Publish(std::int64_t number, std::optional<BootStamp> boot) {
  Task<Status> flush = Flush();
  LS_CO_TRY(co_await flush);
  result_.boot = std::move(boot);
  LS_CO_ASSIGN(std::string value, EncodeCollectionResult(result_));
  const std::string key = CollectionResultKey(number);
  const Buffer bytes(std::move(value));
  Task<Result<WriteAnswer>> create = meta_.CreateIfAbsent(context_, CollectionHome(), key, bytes, WriteGuard());
  const Result<WriteAnswer> created = co_await create;
  if (created.status().code() == StatusCode::kAlreadyExists) co_return false;
  LS_CO_TRY(created.status());
  co_return true;
}

Task<Status> CandidateWriter::Discard() {
  const KeyBounds bounds = CandidatesKeys(result_.pass);
  const std::int64_t pass = result_.pass;
  result_ = CollectionResultRecord();
  result_.pass = pass;
  page_.clear();
  Task<Status> remove = meta_.DeleteRange(context_, CollectionHome(), bounds.first, bounds.end, WriteGuard());
  co_return co_await remove;
}

}  // namespace lakestream
