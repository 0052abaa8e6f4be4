#include "model/section_state.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

using A = SectionAction;
using E = SectionEvent;
using S = SectionState;

template <class Check>
void ForEachCell(Check check) {
  for (int state = 0; state < kSectionStates; ++state) {
    for (int event = 0; event < kSectionEvents; ++event) {
      const auto s = static_cast<S>(state);
      const auto e = static_cast<E>(event);
      SCOPED_TRACE(std::string(SectionStateName(s)) + " / " + std::string(SectionEventName(e)));
      check(s, e, NextSection(s, e));
    }
  }
}

TEST(SectionState, OnlyACommittedRecordIsAcknowledged) {
  ForEachCell([](S, E event, SectionCell cell) {
    if (cell.action == A::kAcknowledge) {
      EXPECT_EQ(event, E::kAnswer);
      EXPECT_EQ(cell.next, S::kCommitted);
    }
    if (cell.next == S::kCommitted && cell.action != A::kNone && cell.action != A::kImpossible) {
      EXPECT_EQ(cell.action, A::kAcknowledge);
    }
  });
}

TEST(SectionState, OnlyWhatIsDefinitelyNotDoneMovesRetriesOrFails) {
  ForEachCell([](S state, E event, SectionCell cell) {
    const bool starts_over = cell.action == A::kMoveObject || cell.action == A::kRetrySoon || cell.action == A::kFail;
    if (!starts_over) return;
    EXPECT_NE(state, S::kUnknown);
    EXPECT_NE(state, S::kCommitted);
    if (state == S::kIssued) {
      // An issued put is given up only on the store's, or the last check's, word that it was not done.
      EXPECT_TRUE(event == E::kRefused || event == E::kRejected || event == E::kObjectTooOld ||
                  event == E::kSessionRefused);
    }
  });
}

TEST(SectionState, APutIsSentOnceOnly) {
  ForEachCell([](S state, E event, SectionCell cell) {
    if (cell.action != A::kSend) return;
    EXPECT_EQ(state, S::kWaiting);
    EXPECT_EQ(event, E::kIssue);
  });
}

TEST(SectionState, UnknownEndsOnlyByItsRecordOrAsIndeterminate) {
  for (int event = 0; event < kSectionEvents; ++event) {
    const SectionCell cell = NextSection(S::kUnknown, static_cast<E>(event));
    if (cell.next == S::kUnknown) continue;
    EXPECT_TRUE(static_cast<E>(event) == E::kAnswer || static_cast<E>(event) == E::kLogDeleted);
  }
}

TEST(SectionState, WhatHasEndedStaysAsItIs) {
  for (const S ended : {S::kCommitted, S::kFailed}) {
    for (int event = 0; event < kSectionEvents; ++event) {
      const SectionCell cell = NextSection(ended, static_cast<E>(event));
      EXPECT_EQ(cell.next, ended);
      EXPECT_TRUE(cell.action == A::kNone || cell.action == A::kImpossible);
    }
  }
}

TEST(SectionState, AnImpossiblePairLeavesTheState) {
  ForEachCell([](S state, E, SectionCell cell) {
    if (cell.action == A::kImpossible) {
      EXPECT_EQ(cell.next, state);
    }
  });
}

}  // namespace
}  // namespace lakestream::model
