#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"young_candidates", "objects are candidates that may still get their first name",
                        Rule::kCandidateIsOld, "gc_paused_writer", {"needed_objects_stay", "waits_are_kept"}, 20}),
    MutantRegistration({"age_by_own_clock", "objects are as old as the process's own clock says",
                        Rule::kAgeIsByTheStoresClock, "two_collectors", {"needed_objects_stay", "waits_are_kept"}, 100}),
    MutantRegistration({"one_pass_is_enough", "what a pass finds unnamed it deletes", Rule::kDeletedByALaterPass,
                        "gc_paused_writer", {"needed_objects_stay", "waits_are_kept"}, 20}),
    MutantRegistration({"no_grace", "candidates are deleted by the next pass, however soon", Rule::kDeletedAfterGrace,
                        "two_collectors", {"needed_objects_stay", "waits_are_kept"}, 20}),
    MutantRegistration({"grace_ends_in_the_pass", "candidates wait until now, not until the pass began",
                        Rule::kGraceEndsBeforeThePass, "two_collectors", {"waits_are_kept"}, 40}),
    MutantRegistration({"half_a_pass", "what a pass could not read names nothing", Rule::kIncompletePassesCountNothing,
                        "gc_cut_listing", {"needed_objects_stay"}, 40}),
    MutantRegistration({"work_names_nothing", "files are garbage until they are installed", Rule::kWorkNamesItsFiles,
                        "gc_paused_compactor", {"needed_objects_stay", "named_files_stay"}, 100}),
    MutantRegistration({"logs_of_the_registry", "index records of logs without a registration name nothing",
                        Rule::kIndexIsScannedNotTheRegistry, "gc_paused_writer", {"needed_objects_stay"}, 20}),
    MutantRegistration({"first_shard_alone", "one shard is scanned", Rule::kEveryShardIsScanned, "gc_paused_writer",
                        {"needed_objects_stay"}, 20}),
    MutantRegistration({"scans_without_marks", "nobody asks whether a scan came to its end",
                        Rule::kScansGiveTheirMarks, "gc_cut_listing", {"needed_objects_stay"}, 100}),
    MutantRegistration({"foreign_collected", "names of every form count as ours", Rule::kForeignObjectsStay,
                        "gc_paused_writer", {"foreign_objects_stay"}, 20}),
    MutantRegistration({"holds_overlooked", "holds stop nothing", Rule::kHoldsStopDeletions, "two_collectors",
                        {"holds_stop_deletions"}, 40}),
    MutantRegistration({"dropped_at_the_fence", "a fence makes the files garbage that are being installed",
                        Rule::kDroppedOnlyAfterItsIndex, "gc_paused_compactor",
                        {"compaction_record_swapped", "needed_objects_stay"}, 40}),
    MutantRegistration({"retention_by_the_last_byte", "the entry goes that holds the last byte to be kept",
                        Rule::kRetentionKeepsTheBytes, "retention_compact", {"retention_keeps"}, 40}),
    MutantRegistration({"missing_object_is_damage", "a WAL object that is gone is not looked up again",
                        Rule::kMissingFileIsLookedUpAgain, "suspend_gc", {"nothing_corrupt"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
