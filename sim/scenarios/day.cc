#include "sim/plan.h"

namespace lakestream::sim {
namespace {

const ScenarioRegistration kRegistered(Scenario{
    "day", "a day of appends, retention, compaction and collection, at the end of which space has converged", DrawDay,
    true});

}  // namespace
}  // namespace lakestream::sim
