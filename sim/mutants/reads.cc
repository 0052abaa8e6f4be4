#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"any_logs_record",
                        "the record of a neighbour is an answer",
                        Rule::kOwnRecordsOnly, "calm", {"nothing_corrupt", "real_time_order"}, 100}),
    MutantRegistration({"marker_ignored",
                        "entries below the trim marker are returned",
                        Rule::kMarkerHides, "trims", {"trims_are_seen"}, 100}),
    MutantRegistration({"marker_cached",
                        "the trim marker is read once",
                        Rule::kMarkerIsReadEachTime, "trims", {"trims_are_seen"}, 100}),
    MutantRegistration({"read_begins_before",
                        "a read begins with the entry that ends where it begins",
                        Rule::kReadBeginsAtItsOffset, "calm", {"monotonic_readers"}, 100}),
    MutantRegistration({"hint_after_look",
                        "a tail takes its hint after it has looked",
                        Rule::kTailLooksAfterItsHint, "tails", {"tails_wake"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
