#include "sim/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/try.h"

namespace lakestream::sim {
namespace {

using Kind = Operation::Kind;

constexpr Kind kKinds[] = {Kind::kAppend, Kind::kRead, Kind::kTail, Kind::kExtent, Kind::kTrim};
constexpr StatusCode kCodes[] = {
    StatusCode::kNotFound,         StatusCode::kAlreadyExists,    StatusCode::kPreconditionFailed,
    StatusCode::kFenced,           StatusCode::kUnavailable,      StatusCode::kIndeterminate,
    StatusCode::kCorrupt,          StatusCode::kInvalidArgument,  StatusCode::kResourceExhausted,
    StatusCode::kCancelled,        StatusCode::kDeadlineExceeded, StatusCode::kUnimplemented,
    StatusCode::kInternal};

/// A tail looks once a second; the rest is for a machine that has much else to do.
constexpr Duration kTailWakes = std::chrono::seconds(6);

std::int64_t Nanos(MonotonicTime time) { return time.time_since_epoch().count(); }

std::string Escape(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7f || c == '%') {
      word += fmt::format("%{:02X}", byte);
    } else {
      word += c;
    }
  }
  return word;
}

std::string EntryWord(const SeenEntry& entry) {
  return fmt::format("{}:{}:{}:{}:{}:{}", entry.offset.value(), entry.records, entry.number, entry.cumulative_size,
                     entry.timestamp_ms, entry.size);
}

std::string EntryWords(const std::vector<SeenEntry>& entries) {
  std::string words;
  for (const SeenEntry& entry : entries) words += ' ' + EntryWord(entry);
  return words;
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The words of one line, one after the other. What does not fit makes it bad, and then nothing fits.
class Words {
 public:
  explicit Words(std::string_view line) : left_(line) {
    if (left_.ends_with(" .")) {
      left_.remove_suffix(2);
    } else {
      Bad();
    }
  }

  bool ok() const { return ok_; }
  bool more() const { return ok_ && !left_.empty(); }
  void Bad() {
    ok_ = false;
    left_ = std::string_view();
  }
  std::string_view Word() {
    const std::size_t space = left_.find(' ');
    const std::string_view word = left_.substr(0, space);
    if (word.empty() || (space != std::string_view::npos && space + 1 == left_.size())) {
      Bad();
      return std::string_view();
    }
    left_.remove_prefix(space == std::string_view::npos ? left_.size() : space + 1);
    return word;
  }
  void Name(std::string_view name) {
    if (Word() != name) Bad();
  }
  std::int64_t Number() {
    const std::optional<std::int64_t> number = ParseNumber(Word());
    if (!number) Bad();
    return number.value_or(0);
  }
  std::int64_t Number(std::string_view name) {
    Name(name);
    return Number();
  }
  Offset At(std::string_view name) { return Offset(Number(name)); }
  MonotonicTime Time() { return MonotonicTime(Duration(Number("at"))); }
  std::string Message() {
    const std::string_view word = Word();
    std::string text;
    if (!word.starts_with('\'')) Bad();
    for (std::size_t i = 1; ok_ && i < word.size(); ++i) {
      unsigned byte = 0;
      if (word[i] != '%') {
        text += word[i];
      } else if (i + 2 < word.size() && std::from_chars(&word[i + 1], &word[i + 3], byte, 16).ptr == &word[i + 3]) {
        text += static_cast<char>(byte);
        i += 2;
      } else {
        Bad();
      }
    }
    return text;
  }
  SeenEntry Entry() {
    std::string_view word = Word();
    std::int64_t numbers[6] = {};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      const std::size_t colon = i + 1 < std::size(numbers) ? word.find(':') : word.size();
      const std::optional<std::int64_t> number = ParseNumber(word.substr(0, colon));
      if (!number || colon == std::string_view::npos) {
        Bad();
        return SeenEntry();
      }
      numbers[i] = *number;
      word.remove_prefix(std::min(word.size(), colon + 1));
    }
    return SeenEntry{Offset(numbers[0]), static_cast<std::int32_t>(numbers[1]), numbers[2], numbers[3], numbers[4],
                     numbers[5]};
  }
  std::vector<SeenEntry> Entries() {
    std::vector<SeenEntry> entries;
    while (more()) entries.push_back(Entry());
    return entries;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

std::optional<std::string> WhereBad(const Words& words) {
  if (words.ok() && !words.more()) return std::nullopt;
  return words.ok() ? "there is more on the line than belongs there" : "a word is not what it must be, or missing";
}

/// Takes line after line.
class Reader {
 public:
  /// What is wrong with the line; nothing where it is right.
  std::optional<std::string> Line(std::string_view line);
  /// What is missing at the end.
  std::optional<std::string> Finish();
  bool in_process() const { return !process_.empty(); }
  /// The line would end what this process wrote, by a kill.
  bool IsItsKill(std::string_view line) const {
    return in_process() && line.starts_with("killed " + process_ + " ") && line.ends_with(" .");
  }
  RealHistory& history() { return history_; }

 private:
  std::optional<std::string> OfProcess(std::string_view kind, Words& words);
  std::optional<std::string> OfWatcher(std::string_view kind, Words& words);
  std::optional<std::string> Process(Words& words);
  std::optional<std::string> Began(Words& words);
  std::optional<std::string> Ended(Words& words);
  std::optional<std::string> Gone(Words& words, bool killed);
  std::optional<std::string> Final(Words& words);
  std::optional<std::string> Record(Words& words, bool readable);
  void Happened(Happening::Kind kind, const std::string& process, MonotonicTime at);
  void GivePlaces();

  RealHistory history_;
  bool begun_ = false;
  std::string process_;                         ///< whose lines these are; empty: the watcher's
  std::map<std::string, bool> names_;           ///< of all processes
  std::map<std::int64_t, std::size_t> calls_;   ///< of this process that have not ended
  std::set<std::int64_t> call_numbers_;         ///< of this process
};

std::optional<std::string> Reader::Line(std::string_view line) {
  Words words(line);
  if (!words.ok()) return "the line does not end as it must";
  const std::string_view kind = words.Word();
  if (!begun_) {
    if (kind != "history" || words.Number() != 1) return "this is no history of version 1";
    begun_ = true;
    return WhereBad(words);
  }
  std::optional<std::string> wrong = in_process() ? OfProcess(kind, words) : OfWatcher(kind, words);
  return wrong ? wrong : WhereBad(words);
}

std::optional<std::string> Reader::OfProcess(std::string_view kind, Words& words) {
  if (kind == "began") return Began(words);
  if (kind == "ended") return Ended(words);
  if (kind == "killed" || kind == "exited") return Gone(words, kind == "killed");
  if (kind != "stuck") return "this does not belong among the lines of a process";
  history_.evidence.stuck.push_back(process_ + ": " + words.Message());
  return std::nullopt;
}

std::optional<std::string> Reader::OfWatcher(std::string_view kind, Words& words) {
  if (kind == "process") return Process(words);
  if (kind == "final") return Final(words);
  if (kind == "record" || kind == "unreadable") return Record(words, kind == "record");
  if (kind != "frozen") return "this belongs among the lines of a process, or nowhere";
  const std::string name(words.Word());
  const MonotonicTime at = words.Time();
  Happened(Happening::Kind::kFrozen, name, at);
  return std::nullopt;
}

std::optional<std::string> Reader::Process(Words& words) {
  const std::string name(words.Word());
  const std::int64_t threads = words.Number("threads");
  words.Time();
  if (WhereBad(words)) return std::nullopt;
  if (!names_.emplace(name, true).second) return "a process of this name was there before";
  if (threads > 1) history_.evidence.many_threads.insert(name);
  process_ = name;
  ++history_.processes;
  return std::nullopt;
}

std::optional<std::string> Reader::Began(Words& words) {
  Operation operation;
  const std::int64_t call = words.Number();
  const std::string_view kind = words.Word();
  const auto known = std::find_if(std::begin(kKinds), std::end(kKinds), [kind](Kind k) { return kind == KindName(k); });
  if (known == std::end(kKinds)) return "there is no such call";
  operation.kind = *known;
  operation.process = process_;
  operation.client = static_cast<int>(words.Number("client"));
  operation.at = words.Time();
  operation.log = LogId(words.Number("log"));
  switch (operation.kind) {
    case Kind::kAppend:
      operation.number = words.Number("number");
      operation.caller = static_cast<CallerId>(words.Number("caller"));
      operation.records = static_cast<std::int32_t>(words.Number("records"));
      operation.size = words.Number("size");
      break;
    case Kind::kRead:
    case Kind::kTail:
      operation.from = words.At("from");
      operation.max_records = words.Number("max_records");
      operation.max_bytes = words.Number("max_bytes");
      break;
    case Kind::kExtent: break;
    case Kind::kTrim: operation.asked = words.At("asked"); break;
  }
  if (WhereBad(words)) return std::nullopt;
  if (!call_numbers_.insert(call).second) return "a call of this number was there before";
  calls_[call] = history_.evidence.operations.size();
  history_.evidence.operations.push_back(std::move(operation));
  return std::nullopt;
}

std::optional<std::string> Reader::Ended(Words& words) {
  const std::int64_t call = words.Number();
  const MonotonicTime at = words.Time();
  const auto found = calls_.find(call);
  if (!words.ok()) return std::nullopt;
  if (found == calls_.end()) return "no call of this number is under way";
  Operation ended = history_.evidence.operations[found->second];
  ended.ended = 0;
  ended.ended_at = at;
  const std::string_view code = words.Word();
  if (code != "ok") {
    const auto known = std::find_if(std::begin(kCodes), std::end(kCodes),
                                    [code](StatusCode c) { return code == StatusCodeName(c); });
    if (known == std::end(kCodes)) return "there is no such code";
    ended.status = Status(*known, words.Message());
  } else if (ended.kind == Kind::kAppend) {
    words.Name("entry");
    ended.acknowledged = words.Entry();
  } else if (ended.kind == Kind::kRead || ended.kind == Kind::kTail) {
    ended.next = words.At("next");
    ended.entries = words.Entries();
  } else {
    ended.low = words.At("from");
    ended.high = words.At("to");
  }
  if (WhereBad(words)) return std::nullopt;
  if (at < ended.at) return "the call ends before it begins";
  history_.evidence.operations[found->second] = std::move(ended);
  calls_.erase(found);
  return std::nullopt;
}

std::optional<std::string> Reader::Gone(Words& words, bool killed) {
  const std::string_view name = words.Word();
  const MonotonicTime at = words.Time();
  const std::int64_t code = killed ? 0 : words.Number("code");
  if (WhereBad(words)) return std::nullopt;
  if (name != process_) return "this is not the process whose lines these are";
  if (killed) {
    Happened(Happening::Kind::kKilled, process_, at);
    ++history_.killed;
  } else if (code != 0) {
    history_.evidence.stuck.push_back(fmt::format("{} ended by itself with code {}", process_, code));
  } else if (!calls_.empty()) {
    history_.evidence.stuck.push_back(process_ + " ended with a call under way: " +
                                      ToString(history_.evidence.operations[calls_.begin()->second]));
  }
  process_.clear();
  calls_.clear();
  call_numbers_.clear();
  return std::nullopt;
}

std::optional<std::string> Reader::Final(Words& words) {
  const LogId log(words.Number());
  FinalLog final;
  final.marker = words.At("marker");
  const std::int64_t leases = words.Number("leases");
  if (WhereBad(words)) return std::nullopt;
  if (!history_.evidence.final.emplace(log, std::move(final)).second) return "the log was there before";
  if (leases > 0) {
    history_.evidence.stuck.push_back(fmt::format("log {}: {} leases are left at the end", log.value(), leases));
  }
  return std::nullopt;
}

std::optional<std::string> Reader::Record(Words& words, bool readable) {
  const auto log = history_.evidence.final.find(LogId(words.Number()));
  FinalRecord record;
  record.start = words.At("start");
  record.end = words.At("end");
  record.cumulative_size = words.Number("sum");
  record.created_ms = words.Number("time");
  if (readable) {
    record.entries = words.Entries();
  } else {
    record.trouble = words.Message();
  }
  if (WhereBad(words)) return std::nullopt;
  if (log == history_.evidence.final.end()) return "its log was not there before";
  std::vector<FinalRecord>& records = log->second.records;
  if (!records.empty() && record.end <= records.back().end) return "the record does not come behind the one before it";
  records.push_back(std::move(record));
  return std::nullopt;
}

void Reader::Happened(Happening::Kind kind, const std::string& process, MonotonicTime at) {
  history_.evidence.happenings.push_back(Happening{kind, 0, at, process});
}

std::optional<std::string> Reader::Finish() {
  if (!begun_) return "there is nothing";
  if (in_process()) return "nobody says how process " + process_ + " ended";
  for (const Happening& happening : history_.evidence.happenings) {
    if (!names_.contains(happening.process)) return "something happened to a process that was not there";
  }
  history_.evidence.real = true;
  history_.evidence.tail_wakes_within = kTailWakes;
  GivePlaces();
  return std::nullopt;
}

/// One order of all beginnings and ends. At one time the beginnings come first: what may have overlapped did.
void Reader::GivePlaces() {
  std::vector<Operation>& operations = history_.evidence.operations;
  std::stable_sort(operations.begin(), operations.end(),
                   [](const Operation& a, const Operation& b) { return a.at < b.at; });
  std::vector<std::tuple<MonotonicTime, bool, Place*>> order;
  for (Operation& operation : operations) {
    order.emplace_back(operation.at, false, &operation.began);
    if (operation.ended) order.emplace_back(operation.ended_at, true, &*operation.ended);
  }
  for (Happening& happening : history_.evidence.happenings) order.emplace_back(happening.at, false, &happening.place);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  Place last = 0;
  for (const auto& [at, ends, place] : order) *place = ++last;
}

}  // namespace

std::string ProcessLine(const std::string& name, int threads, MonotonicTime at) {
  return fmt::format("process {} threads {} at {} .\n", name, threads, Nanos(at));
}

std::string BeganLine(std::int64_t call, const Operation& operation) {
  std::string line = fmt::format("began {} {} client {} at {} log {}", call, KindName(operation.kind), operation.client,
                                 Nanos(operation.at), operation.log.value());
  switch (operation.kind) {
    case Kind::kAppend:
      line += fmt::format(" number {} caller {} records {} size {}", operation.number, operation.caller,
                          operation.records, operation.size);
      break;
    case Kind::kRead:
    case Kind::kTail:
      line += fmt::format(" from {} max_records {} max_bytes {}", operation.from.value(), operation.max_records,
                          operation.max_bytes);
      break;
    case Kind::kExtent: break;
    case Kind::kTrim: line += fmt::format(" asked {}", operation.asked.value()); break;
  }
  return line + " .\n";
}

std::string EndedLine(std::int64_t call, const Operation& operation) {
  const std::string line = fmt::format("ended {} at {} ", call, Nanos(operation.ended_at));
  if (!operation.status.ok()) {
    return line + fmt::format("{} {} .\n", StatusCodeName(operation.status.code()), Escape(operation.status.message()));
  }
  switch (operation.kind) {
    case Kind::kAppend: return line + "ok entry " + EntryWord(*operation.acknowledged) + " .\n";
    case Kind::kRead:
    case Kind::kTail:
      return line + fmt::format("ok next {}{} .\n", operation.next.value(), EntryWords(operation.entries));
    case Kind::kExtent:
    case Kind::kTrim: break;
  }
  return line + fmt::format("ok from {} to {} .\n", operation.low.value(), operation.high.value());
}

std::string StuckLine(std::string_view what) { return fmt::format("stuck {} .\n", Escape(what)); }

std::string FinalLines(LogId log, const FinalLog& final) {
  std::string lines =
      fmt::format("final {} marker {} leases {} .\n", log.value(), final.marker.value(), final.leases.size());
  for (const FinalRecord& record : final.records) {
    const bool readable = record.trouble.empty();
    lines += fmt::format("{} {} start {} end {} sum {} time {}{} .\n", readable ? "record" : "unreadable", log.value(),
                         record.start.value(), record.end.value(), record.cumulative_size, record.created_ms,
                         readable ? EntryWords(record.entries) : ' ' + Escape(record.trouble));
  }
  return lines;
}

Result<RealHistory> ReadHistory(std::istream& text) {
  Reader reader;
  std::string line;
  std::optional<std::string> wrong;
  std::int64_t number = 0;
  std::int64_t bad = 0;
  while (std::getline(text, line)) {
    ++number;
    if (wrong) {
      // What a kill cut was never said.
      if (!reader.IsItsKill(line)) break;
      ++reader.history().cut_lines;
    }
    wrong = text.eof() ? std::string("the line has no end") : reader.Line(line);
    bad = number;
    if (wrong && !reader.in_process()) break;
  }
  if (!wrong) {
    wrong = reader.Finish();
    bad = number + 1;
  }
  if (wrong) return Corrupt(*wrong).With("line", bad);
  reader.history().lines = number;
  return std::move(reader.history());
}

}  // namespace lakestream::sim
