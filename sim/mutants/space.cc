#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

// Nothing is lost by any of these, and a run of minutes does not show them.
const MutantRegistration kRegistered[] = {
    MutantRegistration({"trimmed_never_reclaimed", "retention moves markers, and removes nothing below them",
                        Rule::kTrimmedIsReclaimed, "day", {"space_converges"}, 1}),
    MutantRegistration({"candidates_wait_anew", "what each pass finds unnamed waits from then on",
                        Rule::kCandidateKeepsItsTime, "day", {"space_converges"}, 1}),
    MutantRegistration({"ranges_never_pin_more", "no range closes for what it keeps from being deleted",
                        Rule::kRangeClosesForWhatItPins, "day", {"space_converges"}, 1}),
    MutantRegistration({"isolated_logs_share_all_day", "entries of an isolated log go into objects with those of others",
                        Rule::kIsolatedStandAlone, "day_with_a_stuck_log", {"space_converges"}, 1}),
};

}  // namespace
}  // namespace lakestream::sim
