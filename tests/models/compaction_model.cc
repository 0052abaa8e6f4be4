#include "tests/models/compaction_model.h"

#include <algorithm>

#include "base/invariant.h"
#include "model/compaction_state.h"
#include "tests/models/explorer.h"

namespace lakestream::models {
namespace {

using model::CompactionAction;
using model::CompactionFacts;
using model::CompactionStand;
using model::CompactionState;
using model::CompactionView;
using model::InstallAction;
using model::InstallCell;
using model::InstallEvent;
using model::InstallStep;

using Byte = std::uint8_t;

constexpr int kWorkers = 2;
constexpr Byte kNoRecord = 0;
constexpr Byte kRaw = 1;
constexpr Byte kFirstParquet = 2;   ///< the PARQUET record of attempt k is kFirstParquet + k
constexpr Byte kOldAttempt = 3;     ///< what was compacted before
constexpr Duration kDeadline{1};

enum class Step : Byte {
  kRead,  ///< the record; here a worker has no session that matters
  kPlan,
  kCasWorking,
  kUpload,
  kCasInstalling,
  kCasAbandon,
  kCasTakeOver,
  kMakeLease,
  kReadFence,
  kGetKey,
  kPutRecord,
  kDeleteRange,
  kFinish,
};

struct Worker {
  Step step;
  Byte fresh;    ///< the version it holds is the record's
  Byte attempt;
  Byte from;     ///< the range is (from, to] in keys
  Byte to;
  Byte alive;    ///< its session
  Byte lease;    ///< its lease record is there
  Byte seen;     ///< by the Get of C3
  // A request without an answer: 0, or the step that sent it, and what it carries.
  Byte late;
  Byte late_fresh;  ///< its version is the record's
  Byte late_alive;  ///< the session that sent it
  Byte late_attempt;
  Byte late_from;
  Byte late_to;
  Byte late_seen;
};

/// Everything but versions and time: a version counts only as being the one that a worker holds, or not.
struct State {
  Byte index[5];  ///< by key, 1 to 4
  CompactionState state;
  Byte attempt;
  Byte owner;
  Byte owner_ended;
  Byte marker;    ///< B
  Byte files;     ///< a bit for each attempt
  Byte attempts;
  Byte from[4];   ///< of each attempt
  Byte to[4];
  Byte fence;
  Byte drained;
  Byte deleted;
  Worker workers[kWorkers];
  Byte trim_step;
  Byte trim_to;
  Byte collect_step;
  Byte listed;
};

enum class Act : Byte {
  kStart, kSessionEnds, kReads, kPlans, kCasWorking, kCasWorkingLost, kCasLate, kCasFails, kUploads, kCasInstalling,
  kCasInstallingLost, kAbandons, kTakesOver, kAdopts, kMakesLease, kNoLease, kNoFence, kSeesFence,
  kGivesUp, kGets, kPuts, kPutConflict, kPutLost, kDeletes, kDeleteLost, kFinishes, kFinishLost, kReadsAgain,
  kLateLands, kSoftTrim, kTrimReads, kTrimDeletesFiles, kHardTrim, kFence, kDrained, kDeleteLog, kDeleteAgain,
  kMarksDropped, kLists, kReadsRecord, kScansIndex, kDeletesFiles,
};
constexpr std::string_view kActs[] = {
    "start", "session ends", "reads the record", "plans up to", "CAS to working, attempt",
    "CAS to working, answer lost, attempt", "a CAS without an answer", "CAS fails", "uploads the file of attempt",
    "CAS to installing, attempt",
    "CAS to installing, answer lost, attempt", "abandons attempt", "takes over attempt", "adopts attempt",
    "makes a lease", "gets no lease", "finds no fence", "finds a fence",
    "sees a fence and gives the files up, attempt", "C3 Get of key", "C3 Put of key", "C3 Put fails",
    "C3 Put without an answer, key", "C4 below key", "C4 without an answer, below key", "CAS to idle",
    "CAS to idle, answer lost", "is displaced, reads again", "a late request lands", "soft trim to", "reads B =",
    "deletes files of PARQUET records up to", "hard trim to", "fences the log", "sees no lease",
    "deletes the index records", "deletes late index records", "marks it dropped", "lists files",
    "reads the compaction record", "scans the index", "deletes unnamed files"};
constexpr std::string_view kActors[] = {"K0: ", "K1: ", "trimmer: ", "catalog: ", "collector: ", ""};
enum Actor : Byte { kTrimmer = 2, kCatalog = 3, kCollector = 4 };

std::uint16_t Label(int actor, Act act, int number = 0) {
  return static_cast<std::uint16_t>((actor << 12) | (number << 8) | static_cast<int>(act));
}

std::string TextOf(std::uint16_t label) {
  std::string text(kActors[label >> 12]);
  text += kActs[label & 0xff];
  if (((label >> 8) & 15) != 0) text += " " + std::to_string(((label >> 8) & 15) - 1);
  return text;
}

class Model {
 public:
  explicit Model(const CompactionRules& rules) : rules_(rules) {}

  ModelResult Explore(std::size_t most_states, bool liveness, const std::string& until) {
    State first{};
    first.state = CompactionState::kAbsent;
    for (int key = 1; key <= rules_.records; ++key) first.index[key] = kRaw;
    for (Worker& worker : first.workers) worker.alive = 1;
    if (rules_.compacted > 0) {
      const auto key = static_cast<Byte>(rules_.compacted);
      first.index[key] = kFirstParquet + kOldAttempt;
      first.from[kOldAttempt] = key - 1;
      first.to[kOldAttempt] = key;
      first.files = 1 << kOldAttempt;
    }
    ModelResult result;
    result.complete = explorer_.Run(first, most_states, until, liveness, [this](const State& state) { Visit(state); });
    result.states = explorer_.size();
    for (const auto& [how, state] : explorer_.bad()) result.bad[how] = Words(state);
    if (liveness && result.complete) {
      const auto stuck = explorer_.CannotReach([this](const State& state) { return AtRest(state); });
      if (!stuck.empty()) result.bad["never comes to rest"] = Words(stuck.front());
    }
    return result;
  }

 private:
  std::vector<std::string> Words(std::uint32_t state) const {
    std::vector<std::string> words;
    for (const std::uint16_t label : explorer_.WayTo(state)) words.push_back(TextOf(label));
    return words;
  }

  void Visit(const State& state) {
    s_ = state;
    Check();
    for (int i = 0; i < kWorkers; ++i) StepWorker(i);
    if (rules_.trims) StepTrims();
    if (rules_.drop) StepCatalog();
    StepCollector();
  }

  void Go(const State& next, std::uint16_t label) {
    const std::uint32_t reached = explorer_.Reach(next, label);
    for (const char* how : wrong_) explorer_.BadAt(how, reached);
    wrong_.clear();
  }

  /// The step that is being made is wrong in this way.
  void Wrong(const char* how) { wrong_.push_back(how); }

  // What must hold of every state.
  void Check() {
    if (s_.deleted) return;
    for (int offset = s_.marker; offset < rules_.records; ++offset) {
      int key = offset + 1;
      while (key <= rules_.records && s_.index[key] == kNoRecord) ++key;
      if (key > rules_.records) return explorer_.Bad("an offset at or above B has no record");
      const Byte value = s_.index[key];
      if (value == kRaw) {
        if (key - 1 > offset) explorer_.Bad("a gap at or above B");
        continue;
      }
      const int attempt = value - kFirstParquet;
      if (s_.from[attempt] > offset) explorer_.Bad("a gap at or above B");
      if (s_.to[attempt] != key) explorer_.Bad("a value stands under a foreign key");
      if ((s_.files >> attempt & 1) == 0) explorer_.Bad("a record at or above B names a deleted file");
    }
    if (s_.index[rules_.records] == kNoRecord) explorer_.Bad("the greatest key is gone");
  }

  /// Nothing is under way, and every file has a name.
  bool AtRest(const State& state) const {
    if (state.state == CompactionState::kWorking || state.state == CompactionState::kInstalling) return false;
    int named = 0;
    for (int key = 1; key <= rules_.records; ++key) {
      if (state.index[key] >= kFirstParquet) named |= 1 << (state.index[key] - kFirstParquet);
    }
    return (state.files & ~named) == 0;
  }

  // A worker begins again: it forgets all but its session, its lease record and its late request.
  static void Reset(Worker& worker) {
    worker.step = Step::kRead;
    worker.fresh = worker.attempt = worker.from = worker.to = worker.seen = 0;
  }

  // A CAS that is done: every version that others hold is an old one now.
  static void Written(State& state, int by) {
    for (int i = 0; i < kWorkers; ++i) {
      state.workers[i].fresh = i == by ? 1 : 0;
      state.workers[i].late_fresh = 0;
    }
  }

  static void Owned(State& state, int by, Byte attempt) {
    state.attempt = attempt;
    state.owner = static_cast<Byte>(by);
    state.owner_ended = state.workers[by].alive ? 0 : 1;
    Written(state, by);
  }

  static void Idle(State& state, int by) {
    state.state = CompactionState::kIdle;
    state.attempt = state.owner = state.owner_ended = 0;
    Written(state, by);
  }

  CompactionAction Decide(CompactionStand stand, CompactionView view) const {
    const bool late = stand == CompactionStand::kInstallingLate;
    if (late && !rules_.takeover_waits_for_end) stand = CompactionStand::kInstallingEnded;
    return model::NextCompaction(stand, view);
  }

  /// What a worker may know of the log and of its session: nothing, or whatever is so.
  std::vector<CompactionView> Views(bool session_lives) const {
    std::vector<CompactionView> views = {CompactionView::kLogLives};
    if (s_.fence) views.push_back(CompactionView::kLogFenced);
    if (s_.deleted && rules_.drop_marks_record) views.push_back(CompactionView::kLogDeleted);
    if (!session_lives) views.push_back(CompactionView::kSessionEnded);
    return views;
  }

  void StepWorker(int i) {
    const Worker& worker = s_.workers[i];
    if (worker.alive) {
      State next = s_;
      next.workers[i].alive = next.workers[i].lease = next.workers[i].late_alive = 0;
      const bool owns = s_.state == CompactionState::kWorking || s_.state == CompactionState::kInstalling;
      if (owns && s_.owner == i) next.owner_ended = 1;
      Go(next, Label(i, Act::kSessionEnds));
    }
    if (worker.late) LandLate(i);
    switch (worker.step) {
      case Step::kRead: return ReadRecord(i);
      case Step::kPlan: return Plan(i);
      case Step::kCasWorking: return CasWorking(i);
      case Step::kUpload: return Upload(i);
      case Step::kCasInstalling: return CasInstalling(i);
      case Step::kCasAbandon: return CasAbandon(i);
      case Step::kCasTakeOver: return CasTakeOver(i);
      case Step::kMakeLease: return MakeLease(i);
      case Step::kReadFence: return ReadFence(i);
      case Step::kGetKey: return GetKey(i);
      case Step::kPutRecord: return PutRecord(i);
      case Step::kDeleteRange: return DeleteRange(i);
      case Step::kFinish: return Finish(i);
    }
  }

  void ReadRecord(int i) {
    State read = s_;
    Worker& worker = read.workers[i];
    Reset(worker);
    worker.alive = worker.fresh = 1;  // with a new session, where the old one has ended
    CompactionFacts facts;
    facts.state = s_.state;
    facts.own = s_.owner == i && !s_.owner_ended;
    facts.owner_lives = !s_.owner_ended;
    for (const Duration unchanged : {Duration::zero(), kDeadline}) {
      facts.unchanged = unchanged;
      const CompactionStand stand = model::StandOf(facts, kDeadline);
      for (const CompactionView view : Views(true)) ActOn(i, read, Decide(stand, view));
    }
  }

  void ActOn(int i, State read, CompactionAction action) {
    Worker& worker = read.workers[i];
    switch (action) {
      case CompactionAction::kClaim:
        worker.step = Step::kPlan;
        Go(read, Label(i, Act::kReads));
        return;
      case CompactionAction::kAbandon:
        worker.step = Step::kCasAbandon;
        worker.attempt = read.attempt;
        Go(read, Label(i, Act::kReads));
        return;
      case CompactionAction::kTakeOver:
        worker.step = rules_.takeover_by_cas ? Step::kCasTakeOver : Step::kMakeLease;
        worker.attempt = read.attempt;
        worker.from = read.from[read.attempt];
        worker.to = read.to[read.attempt];
        Go(read, rules_.takeover_by_cas ? Label(i, Act::kReads) : Label(i, Act::kAdopts, read.attempt + 1));
        return;
      case CompactionAction::kMarkDropped:  // by the catalog, below: for the model it is the same
      case CompactionAction::kWait:
      case CompactionAction::kLeave:
        return;
      case CompactionAction::kStartAgain:
      case CompactionAction::kGoOn:
      case CompactionAction::kBeginInstall:
      case CompactionAction::kInstall:
        LS_INVARIANT(false, "a worker that reads the record anew has a session, and is at nothing");
    }
  }

  // The planner's ranges, and more: every one that C1 allows from the oldest RAW record on.
  void Plan(int i) {
    int first = 1;
    while (first <= rules_.records && (s_.index[first] != kRaw || first == rules_.quarantined)) ++first;
    for (int end = first; end <= rules_.records; ++end) {
      if (s_.index[end] == kNoRecord) continue;
      if (end == rules_.quarantined) return;
      if (s_.index[end] != kRaw) {
        if (rules_.range_ends_before_parquet) return;
        continue;
      }
      // The last record is a range of its own.
      if (end == rules_.records && first != end) return;
      if (end <= s_.marker) continue;
      State next = s_;
      Worker& worker = next.workers[i];
      worker.step = Step::kCasWorking;
      worker.from = static_cast<Byte>(first - 1);
      worker.to = static_cast<Byte>(end);
      Go(next, Label(i, Act::kPlans, end + 1));
    }
  }

  void StartAgain(int i, Act act) {
    State next = s_;
    Reset(next.workers[i]);
    Go(next, Label(i, act));
  }

  void CasWorking(int i) {
    if (!s_.workers[i].fresh) return StartAgain(i, Act::kCasFails);
    if (s_.attempts >= rules_.attempts) return;
    State next = s_;
    Worker& worker = next.workers[i];
    const Byte attempt = next.attempts++;
    next.from[attempt] = worker.from;
    next.to[attempt] = worker.to;
    next.state = CompactionState::kWorking;
    Owned(next, i, attempt);
    worker.attempt = attempt;
    worker.step = Step::kUpload;
    Go(next, Label(i, Act::kCasWorking, attempt + 1));
    Reset(worker);
    Go(next, Label(i, Act::kCasWorkingLost, attempt + 1));
    CasWithoutAnswer(i);
  }

  // A CAS whose answer was lost, and that is still under way.
  void CasWithoutAnswer(int i) {
    if (!rules_.lost_answers || s_.workers[i].late) return;
    State next = s_;
    SendLate(next.workers[i]);
    Reset(next.workers[i]);
    Go(next, Label(i, Act::kCasLate));
  }

  void Upload(int i) {
    State next = s_;
    Worker& worker = next.workers[i];
    next.files |= static_cast<Byte>(1 << worker.attempt);
    for (const CompactionView view : Views(worker.alive)) {
      State after = next;
      switch (Decide(CompactionStand::kWorkingComplete, view)) {
        case CompactionAction::kBeginInstall: after.workers[i].step = Step::kCasInstalling; break;
        case CompactionAction::kAbandon: after.workers[i].step = Step::kCasAbandon; break;
        case CompactionAction::kStartAgain: Reset(after.workers[i]); break;
        default: continue;
      }
      Go(after, Label(i, Act::kUploads, worker.attempt + 1));
    }
  }

  void CasInstalling(int i) {
    const Worker& at = s_.workers[i];
    if (!at.fresh && rules_.install_by_version) return StartAgain(i, Act::kCasFails);
    State next = s_;
    Worker& worker = next.workers[i];
    next.state = CompactionState::kInstalling;
    Owned(next, i, worker.attempt);
    worker.step = Step::kMakeLease;
    Go(next, Label(i, Act::kCasInstalling, worker.attempt + 1));
    const Byte attempt = worker.attempt;
    Reset(worker);
    Go(next, Label(i, Act::kCasInstallingLost, attempt + 1));
    CasWithoutAnswer(i);
  }

  void CasAbandon(int i) {
    if (!s_.workers[i].fresh) return StartAgain(i, Act::kCasFails);
    State next = s_;
    Idle(next, i);
    const Byte attempt = next.workers[i].attempt;
    Reset(next.workers[i]);
    Go(next, Label(i, Act::kAbandons, attempt + 1));
    CasWithoutAnswer(i);
  }

  void CasTakeOver(int i) {
    if (!s_.workers[i].fresh) return StartAgain(i, Act::kCasFails);
    State next = s_;
    Owned(next, i, next.workers[i].attempt);
    next.workers[i].step = Step::kMakeLease;
    Go(next, Label(i, Act::kTakesOver, next.workers[i].attempt + 1));
    CasWithoutAnswer(i);
  }

  void MakeLease(int i) {
    // An ephemeral record needs a session, so here the end of one is noticed.
    if (!s_.workers[i].alive) return Follow(i, s_, InstallStep::kLease, InstallEvent::kSessionEnded, Act::kNoLease);
    State next = s_;
    next.workers[i].lease = 1;
    next.workers[i].step = Step::kReadFence;
    Go(next, Label(i, Act::kMakesLease));
  }

  void ReadFence(int i) {
    if (!s_.fence) return Follow(i, s_, InstallStep::kLease, InstallEvent::kDone, Act::kNoFence);
    if (!rules_.fence_keeps_installing && s_.workers[i].fresh) {
      State next = s_;
      Idle(next, i);
      next.workers[i].lease = 0;
      Reset(next.workers[i]);
      Go(next, Label(i, Act::kGivesUp, s_.workers[i].attempt + 1));
      return;
    }
    Follow(i, s_, InstallStep::kLease, InstallEvent::kFenced, Act::kSeesFence);
  }

  void GetKey(int i) {
    const Worker& other = s_.workers[1 - i];
    const bool other_installs = other.step >= Step::kGetKey && other.step <= Step::kDeleteRange;
    if (other_installs && other.alive && s_.workers[i].alive) Wrong("two live installers");
    State next = s_;
    Worker& worker = next.workers[i];
    const Byte value = s_.index[worker.to];
    worker.seen = value;
    InstallEvent event = InstallEvent::kKeyForeign;
    if (value == kNoRecord) event = InstallEvent::kKeyAbsent;
    if (value == kRaw) event = InstallEvent::kKeyRaw;
    if (value == kFirstParquet + worker.attempt) event = InstallEvent::kKeyOurs;
    if (event == InstallEvent::kKeyForeign) Wrong("C3 finds another PARQUET record");
    Follow(i, next, InstallStep::kGetKey, event, Act::kGets);
  }

  void PutRecord(int i) {
    const Worker& worker = s_.workers[i];
    if (rules_.versioned_put && s_.index[worker.to] != worker.seen)
      return Follow(i, s_, InstallStep::kPutRecord, InstallEvent::kConflict, Act::kPutConflict);
    State next = s_;
    Put(next, worker.attempt);
    Follow(i, next, InstallStep::kPutRecord, InstallEvent::kDone, Act::kPuts);
    if (!rules_.lost_answers || worker.late) return;
    Follow(i, next, InstallStep::kPutRecord, InstallEvent::kUnknown, Act::kPutLost);
    State late = s_;
    SendLate(late.workers[i]);
    Follow(i, late, InstallStep::kPutRecord, InstallEvent::kUnknown, Act::kPutLost);
  }

  void DeleteRange(int i) {
    State next = s_;
    Delete(next, s_.workers[i].attempt);
    Follow(i, next, InstallStep::kDeleteRange, InstallEvent::kDone, Act::kDeletes);
    if (!rules_.lost_answers || s_.workers[i].late) return;
    Follow(i, next, InstallStep::kDeleteRange, InstallEvent::kUnknown, Act::kDeleteLost);
    State late = s_;
    SendLate(late.workers[i]);
    Follow(i, late, InstallStep::kDeleteRange, InstallEvent::kUnknown, Act::kDeleteLost);
  }

  void Finish(int i) {
    const Worker& worker = s_.workers[i];
    const bool same = s_.state == CompactionState::kInstalling && s_.attempt == worker.attempt;
    if (rules_.finish_by_version ? !worker.fresh : !same)
      return Follow(i, s_, InstallStep::kFinish, InstallEvent::kConflict, Act::kReadsAgain);
    State next = s_;
    Idle(next, i);
    Follow(i, next, InstallStep::kFinish, InstallEvent::kDone, Act::kFinishes);
    Follow(i, next, InstallStep::kFinish, InstallEvent::kUnknown, Act::kFinishLost);
    if (!rules_.lost_answers || worker.late) return;
    State late = s_;
    SendLate(late.workers[i]);
    Follow(i, late, InstallStep::kFinish, InstallEvent::kUnknown, Act::kFinishLost);
  }

  static void SendLate(Worker& worker) {
    worker.late = static_cast<Byte>(worker.step);
    worker.late_fresh = worker.fresh;
    worker.late_alive = worker.alive;
    worker.late_attempt = worker.attempt;
    worker.late_from = worker.from;
    worker.late_to = worker.to;
    worker.late_seen = worker.seen;
  }

  void LandLate(int i) {
    const Worker late = s_.workers[i];
    State next = s_;
    Worker& worker = next.workers[i];
    worker.late = worker.late_fresh = worker.late_alive = 0;
    worker.late_attempt = worker.late_from = worker.late_to = worker.late_seen = 0;
    switch (static_cast<Step>(late.late)) {
      case Step::kPutRecord:
        if (!rules_.versioned_put || s_.index[s_.to[late.late_attempt]] == late.late_seen) Put(next, late.late_attempt);
        break;
      case Step::kDeleteRange:
        Delete(next, late.late_attempt);
        break;
      case Step::kCasWorking:
        if (!late.late_fresh || s_.attempts >= rules_.attempts) break;
        next.from[next.attempts] = late.late_from;
        next.to[next.attempts] = late.late_to;
        next.state = CompactionState::kWorking;
        OwnedLate(next, i, late, next.attempts++);
        break;
      case Step::kCasInstalling:
        if (!late.late_fresh) break;
        next.state = CompactionState::kInstalling;
        OwnedLate(next, i, late, late.late_attempt);
        break;
      case Step::kCasTakeOver:
        if (late.late_fresh) OwnedLate(next, i, late, late.late_attempt);
        break;
      default:  // back to idle
        if (late.late_fresh) Idle(next, -1);
        break;
    }
    Go(next, Label(i, Act::kLateLands));
  }

  // No task of the worker knows of it.
  static void OwnedLate(State& state, int by, const Worker& late, Byte attempt) {
    Owned(state, by, attempt);
    state.owner_ended = late.late_alive ? 0 : 1;
    state.workers[by].fresh = 0;
  }

  void Put(State& next, Byte attempt) {
    Byte& value = next.index[next.to[attempt]];
    if (value >= kFirstParquet && value != kFirstParquet + attempt) Wrong("C3 replaces another PARQUET record");
    if (value == kNoRecord) Wrong(next.deleted ? "C3 makes a key in a deleted log" : "C3 makes a key again");
    value = static_cast<Byte>(kFirstParquet + attempt);
  }

  void Delete(State& next, Byte attempt) {
    for (int key = next.from[attempt] + 1; key < next.to[attempt]; ++key) {
      if (next.index[key] >= kFirstParquet && key > next.marker && !next.deleted)
        Wrong("C4 deletes a PARQUET record above B");
      next.index[key] = kNoRecord;
    }
  }

  // Goes on as the table of an installation says.
  void Follow(int i, State next, InstallStep step, InstallEvent event, Act act) {
    InstallCell cell = model::NextInstall(step, event);
    if (!rules_.put_before_delete) cell = DeleteFirst(step, event, cell);
    Worker& worker = next.workers[i];
    const bool of_key = step >= InstallStep::kGetKey && step <= InstallStep::kDeleteRange && act != Act::kPutConflict;
    const std::uint16_t label = Label(i, act, of_key ? worker.to + 1 : 0);
    switch (cell.action) {
      case InstallAction::kDo:
      case InstallAction::kRetry:
        worker.step = StepOf(cell.next);
        break;
      case InstallAction::kDone:
      case InstallAction::kLeave:
      case InstallAction::kReadAgain:
      case InstallAction::kDamage:
        worker.lease = 0;
        Reset(worker);
        break;
      case InstallAction::kStartAgain:
        Reset(worker);
        break;
      case InstallAction::kImpossible:
        LS_INVARIANT(false, "a cell of the installation that cannot occur");
    }
    Go(next, label);
  }

  static InstallCell DeleteFirst(InstallStep step, InstallEvent event, const InstallCell& cell) {
    if (step == InstallStep::kGetKey && event == InstallEvent::kKeyRaw)
      return InstallCell{InstallStep::kDeleteRange, InstallAction::kDo};
    if (step == InstallStep::kDeleteRange && event == InstallEvent::kDone)
      return InstallCell{InstallStep::kPutRecord, InstallAction::kDo};
    if (step == InstallStep::kPutRecord && event == InstallEvent::kDone)
      return InstallCell{InstallStep::kFinish, InstallAction::kDo};
    return cell;
  }

  static Step StepOf(InstallStep step) {
    switch (step) {
      case InstallStep::kLease: return Step::kMakeLease;
      case InstallStep::kGetKey: return Step::kGetKey;
      case InstallStep::kPutRecord: return Step::kPutRecord;
      case InstallStep::kDeleteRange: return Step::kDeleteRange;
      case InstallStep::kFinish: return Step::kFinish;
    }
    DieInvariant("step", "an installation has five steps");
  }

  void StepTrims() {
    const int last = rules_.records;
    const Byte value = s_.index[last];
    const int cap = value >= kFirstParquet ? s_.from[value - kFirstParquet] : last - 1;
    if (!s_.deleted && !s_.fence) {
      for (int marker = s_.marker + 1; marker <= cap; ++marker) {
        State next = s_;
        next.marker = static_cast<Byte>(marker);
        Go(next, Label(kTrimmer, Act::kSoftTrim, marker + 1));
      }
    }
    State next = s_;
    if (s_.trim_step == 0 && s_.marker > 0) {
      next.trim_to = s_.marker;
      next.trim_step = 1;
      Go(next, Label(kTrimmer, Act::kTrimReads, s_.marker + 1));
    } else if (s_.trim_step == 1) {
      for (int key = 1; key <= s_.trim_to; ++key) {
        if (s_.index[key] >= kFirstParquet) next.files &= static_cast<Byte>(~(1 << (s_.index[key] - kFirstParquet)));
      }
      next.trim_step = 2;
      Go(next, Label(kTrimmer, Act::kTrimDeletesFiles, s_.trim_to + 1));
    } else if (s_.trim_step == 2) {
      for (int key = 1; key <= s_.trim_to; ++key) next.index[key] = kNoRecord;
      next.trim_step = next.trim_to = 0;
      Go(next, Label(kTrimmer, Act::kHardTrim, s_.trim_to + 1));
    }
  }

  void StepCatalog() {
    State next = s_;
    if (!s_.fence) {
      next.fence = 1;
      Go(next, Label(kCatalog, Act::kFence));
    } else if (!s_.drained) {
      if (s_.workers[0].lease || s_.workers[1].lease) return;
      next.drained = 1;
      Go(next, Label(kCatalog, Act::kDrained));
    } else if (!s_.deleted || AnyRecord()) {
      for (Byte& value : next.index) value = kNoRecord;
      next.deleted = 1;
      Go(next, Label(kCatalog, s_.deleted ? Act::kDeleteAgain : Act::kDeleteLog));
    }
    if (!s_.deleted || !rules_.drop_marks_record) return;
    CompactionFacts facts;
    facts.state = s_.state;
    if (Decide(model::StandOf(facts, kDeadline), CompactionView::kLogDeleted) != CompactionAction::kMarkDropped) return;
    State dropped = s_;
    Idle(dropped, -1);
    dropped.state = CompactionState::kDropped;
    Go(dropped, Label(kCatalog, Act::kMarksDropped));
  }

  bool AnyRecord() const {
    return std::any_of(std::begin(s_.index), std::end(s_.index), [](Byte value) { return value != kNoRecord; });
  }

  void StepCollector() {
    State next = s_;
    next.collect_step = static_cast<Byte>(s_.collect_step + 1);
    if (s_.collect_step == 0) {
      if (s_.files == 0) return;
      next.listed = s_.files;
      Go(next, Label(kCollector, Act::kLists));
    } else if (s_.collect_step == 3) {
      next.files &= static_cast<Byte>(~s_.listed);
      next.listed = next.collect_step = 0;
      Go(next, Label(kCollector, Act::kDeletesFiles));
    } else if ((s_.collect_step == 1) == rules_.collector_reads_record_first) {
      const bool named = s_.state == CompactionState::kInstalling ||
                         (s_.state == CompactionState::kWorking && rules_.working_names_files);
      if (named) next.listed &= static_cast<Byte>(~(1 << s_.attempt));
      Collected(next, Act::kReadsRecord);
    } else {
      for (const Byte value : s_.index) {
        if (value >= kFirstParquet) next.listed &= static_cast<Byte>(~(1 << (value - kFirstParquet)));
      }
      Collected(next, Act::kScansIndex);
    }
  }

  void Collected(State& next, Act act) {
    if (next.listed == 0) next.collect_step = 0;
    Go(next, Label(kCollector, act));
  }

  CompactionRules rules_;
  Explorer<State> explorer_;
  State s_{};  ///< the state whose steps are made
  std::vector<const char*> wrong_;
};

CompactionRules Without(bool CompactionRules::*rule, bool drop, bool trims) {
  CompactionRules rules;
  rules.*rule = false;
  rules.drop = drop;
  rules.trims = trims;
  return rules;
}

CompactionRules AcrossParquet() {
  CompactionRules rules = Without(&CompactionRules::range_ends_before_parquet, false, false);
  rules.compacted = 2;
  rules.records = 4;
  return rules;
}

CompactionRules DropForgets() {
  CompactionRules rules = Without(&CompactionRules::drop_marks_record, true, false);
  rules.records = 2;
  rules.attempts = 1;
  return rules;
}

CompactionRules PutAnyVersion(bool drop) { return Without(&CompactionRules::versioned_put, drop, !drop); }

}  // namespace

ModelResult ExploreCompaction(const CompactionRules& rules, std::size_t most_states, bool liveness,
                              const std::string& until) {
  return Model(rules).Explore(most_states, liveness, until);
}

const std::vector<SafeRules>& AllSafeRules() {
  static const std::vector<SafeRules> kRules = [] {
    CompactionRules two;
    two.records = 2;
    CompactionRules one = two;
    one.attempts = 1;
    CompactionRules kept = one;
    kept.drop = false;
    CompactionRules drops;
    drops.trims = false;
    CompactionRules trims;
    trims.drop = false;
    CompactionRules lost_drops = drops;
    lost_drops.lost_answers = true;
    CompactionRules lost_trims = trims;
    lost_trims.lost_answers = true;
    CompactionRules parquet = trims;
    parquet.records = 4;
    parquet.compacted = 2;
    CompactionRules quarantine = trims;
    quarantine.records = 4;
    quarantine.quarantined = 2;
    return std::vector<SafeRules>{
        {"one_attempt", one, true},
        {"one_attempt_without_drop", kept, true},  // in a log that may be dropped everything comes to rest
        {"two_records", two, true},
        {"drops", drops, true},
        {"trims", trims, true},
        {"drops_and_lost_answers", lost_drops, false},
        {"trims_and_lost_answers", lost_trims, false},
        {"beside_parquet", parquet, false},
        {"beside_quarantine", quarantine, false},
        {"trims_and_drops", CompactionRules(), false},
    };
  }();
  return kRules;
}

const std::vector<WeakerRule>& WeakerRules() {
  using R = CompactionRules;
  static const std::vector<WeakerRule> kRules = {
      {"put_any_version", "C3 carries the version that its Get returned", PutAnyVersion(false), "C3 makes a key again"},
      {"put_any_version_drop", "C3 carries the version that its Get returned", PutAnyVersion(true),
       "C3 makes a key in a deleted log"},
      {"finish_any_version", "the CAS back to idle carries the version", Without(&R::finish_by_version, false, false),
       "two live installers"},
      {"install_any_version", "the CAS to installing carries the version",
       Without(&R::install_by_version, false, false), "a record at or above B names a deleted file"},
      {"fence_abandons", "a fence does not abandon an installation", Without(&R::fence_keeps_installing, true, false),
       "a record at or above B names a deleted file"},
      {"across_parquet", "a range ends before a PARQUET record", AcrossParquet(),
       "C4 deletes a PARQUET record above B"},
      {"adopt", "an installation is taken over by a CAS of its owner", Without(&R::takeover_by_cas, false, false),
       "two live installers"},
      {"takeover_after_deadline", "an installation is taken over only when its owner's session has ended",
       Without(&R::takeover_waits_for_end, false, false), "two live installers"},
      {"delete_first", "C3 comes before C4", Without(&R::put_before_delete, false, false), "a gap at or above B"},
      {"unnamed_uploads", "working names the files before they are uploaded",
       Without(&R::working_names_files, false, false), "a record at or above B names a deleted file"},
      {"index_before_record", "a collector reads the compaction records before it scans the index",
       Without(&R::collector_reads_record_first, false, false), "a record at or above B names a deleted file"},
      {"drop_forgets", "a drop marks the compaction record", DropForgets(), "never comes to rest", true},
  };
  return kRules;
}

}  // namespace lakestream::models
