#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    // Hard trims and what is named.
    MutantRegistration({"records_go_before_files", "a hard trim removes records before the files that they name",
                        Rule::kFilesGoBeforeTheirRecords, "hard_trim_gap", {"hard_trim_keeps"}, 40}),
    MutantRegistration({"hard_trim_past_the_marker", "a hard trim removes what it is asked for",
                        Rule::kHardTrimStopsAtMarker, "hard_trim_gap", {"hard_trim_keeps", "always_readable"}, 40}),
    MutantRegistration({"intent_by_put", "the compaction record is put without a look at its version",
                        Rule::kCompactionRecordIsSwapped, "two_compactors", {"compaction_record_swapped"}, 40}),
    MutantRegistration({"working_after_uploads", "files are written before the compaction record names them",
                        Rule::kWorkingComesBeforeUploads, "compact", {"named_files_stay"}, 20}),
    MutantRegistration({"unnamed_uploads", "files have other names than the compaction record says",
                        Rule::kUploadsAreNamed, "compact", {"named_files_stay"}, 20}),
    // Which records, and when.
    MutantRegistration({"young_compacted", "records are compacted that a writer may still look for",
                        Rule::kYoungRecordsStay, "compact_append", {"young_records_stay"}, 20}),
    MutantRegistration({"retired_before_installed", "C4 comes before C3",
                        Rule::kInstalledBeforeRetired, "compact", {"always_readable", "one_installer"}, 20}),
    MutantRegistration({"install_any_version", "the Put of C3 is on no version",
                        Rule::kInstalledOnItsVersion, "hard_trim_gap", {"keys_stay_gone"}, 200}),
    MutantRegistration({"claim_given_back", "a claim is given back at the end of each pass, whatever it is for",
                        Rule::kClaimStaysWithItsOwner, "two_compactors", {"compaction_record_swapped"}, 40}),
    MutantRegistration({"taken_from_the_living", "an installation is taken over from an owner that is late",
                        Rule::kTakenOverFromTheEndedAlone, "two_compactors", {"compaction_record_swapped"}, 100}),
    MutantRegistration({"fence_abandons", "an installation is given up for a fence",
                        Rule::kFenceLeavesInstalling, "delete_during_install", {"compaction_record_swapped"}, 200}),
    // What the rows say.
    MutantRegistration({"begun_entries_left_out", "entries that begin below the marker are left out",
                        Rule::kTrimmedEntriesAreLeftOut, "hard_trim_gap", {"rows_are_entries"}, 100}),
    MutantRegistration({"times_of_the_record", "rows have the time of the record that replaces theirs",
                        Rule::kEntriesKeepTheirTimes, "compact_append", {"rows_are_entries", "sums"}, 20}),
    MutantRegistration({"sizes_of_the_range", "cumulative sizes begin anew in each range",
                        Rule::kEntriesKeepTheirSizes, "compact_append", {"rows_are_entries", "sums"}, 20}),
    MutantRegistration({"file_index_exclusive", "the file index names the offset behind each file",
                        Rule::kLastOffsetsAreInclusive, "compact", {"rows_are_entries"}, 20}),
    // Reads.
    MutantRegistration({"time_of_the_parquet_record", "entries of compacted files have their record's time",
                        Rule::kTimestampFromTheRow, "compact_append", {"sums"}, 20}),
    MutantRegistration({"trimmed_within_a_range", "entries below the marker are read of a compacted record",
                        Rule::kMarkerHidesWithinARange, "trimmed_reads", {"trims_are_seen"}, 40}),
    MutantRegistration({"missing_file_is_damage", "a file that is gone is not looked up again",
                        Rule::kMissingFileIsLookedUpAgain, "trimmed_reads", {"nothing_corrupt"}, 60}),
    MutantRegistration({"row_off_by_one", "the row before the wanted one is read",
                        Rule::kRowHoldsItsOffset, "compact_append",
                        {"monotonic_readers", "no_phantom", "nothing_corrupt", "one_value_per_offset"}, 20}),
};

}  // namespace
}  // namespace lakestream::sim
