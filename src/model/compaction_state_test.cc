#include "model/compaction_state.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace lakestream::model {
namespace {

using namespace std::chrono_literals;
using Stand = CompactionStand;
using View = CompactionView;
using Step = InstallStep;
using Event = InstallEvent;

/// The words of a table, one line for each row: its name, then a cell for each column.
struct Row {
  std::string_view name;
  std::string_view cells[kInstallEvents];
};

TEST(CompactionTable, EachCell) {
  // log lives, log fenced, log deleted, session ended
  constexpr Row kRows[] = {
      {"absent", {"claim", "leave", "leave", "start again"}},
      {"idle", {"claim", "leave", "mark dropped", "start again"}},
      {"working here", {"go on", "abandon", "mark dropped", "start again"}},
      {"working complete", {"begin install", "abandon", "mark dropped", "start again"}},
      {"working lost", {"abandon", "abandon", "mark dropped", "start again"}},
      {"working alive", {"wait", "leave", "mark dropped", "start again"}},
      {"working late", {"abandon", "abandon", "mark dropped", "start again"}},
      {"working ended", {"abandon", "abandon", "mark dropped", "start again"}},
      {"installing here", {"install", "leave", "mark dropped", "start again"}},
      {"installing lost", {"take over", "leave", "mark dropped", "start again"}},
      {"installing alive", {"wait", "leave", "mark dropped", "start again"}},
      {"installing late", {"wait", "leave", "mark dropped", "start again"}},
      {"installing ended", {"take over", "leave", "mark dropped", "start again"}},
      {"dropped", {"leave", "leave", "leave", "start again"}},
  };
  static_assert(std::size(kRows) == kCompactionStands);
  for (int row = 0; row < kCompactionStands; ++row) {
    ASSERT_EQ(CompactionStandName(static_cast<Stand>(row)), kRows[row].name);
    for (int column = 0; column < kCompactionViews; ++column) {
      const auto view = static_cast<View>(column);
      EXPECT_EQ(CompactionActionName(NextCompaction(static_cast<Stand>(row), view)), kRows[row].cells[column])
          << kRows[row].name << " / " << CompactionViewName(view);
    }
  }
}

TEST(CompactionTable, EachCellOfAnInstallation) {
  // done, key raw, key ours, key absent, key foreign, conflict, refused, unknown, fenced, session ended
  constexpr Row kRows[] = {
      {"lease",
       {"do get key", "impossible", "impossible", "impossible", "impossible", "impossible", "retry lease",
        "retry lease", "leave", "start again"}},
      {"get key",
       {"impossible", "do put record", "do delete range", "do delete range", "damage", "impossible", "retry get key",
        "retry get key", "impossible", "start again"}},
      {"put record",
       {"do delete range", "impossible", "impossible", "impossible", "impossible", "do get key", "retry get key",
        "retry get key", "impossible", "start again"}},
      {"delete range",
       {"do finish", "impossible", "impossible", "impossible", "impossible", "impossible", "retry delete range",
        "retry delete range", "impossible", "start again"}},
      {"finish",
       {"done", "impossible", "impossible", "impossible", "impossible", "read again", "retry finish", "read again",
        "impossible", "start again"}},
  };
  static_assert(std::size(kRows) == kInstallSteps);
  for (int row = 0; row < kInstallSteps; ++row) {
    const auto step = static_cast<Step>(row);
    ASSERT_EQ(InstallStepName(step), kRows[row].name);
    for (int column = 0; column < kInstallEvents; ++column) {
      const auto event = static_cast<Event>(column);
      const InstallCell cell = NextInstall(step, event);
      std::string words(InstallActionName(cell.action));
      if (cell.action == InstallAction::kDo || cell.action == InstallAction::kRetry) {
        words += " " + std::string(InstallStepName(cell.next));
      } else {
        EXPECT_EQ(cell.next, step) << "what ends an installation leaves its step";
      }
      EXPECT_EQ(words, kRows[row].cells[column]) << kRows[row].name << " / " << InstallEventName(event);
    }
  }
}

TEST(CompactionTable, InstallingIsNeverAbandoned) {
  for (const Stand stand : {Stand::kInstallingHere, Stand::kInstallingLost, Stand::kInstallingAlive,
                            Stand::kInstallingLate, Stand::kInstallingEnded}) {
    for (int view = 0; view < kCompactionViews; ++view)
      EXPECT_NE(NextCompaction(stand, static_cast<View>(view)), CompactionAction::kAbandon);
  }
}

TEST(CompactionTable, AnInstallationIsTakenOnlyFromWhoHasEnded) {
  for (int row = 0; row < kCompactionStands; ++row) {
    for (int view = 0; view < kCompactionViews; ++view) {
      if (NextCompaction(static_cast<Stand>(row), static_cast<View>(view)) != CompactionAction::kTakeOver) continue;
      const auto stand = static_cast<Stand>(row);
      EXPECT_TRUE(stand == Stand::kInstallingEnded || stand == Stand::kInstallingLost);
      EXPECT_EQ(static_cast<View>(view), View::kLogLives);
    }
  }
}

TEST(CompactionTable, FilesBecomeGarbageOfAnInstallationOnlyWithItsLog) {
  for (int row = 0; row < kCompactionStands; ++row) {
    for (int view = 0; view < kCompactionViews; ++view) {
      if (NextCompaction(static_cast<Stand>(row), static_cast<View>(view)) != CompactionAction::kMarkDropped) continue;
      EXPECT_EQ(static_cast<View>(view), View::kLogDeleted);
    }
  }
}

TEST(CompactionTable, C4FollowsC3AndC5FollowsC4) {
  for (int step = 0; step < kInstallSteps; ++step) {
    for (int event = 0; event < kInstallEvents; ++event) {
      const InstallCell cell = NextInstall(static_cast<Step>(step), static_cast<Event>(event));
      if (cell.action != InstallAction::kDo) continue;
      if (cell.next == Step::kFinish) {
        EXPECT_EQ(static_cast<Step>(step), Step::kDeleteRange);
        EXPECT_EQ(static_cast<Event>(event), Event::kDone);
      }
      if (cell.next == Step::kDeleteRange) {
        EXPECT_TRUE(static_cast<Event>(event) == Event::kDone || static_cast<Event>(event) == Event::kKeyOurs ||
                    static_cast<Event>(event) == Event::kKeyAbsent);
      }
      if (cell.next == Step::kPutRecord) {
        EXPECT_EQ(static_cast<Event>(event), Event::kKeyRaw);
      }
    }
  }
}

TEST(StandOf, TheOwnerDecides) {
  constexpr Duration kDeadline = 10min;
  const auto of = [](CompactionState state, bool own, bool at_it, bool complete, bool lives, Duration unchanged) {
    return StandOf(CompactionFacts{state, own, at_it, complete, lives, unchanged}, kDeadline);
  };
  using State = CompactionState;
  EXPECT_EQ(of(State::kAbsent, false, false, false, true, 1h), Stand::kAbsent);
  EXPECT_EQ(of(State::kIdle, false, false, false, true, 1h), Stand::kIdle);
  EXPECT_EQ(of(State::kDropped, false, false, false, true, 1h), Stand::kDropped);
  EXPECT_EQ(of(State::kWorking, true, true, false, true, 1h), Stand::kWorkingHere);
  EXPECT_EQ(of(State::kWorking, true, true, true, true, 1h), Stand::kWorkingComplete);
  EXPECT_EQ(of(State::kWorking, true, false, true, true, 0s), Stand::kWorkingLost);
  EXPECT_EQ(of(State::kWorking, false, false, false, true, 10min - 1ns), Stand::kWorkingAlive);
  EXPECT_EQ(of(State::kWorking, false, false, false, true, 10min), Stand::kWorkingLate);
  EXPECT_EQ(of(State::kWorking, false, false, false, false, 0s), Stand::kWorkingEnded);
  EXPECT_EQ(of(State::kInstalling, true, true, false, true, 1h), Stand::kInstallingHere);
  EXPECT_EQ(of(State::kInstalling, true, false, false, true, 0s), Stand::kInstallingLost);
  EXPECT_EQ(of(State::kInstalling, false, false, false, true, 10min - 1ns), Stand::kInstallingAlive);
  EXPECT_EQ(of(State::kInstalling, false, false, false, true, 10min), Stand::kInstallingLate);
  EXPECT_EQ(of(State::kInstalling, false, false, false, false, 0s), Stand::kInstallingEnded);
  EXPECT_EQ(CompactionStateName(State::kInstalling), "installing");
}

}  // namespace
}  // namespace lakestream::model
