#include "tests/models/collection_model.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "model/collection.h"
#include "tests/models/explorer.h"

namespace lakestream::models {

namespace {

using std::chrono::hours;

// In steps of time; the deadline is that of the writer's age rule.
constexpr int kGrace = 3;
constexpr int kPublishDeadline = 1;
constexpr int kEnd = 9;
constexpr std::uint8_t kNever = 0xff;

constexpr char kLost[] = "an acknowledged entry is lost";
constexpr char kNamedDeleted[] = "an object is deleted while a record names it";
constexpr char kTooSoon[] = "an object is deleted less than the grace after its last name went";

enum Writer : std::uint8_t { kBegin, kPut, kChecked, kCommitted, kLookedAt, kDone };
enum Name : std::uint8_t { kNotYet, kNamed, kRemoved };
enum Step : std::uint8_t { kIdle, kStarted, kListed, kScanned, kDeleting };

struct Pass {
  std::uint8_t step;
  std::uint8_t listed;
  std::uint8_t unnamed;
  std::uint8_t made;
  std::uint8_t started;
  std::uint8_t known_since;  ///< the candidate that it read at its start
};

struct State {
  std::uint8_t now;
  std::uint8_t writer;
  std::uint8_t put_at;
  std::uint8_t name;
  std::uint8_t removed_at;
  std::uint8_t exists;
  std::uint8_t candidate_since;
  std::uint8_t acknowledged;
  std::array<Pass, 2> passes;
};

enum Label : std::uint16_t {
  kTick,
  kWriterPuts,
  kWriterCommits,
  kWriterChecks,
  kWriterGivesUp,
  kWriterAcknowledges,
  kWriterLooks,
  kWriterReportsDamage,
  kCompactorRemoves,
  kCollector,  // and, for the second one, the same again
};
constexpr std::array<const char*, 9> kNames = {
    "time goes on",
    "writer: PUT",
    "writer: index put commits",
    "writer: young enough, sends the index put",
    "writer: too old, moves to another object",
    "writer: acknowledges",
    "writer: the object is still there",
    "writer: late answer, damage",
    "compactor: removes the record that names it",
};
constexpr std::array<const char*, 6> kSteps = {"starts",  "lists",      "scans the index", "ends: candidate or named",
                                               "deletes", "ends: garbage"};
constexpr std::uint16_t kStepsOfACollector = 6;

std::string LabelText(std::uint16_t label) {
  if (label < kCollector) return kNames[label];
  const int step = (label - kCollector) % kStepsOfACollector;
  return "collector " + std::to_string((label - kCollector) / kStepsOfACollector + 1) + ": " +
         kSteps[static_cast<std::size_t>(step)];
}

class Model {
 public:
  explicit Model(const CollectionRules& rules) : rules_(rules) {}

  ModelResult Run(std::size_t most, const std::string& until) {
    State first{};
    first.put_at = first.removed_at = first.candidate_since = kNever;
    for (Pass& pass : first.passes) pass.started = pass.known_since = kNever;
    ModelResult result;
    result.complete = explorer_.Run(first, most, until, false, [this](const State& state) { From(state); });
    result.states = explorer_.size();
    for (const auto& [how, state] : explorer_.bad()) {
      std::vector<std::string>& way = result.bad[how];
      for (const std::uint16_t label : explorer_.WayTo(state)) way.push_back(LabelText(label));
    }
    return result;
  }

 private:
  std::uint32_t Reach(const State& state, int label) { return explorer_.Reach(state, static_cast<std::uint16_t>(label)); }

  void From(const State& s) {
    if (s.acknowledged != 0 && s.name == kNamed && s.exists == 0) explorer_.Bad(kLost);
    if (s.now < kEnd) {
      State next = s;
      ++next.now;
      Reach(next, kTick);
    }
    WriterSteps(s);
    if (s.name == kNamed) {
      State next = s;
      next.name = kRemoved;
      next.removed_at = s.now;
      Reach(next, kCompactorRemoves);
    }
    for (int i = 0; i < rules_.collectors; ++i) CollectorStep(s, i);
  }

  void WriterSteps(const State& s) {
    State next = s;
    const int age = s.put_at == kNever ? 0 : s.now - s.put_at;
    switch (s.writer) {
      case kBegin:
        next.writer = kPut;
        next.put_at = s.now;
        next.exists = 1;
        Reach(next, kWriterPuts);
        break;
      case kPut:
        if (age > kPublishDeadline) {
          next.writer = kDone;
          Reach(next, kWriterGivesUp);
        } else if (rules_.atomic_age_check) {
          Commit(next);
        } else {
          next.writer = kChecked;
          Reach(next, kWriterChecks);
        }
        break;
      case kChecked:
        Commit(next);
        break;
      case kCommitted:
        if (rules_.late_answers_are_damage ? 2 * age < kGrace : age <= 2 * kPublishDeadline) {
          Acknowledge(next);
        } else if (rules_.late_answers_are_damage || s.exists == 0) {
          next.writer = kDone;
          Reach(next, kWriterReportsDamage);
        } else {
          next.writer = kLookedAt;
          Reach(next, kWriterLooks);
        }
        break;
      case kLookedAt:
        Acknowledge(next);
        break;
      default:
        break;
    }
  }

  void Commit(State next) {
    next.writer = kCommitted;
    next.name = kNamed;
    Reach(next, kWriterCommits);
  }

  void Acknowledge(State next) {
    next.writer = kDone;
    next.acknowledged = 1;
    Reach(next, kWriterAcknowledges);
  }

  void CollectorStep(const State& s, int number) {
    State next = s;
    Pass& pass = next.passes[static_cast<std::size_t>(number)];
    const int label = kCollector + number * kStepsOfACollector;
    switch (pass.step) {
      case kIdle:
        if (pass.made >= (number == 0 ? rules_.passes : 1)) return;
        pass.step = kStarted;
        pass.started = s.now;
        pass.known_since = s.candidate_since;
        Reach(next, label);
        return;
      case kStarted:
        pass.step = kListed;
        pass.listed = s.exists;
        Reach(next, label + 1);
        return;
      case kListed:
        pass.step = kScanned;
        pass.unnamed = s.name == kNamed && rules_.listed_is_scanned ? 0 : 1;
        Reach(next, label + 2);
        return;
      case kScanned:
        Decide(s, next, pass, label);
        return;
      default:
        End(pass);
        if (s.exists != 0) {
          next.exists = 0;
          const std::uint32_t reached = Reach(next, label + 4);
          if (s.name == kNamed) explorer_.BadAt(kNamedDeleted, reached);
          if (s.name == kRemoved && s.now - s.removed_at < kGrace) explorer_.BadAt(kTooSoon, reached);
        } else {
          Reach(next, label + 4);
        }
        return;
    }
  }

  static void End(Pass& pass) {
    const std::uint8_t made = pass.made + 1;
    pass = Pass{};
    pass.made = made;
    pass.started = pass.known_since = kNever;
  }

  void Decide(const State& s, State& next, Pass& pass, int label) {
    model::ObjectFacts facts;
    facts.ours = true;
    facts.named = pass.unnamed == 0;
    facts.age = hours(rules_.candidates_are_old ? pass.started - s.put_at : 99);
    if (pass.known_since != kNever) {
      facts.waited = hours(rules_.waits_for_the_grace ? pass.started - pass.known_since : 99);
    }
    if (!rules_.later_pass_deletes) facts.waited = hours(99);
    const model::ObjectVerdict verdict =
        pass.listed == 0 ? model::ObjectVerdict::kForeign : model::JudgeObject(facts, hours(kGrace));
    if (verdict == model::ObjectVerdict::kGarbage) {
      pass.step = kDeleting;
      Reach(next, label + 5);
      return;
    }
    if (verdict == model::ObjectVerdict::kNamed) next.candidate_since = kNever;
    if (verdict == model::ObjectVerdict::kCandidate && s.candidate_since == kNever) next.candidate_since = s.now;
    End(pass);
    Reach(next, label + 3);
  }

  const CollectionRules rules_;
  Explorer<State> explorer_;
};

}  // namespace

ModelResult ExploreCollection(const CollectionRules& rules, std::size_t most_states, const std::string& until) {
  Model model(rules);
  return model.Run(most_states, until);
}

const std::vector<SafeCollection>& AllSafeCollections() {
  static const std::vector<SafeCollection> all = [] {
    std::vector<SafeCollection> safe;
    safe.push_back(SafeCollection{"collection", CollectionRules(), {}});
    SafeCollection alone{"collection_alone", CollectionRules(), {}};
    alone.rules.collectors = 1;
    alone.rules.passes = 3;
    safe.push_back(alone);
    // What remains is a record of an entry that nobody acknowledged, put after a pause longer than the grace.
    SafeCollection late{"collection_late_requests", CollectionRules(), {kNamedDeleted, kTooSoon}};
    late.rules.atomic_age_check = false;
    safe.push_back(late);
    return safe;
  }();
  return all;
}

const std::vector<WeakerCollection>& WeakerCollections() {
  static const std::vector<WeakerCollection> all = [] {
    std::vector<WeakerCollection> weaker;
    const auto add = [&weaker](std::string_view name, std::string_view without, std::string_view breaks)
        -> CollectionRules& {
      weaker.push_back(WeakerCollection{name, without, CollectionRules(), breaks});
      weaker.back().rules.collectors = 1;
      return weaker.back().rules;
    };
    add("young_candidates", "a candidate is older than the grace when its pass starts", kTooSoon).candidates_are_old = false;
    CollectionRules& looks = add("late_look", "a late answer is never acknowledged, in a store that applies late", kLost);
    looks.atomic_age_check = looks.late_answers_are_damage = false;
    add("one_pass", "what a pass finds, a later one deletes", kTooSoon).later_pass_deletes = false;
    add("no_wait", "a candidate waits for the grace", kTooSoon).waits_for_the_grace = false;
    add("unscanned", "a pass that has not read everything deletes nothing", kLost).listed_is_scanned = false;
    return weaker;
  }();
  return all;
}

}  // namespace lakestream::models
