#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"lease_not_taken",
                        "a lease that could not be had is used",
                        Rule::kLeaseBeforeWrite, "appends", {"lease_outlives_changes", "write_under_lease"}, 100}),
    MutantRegistration({"fence_not_read",
                        "the fence is not read once the lease stands",
                        Rule::kFenceReadForLease, "fence_races", {"fence_is_noticed", "no_write_after_deletion"}, 100}),
    MutantRegistration({"fence_before_lease",
                        "the fence is read before the lease stands",
                        Rule::kFenceReadAfterLease, "fence_races", {"no_write_after_deletion"}, 100}),
    MutantRegistration({"unread_fence_is_none",
                        "a fence that cannot be read is taken for none",
                        Rule::kUnreadFenceIsAFence, "fence_races", {"no_write_after_deletion"}, 100}),
    MutantRegistration({"lease_given_back_early",
                        "a lease is given back while a change under it is under way",
                        Rule::kLeaseOutlivesItsChanges, "fence_races", {"lease_outlives_changes"}, 100}),
    MutantRegistration({"lease_not_kept",
                        "a lease is given back although a put under it may still land",
                        Rule::kLeaseKeptForUnknownChange, "drops", {"lease_outlives_changes"}, 100}),
    MutantRegistration({"release_tried_once",
                        "a lease that could not be given back is forgotten",
                        Rule::kLeaseReleaseIsRepeated, "fence_races", {"comes_to_rest"}, 100}),
    MutantRegistration({"isolated_logs_share",
                        "entries of an isolated log go into objects with those of others",
                        Rule::kIsolatedStandAlone, "isolated_logs", {"isolated_share_nothing"}, 40}),
    MutantRegistration({"fences_not_looked_for",
                        "nobody looks for fences on leases that are held",
                        Rule::kHeldLeasesLookForFences, "fences", {"fence_is_noticed"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
