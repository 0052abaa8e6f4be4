#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"config_read_before_tombstone", "a drop reads the config before it puts the tombstone",
                        Rule::kTombstoneBeforeConfig, "catalog_races", {"dropped_stays_dropped"}, 100}),
    MutantRegistration({"tombstone_not_read", "a creation does not look for a tombstone once its config stands",
                        Rule::kTombstoneReadAfterConfig, "catalog_races", {"dropped_stays_dropped"}, 100}),
    MutantRegistration({"no_tombstone", "a drop leaves no tombstone", Rule::kDropLeavesATombstone, "catalog",
                        {"dropped_stays_dropped"}, 100}),
    MutantRegistration({"logs_go_first", "the logs are deleted before the config says that the stream is dropped",
                        Rule::kDroppedBeforeLogsGo, "drops", {"dropped_before_deleted"}, 100}),
    MutantRegistration({"config_goes_first", "the config is removed before the logs", Rule::kConfigGoesLast, "drops",
                        {"dropped_before_deleted"}, 100}),
    MutantRegistration({"config_waits_for_nothing", "the config is removed although a log could not be deleted",
                        Rule::kConfigWaitsForItsLogs, "drops", {"dropped_before_deleted", "drop_leaves_nothing"}, 100}),
    MutantRegistration({"not_fenced", "a log is drained without a fence", Rule::kFenceBeforeDrain, "drops",
                        {"deleted_without_leases", "no_write_after_deletion"}, 100}),
    MutantRegistration({"not_drained", "a log is deleted while its writers have leases", Rule::kDrainBeforeDelete,
                        "drops", {"deleted_without_leases"}, 100}),
    MutantRegistration({"fence_taken_back", "the fence goes when the drain has timed out",
                        Rule::kFenceStaysWhenNotDrained, "drops", {"deleted_without_leases"}, 100}),
    MutantRegistration({"growth_forgotten", "a drop deletes nothing of a growth that is under way",
                        Rule::kDropTakesAGrowthAlong, "growth", {"drop_leaves_nothing"}, 100}),
    MutantRegistration({"sweep_takes_leased_logs", "a sweep does not ask for leases", Rule::kSweepAsksForLeases,
                        "drops", {"deleted_without_leases"}, 100}),
    MutantRegistration({"activated_by_put", "a creation ends in a put, whatever the config says meanwhile",
                        Rule::kActivationIsSwapped, "catalog", {"dropped_stays_dropped"}, 100}),
    MutantRegistration({"growth_shown_early", "the new count is shown before the new partitions are there",
                        Rule::kGrowthShownAfterItsLogs, "growth", {"layout_only_grows"}, 100}),
    MutantRegistration({"growth_by_put", "a growth ends in a put, whatever the config says meanwhile",
                        Rule::kGrowthIsSwapped, "growth", {"dropped_stays_dropped", "layout_only_grows"}, 100}),
    MutantRegistration({"id_guessed", "a log id is the last version and one, not the version that a put gave",
                        Rule::kIdIsAVersion, "catalog", {"ids_used_once"}, 100}),
    MutantRegistration({"id_bound_twice", "a log id is bound by a put, whoever bound another one",
                        Rule::kIdIsBoundOnce, "catalog", {"ids_used_once"}, 100}),
    MutantRegistration({"first_page_alone", "a list ends with its first page", Rule::kListingReadsAllPages, "catalog",
                        {"listings_are_whole"}, 100}),
    MutantRegistration({"not_registered", "logs are not registered", Rule::kLogsAreRegistered, "catalog",
                        {"registry_agrees"}, 100}),
    MutantRegistration({"properties_put", "properties are put, whatever the revision", Rule::kPropertiesAreSwapped,
                        "growth", {"configs_are_swapped"}, 100}),
    MutantRegistration({"unknown_fields_lost", "a config is written without what is not known",
                        Rule::kUnknownFieldsAreKept, "growth", {"configs_are_swapped"}, 100}),
    MutantRegistration({"topic_id_put", "a topic's new id is put, whoever put another one", Rule::kTopicIdIsSwapped,
                        "catalog_races", {"one_stream_of_a_name"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
