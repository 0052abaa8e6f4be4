#include <algorithm>
#include <map>

#include "sim/probes/probe.h"
#include "sim/properties/catalog_view.h"

namespace lakestream::sim {
namespace {

using Kind = CatalogCall::Kind;

/// A config that was written, the one before it, and when the stream's first one came.
struct ConfigStep {
  Place place = 0;
  Place first = 0;
  std::string stream;
  const StreamConfigRecord* before = nullptr;
  const StreamConfigRecord* now = nullptr;
};

/// Whether one of the steps is of that sort.
template <class Sort>
bool AnyStep(const Evidence& evidence, Sort sort) {
  CatalogView view;
  std::map<std::string, Place> first;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    if (named.kind != CatalogChange::Kind::kConfig || event.change.removed) {
      view.Apply(event);
      continue;
    }
    const auto before = view.configs.find(named.stream);
    std::optional<StreamConfigRecord> was;
    if (before != view.configs.end()) was = before->second;
    view.Apply(event);
    const auto now = view.configs.find(named.stream);
    if (now == view.configs.end()) continue;
    first.emplace(named.stream, event.place);
    const StreamConfigRecord* const earlier = was ? &*was : nullptr;
    if (sort(ConfigStep{event.place, first[named.stream], named.stream, earlier, &now->second})) return true;
  }
  return false;
}

bool AnyCall(const Evidence& evidence, bool (*sort)(const CatalogCall&)) {
  return std::any_of(evidence.catalog.begin(), evidence.catalog.end(), sort);
}

bool Overlap(const CatalogCall& a, const CatalogCall& b) {
  return a.ended && b.ended && a.began < *b.ended && b.began < *a.ended;
}

/// Two calls of the kind for one name at one time, of which the first was answered well.
bool Raced(const Evidence& evidence, Kind kind, StatusCode other) {
  for (const CatalogCall& a : evidence.catalog) {
    if (a.kind != kind || !a.done()) continue;
    for (const CatalogCall& b : evidence.catalog) {
      if (&a != &b && b.kind == kind && b.asked == a.asked && Overlap(a, b) && b.status.code() == other) return true;
    }
  }
  return false;
}

bool CreationResumed(const Evidence& evidence) {
  return AnyStep(evidence, [&evidence](const ConfigStep& step) {
    if (step.now->state != ProvisioningState::kActive || step.before == nullptr) return false;
    return std::any_of(evidence.catalog.begin(), evidence.catalog.end(), [&step](const CatalogCall& call) {
      return call.kind == Kind::kCreate && call.done() && call.stream == step.stream && call.began > step.first &&
             call.began < step.place;
    });
  });
}

bool CreationRolledBack(const Evidence& evidence) {
  return AnyStep(evidence, [](const ConfigStep& step) {
    return step.before != nullptr && step.before->state == ProvisioningState::kProvisioning &&
           step.now->state == ProvisioningState::kDropped;
  });
}

bool GrowthResumed(const Evidence& evidence) {
  std::map<std::string, Place> announced;
  return AnyStep(evidence, [&](const ConfigStep& step) {
    if (step.now->pending_expansion) {
      announced.try_emplace(step.stream, step.place);
      return false;
    }
    const auto begun = announced.find(step.stream);
    if (begun == announced.end() || step.now->state != ProvisioningState::kActive) return false;
    const bool resumed = std::any_of(evidence.catalog.begin(), evidence.catalog.end(), [&](const CatalogCall& call) {
      return call.kind == Kind::kGrow && call.done() && step.stream.starts_with(call.asked) &&
             call.began > begun->second && call.began < step.place && *call.ended > step.place;
    });
    announced.erase(begun);
    return resumed;
  });
}

bool GrowthDropped(const Evidence& evidence) {
  return AnyStep(evidence, [](const ConfigStep& step) {
    return step.before != nullptr && step.before->pending_expansion && step.now->state == ProvisioningState::kDropped;
  });
}

bool DrainTimedOut(const Evidence& evidence) {
  return AnyCall(evidence, [](const CatalogCall& call) {
    return call.kind == Kind::kDrop && call.ended &&
           call.status.message().find("still has a writer") != std::string_view::npos;
  });
}

bool LateWriteSwept(const Evidence& evidence) {
  return evidence.last_sweep_late > 0 || AnyCall(evidence, [](const CatalogCall& call) { return call.late_logs > 0; });
}

bool DropFinishedBySweep(const Evidence& evidence) {
  return AnyCall(evidence, [](const CatalogCall& call) { return call.finished_drops > 0; });
}

bool RestSwept(const Evidence& evidence) {
  return evidence.last_sweep_rest > 0 || AnyCall(evidence, [](const CatalogCall& call) { return call.rest > 0; });
}

bool SweepHeld(const Evidence& evidence) {
  return AnyCall(evidence, [](const CatalogCall& call) { return call.held > 0; });
}

bool CreationsRaced(const Evidence& evidence) { return Raced(evidence, Kind::kCreate, StatusCode::kAlreadyExists); }
bool DropsRaced(const Evidence& evidence) { return Raced(evidence, Kind::kDrop, StatusCode::kOk); }

bool RevisionTaken(const Evidence& evidence) {
  return AnyCall(evidence, [](const CatalogCall& call) {
    return call.kind == Kind::kSet && call.ended && call.status.code() == StatusCode::kPreconditionFailed;
  });
}

bool TopicAgain(const Evidence& evidence) {
  std::map<std::string, std::string> made;
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind != Kind::kCreate || !call.done()) continue;
    const auto [first, fresh] = made.emplace(call.asked, call.stream);
    if (!fresh && first->second != call.stream) return true;
  }
  return false;
}

bool RegistrationLost(const Evidence& evidence) { return !evidence.lost_records.empty(); }

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"creation_resumed", "a creation is finished that another call began", CreationResumed}),
    ProbeRegistration({"creation_rolled_back", "a stream that was being created is dropped", CreationRolledBack}),
    ProbeRegistration({"creations_raced", "two creations of one name at a time", CreationsRaced}),
    ProbeRegistration({"growth_resumed", "a growth is finished that another call began", GrowthResumed}),
    ProbeRegistration({"growth_dropped", "a stream is dropped while it grows", GrowthDropped}),
    ProbeRegistration({"drain_timed_out", "a drop gives up on a log that has a writer", DrainTimedOut}),
    ProbeRegistration({"drops_raced", "two drops of one stream at a time", DropsRaced}),
    ProbeRegistration({"drop_finished_by_sweep", "a sweep finishes a drop", DropFinishedBySweep}),
    ProbeRegistration({"late_write_swept", "a sweep finds records written after a deletion", LateWriteSwept}),
    ProbeRegistration({"rest_swept", "a sweep finds what came late of a dropped stream", RestSwept}),
    ProbeRegistration({"sweep_held", "a sweep leaves a log to its writer", SweepHeld}),
    ProbeRegistration({"revision_taken", "a change of properties comes too late", RevisionTaken}),
    ProbeRegistration({"topic_again", "a topic is created again as another stream", TopicAgain}),
    ProbeRegistration({"registration_lost", "a registration or a mapping is gone", RegistrationLost}),
};

}  // namespace
}  // namespace lakestream::sim
