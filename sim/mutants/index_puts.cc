#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"wrong_partition",
                        "an index record is put into another partition",
                        Rule::kRightPartition, "calm", {"right_partitions"}, 100}),
    MutantRegistration({"bytes_of_the_object",
                        "an index record counts the bytes of its whole object",
                        Rule::kBytesCount, "many_logs", {"contiguity"}, 100}),
    MutantRegistration({"session_guard_off",
                        "a put goes on although its session has ended",
                        Rule::kSessionGuard, "fence_races", {"write_under_lease"}, 100}),
    MutantRegistration({"age_rule_dropped",
                        "an object of any age is published",
                        Rule::kAgeRule, "pauses", {"published_while_young"}, 100}),
    MutantRegistration({"age_rule_too_early",
                        "the age of an object is looked at before its put is sent, and not in the store",
                        Rule::kAgeRuleAtTheLastCheck, "pauses", {"published_while_young"}, 100}),
    MutantRegistration({"acknowledged_before_commit",
                        "an append is acknowledged when its index put is sent",
                        Rule::kAcknowledgedAfterTheCommit, "appends", {"durable_acknowledgement"}, 100}),
    MutantRegistration({"late_answer_acknowledged",
                        "an answer counts however late it comes",
                        Rule::kLateAnswerIsNotAcknowledged, "late_answers", {"acknowledged_while_young"}, 100}),
    MutantRegistration({"suspect_session_trusted",
                        "the fence is not read when the session may have ended",
                        Rule::kFenceReadWhenSuspect, "lost_sessions", {"no_write_after_deletion"}, 100}),
    MutantRegistration({"deletion_not_noticed",
                        "an append is acknowledged in a log that was deleted meanwhile",
                        Rule::kDeletionIsNoticed, "lost_sessions", {"no_write_after_deletion"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
