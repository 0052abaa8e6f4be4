#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"any_section_first",
                        "the sections of a log are put in any order",
                        Rule::kOrderInALog, "appends", {"call_order"}, 100}),
    MutantRegistration({"unknown_section_passed",
                        "sections behind an unknown one are put",
                        Rule::kUnknownSectionParksItsLog, "parked", {"call_order"}, 100}),
    MutantRegistration({"parked_for_ever",
                        "a parked log does not go on",
                        Rule::kParkedLogGoesOn, "appends", {"comes_to_rest"}, 100}),
    MutantRegistration({"behind_goes_on",
                        "what a caller queued behind a failure goes on",
                        Rule::kFailureTakesWhatIsBehind, "many_logs", {"behind_a_failure"}, 100}),
    MutantRegistration({"offsets_count_entries",
                        "offsets in a section count entries instead of records",
                        Rule::kOffsetsCountRecords, "calm", {"durable_acknowledgement"}, 100}),
    MutantRegistration({"sizes_left_out",
                        "the sizes of entries are not added up",
                        Rule::kSizesAddUp, "calm", {"sums"}, 100}),
    MutantRegistration({"withdrawn_on_its_way",
                        "an append that is on its way is answered as not done at its deadline",
                        Rule::kOnlyTheQueuedAreWithdrawn, "appends", {"no_phantom"}, 100}),
    MutantRegistration({"memory_kept",
                        "memory of appends that have ended is not given back",
                        Rule::kMemoryIsGivenBack, "tight_memory", {"comes_to_rest"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
