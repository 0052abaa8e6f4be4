#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const MutantRegistration kRegistered[] = {
    MutantRegistration({"lost_answer_is_success",
                        "an index put without an answer is taken for done",
                        Rule::kLostAnswerIsNotSuccess, "appends", {"durable_acknowledgement"}, 100}),
    MutantRegistration({"lost_answer_is_failure",
                        "an index put without an answer is taken for not done",
                        Rule::kLostAnswerIsNotFailure, "appends", {"no_phantom"}, 100}),
    MutantRegistration({"lost_answer_retried",
                        "an index put without an answer is sent again",
                        Rule::kLostAnswerIsNotRetried, "appends", {"no_phantom"}, 100}),
    MutantRegistration({"unknown_section_moved",
                        "a section whose put has no answer moves to another object",
                        Rule::kUnknownSectionsStay, "appends", {"no_phantom"}, 100}),
    MutantRegistration({"settled_by_any_record",
                        "the first record that is found counts as the own one",
                        Rule::kSettledByOwnObject, "appends", {"durable_acknowledgement"}, 100}),
    MutantRegistration({"given_up_is_failure",
                        "an index put that stays unknown is answered as not done",
                        Rule::kGivenUpIsIndeterminate, "pauses", {"no_phantom"}, 100}),
};

}  // namespace
}  // namespace lakestream::sim
