#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"same_name_again",
                        "a PUT is tried again under the same name",
                        Rule::kNewNameForEachPut, "appends", {"names_unique"}, 100}),
    MutantRegistration({"failed_put_is_done",
                        "a PUT that failed is taken for done",
                        Rule::kObjectIsDurableBeforeItsPut, "appends", {"durable_acknowledgement"}, 100}),
    MutantRegistration({"age_from_the_answer",
                        "the age of an object counts from when its PUT was answered",
                        Rule::kAgeCountsFromBeforeThePut, "pauses", {"published_while_young"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
