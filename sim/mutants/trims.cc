#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"cap_off_by_one",
                        "a trim goes past the start of the last record",
                        Rule::kLastRecordStays, "trims", {"marker_never_back"}, 100}),
    MutantRegistration({"marker_put",
                        "the trim marker is put without a look at its version",
                        Rule::kMarkerIsSwapped, "trims", {"marker_never_back"}, 100}),
    MutantRegistration({"trim_unguarded",
                        "a trim goes on although its session has ended",
                        Rule::kTrimIsGuarded, "deletions", {"write_under_lease"}, 100}),
    MutantRegistration({"trim_reports_wish",
                        "a trim reports what was asked for",
                        Rule::kTrimReportsWhatHappened, "calm", {"marker_never_back"}, 100}),
    MutantRegistration({"lost_trim_is_success",
                        "a trim without an answer is taken for done",
                        Rule::kLostTrimIsNotSuccess, "trims", {"marker_never_back"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
