#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"listing_trusted",
                        "fsck takes an object that was not listed for missing",
                        Rule::kFsckAsksForTheObject, "checks", {"no_false_alarm"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
