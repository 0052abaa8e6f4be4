#include "sim/history_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sim/properties/property.h"
#include "sim/testing/made_history.h"

namespace lakestream::sim {
namespace {

using std::chrono::nanoseconds;

/// What two processes wrote, the second of which was killed.
const std::vector<std::string> kLines = {
    "history 1 .",
    "process a.1 threads 1 at 5 .",
    "began 1 append client 0 at 10 log 7 number 100 caller 1 records 2 size 16 .",
    "ended 1 at 20 ok entry 0:2:100:16:1700:16 .",
    "began 2 read client 1 at 30 log 7 from 0 max_records 10 max_bytes 99 .",
    "ended 2 at 40 ok next 2 0:2:100:16:1700:16 .",
    "began 3 trim client 2 at 50 log 7 asked 4 .",
    "ended 3 at 60 unavailable 'the%20lock%20is%20held%20holder_pid=9 .",
    "stuck 'a%25b .",
    "exited a.1 at 70 code 0 .",
    "process b.1 threads 2 at 6 .",
    "began 1 extent client 0 at 40 log 7 .",
    "ended 1 at 50 ok from 0 to 2 .",
    "began 2 append client 0 at 60 log 7 number 200 caller 0 records 1 size 20 .",
    "killed b.1 at 65 .",
    "frozen a.1 at 25 .",
    "final 7 marker 0 leases 0 .",
    "record 7 start 0 end 2 sum 16 time 1700 0:2:100:16:1700:16 .",
    "unreadable 7 start 2 end 3 sum 36 time 1701 'corrupt:%20short .",
};

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

Result<RealHistory> Read(const std::string& text) {
  std::istringstream stream(text);
  return ReadHistory(stream);
}

/// What is wrong with the history when this line stands in place of the one that it has.
std::string WrongWith(std::size_t line, const std::string& other) {
  std::vector<std::string> lines = kLines;
  lines[line - 1] = other;
  const Result<RealHistory> read = Read(Joined(lines));
  return read.ok() ? "nothing" : std::string(read.status().message());
}

TEST(HistoryText, EveryLineIsRead) {
  const Result<RealHistory> read = Read(Joined(kLines));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->processes, 2);
  EXPECT_EQ(read->killed, 1);
  EXPECT_EQ(read->cut_lines, 0);
  const Evidence& evidence = read->evidence;
  EXPECT_TRUE(evidence.real);
  EXPECT_EQ(evidence.many_threads, std::set<std::string>({"b.1"}));
  EXPECT_EQ(evidence.stuck, std::vector<std::string>({"a.1: a%b"}));
  ASSERT_EQ(evidence.operations.size(), 5u);
  const Operation& append = evidence.operations[0];
  EXPECT_EQ(ToString(append),
            "append of a.1 client 0 on log 7, 1 to 2, number 100, answered entry 100 at offset 0 (2 records, 16 B, "
            "cumulative 16)");
  EXPECT_EQ(append.caller, 1u);
  EXPECT_EQ(append.acknowledged->timestamp_ms, 1700);
  const Operation& read_call = evidence.operations[1];
  EXPECT_EQ(read_call.max_bytes, 99);
  ASSERT_EQ(read_call.entries.size(), 1u);
  EXPECT_EQ(read_call.entries[0].number, 100);
  const Operation& trim = evidence.operations[3];
  EXPECT_EQ(trim.asked, Offset(4));
  EXPECT_EQ(trim.status.ToString(), "unavailable: the lock is held holder_pid=9");
  EXPECT_FALSE(evidence.operations[4].ended.has_value());
  ASSERT_EQ(evidence.happenings.size(), 2u);
  EXPECT_EQ(evidence.happenings[0].kind, Happening::Kind::kKilled);
  EXPECT_EQ(evidence.happenings[1].process, "a.1");
  const FinalLog& final = evidence.final.at(LogId(7));
  ASSERT_EQ(final.records.size(), 2u);
  EXPECT_EQ(final.records[0].entries[0].size, 16);
  EXPECT_EQ(final.records[1].trouble, "corrupt: short");
}

TEST(HistoryText, CallsThatTouchAreSimultaneous) {
  const Result<RealHistory> read = Read(Joined(kLines));
  ASSERT_TRUE(read.ok());
  const std::vector<Operation>& operations = read->evidence.operations;
  // The read ended at the time at which the extent began, and that one when the trim began.
  EXPECT_GT(*operations[1].ended, operations[2].began);
  EXPECT_GT(*operations[2].ended, operations[3].began);
  EXPECT_LT(*operations[0].ended, operations[1].began);
}

/// The calls and the end of a history that was made by hand, written and read again.
TEST(HistoryText, WhatIsWrittenIsRead) {
  MadeHistory made;
  made.Append(1, Offset(0), 3);
  made.FailedAppend(2, Indeterminate("perhaps, 100% \"sure\"").With("log", 1));
  made.FailedAppend(3, Unavailable(""));
  made.Read(Offset(0), {Entry(1, Offset(0), 3), Entry(4, Offset(3))});
  made.Read(Offset(4), {}, Operation::Kind::kTail);
  made.Extent(Offset(0), Offset(4));
  made.Trim(Offset(2), Offset(0), Offset(3));
  made.Begin(Operation::Kind::kTail).from = Offset(9);
  made.Record("one", {Entry(1, Offset(0), 3), Entry(4, Offset(3))});
  FinalLog& final = made.evidence.final[LogId(1)];
  final.marker = Offset(1);
  final.records.push_back(FinalRecord{Offset(4), Offset(6), 60, 12, {}, "not there"});
  std::string text = "history 1 .\n" + ProcessLine("p.1", 1, made.now());
  std::int64_t call = 0;
  for (const Operation& operation : made.evidence.operations) {
    text += BeganLine(++call, operation);
    if (operation.ended) text += EndedLine(call, operation);
  }
  text += StuckLine("a log") + "killed p.1 at 99 .\n" + FinalLines(LogId(1), final);
  const Result<RealHistory> read = Read(text);
  ASSERT_TRUE(read.ok()) << read.status().ToString() << '\n' << text;
  ASSERT_EQ(read->evidence.operations.size(), made.evidence.operations.size());
  for (std::size_t i = 0; i < made.evidence.operations.size(); ++i) {
    const Operation& before = made.evidence.operations[i];
    const Operation& after = read->evidence.operations[i];
    EXPECT_EQ(EndedLine(1, after.ended ? after : made.evidence.operations[0]),
              EndedLine(1, before.ended ? before : made.evidence.operations[0]));
    EXPECT_EQ(BeganLine(1, after), BeganLine(1, before));
    EXPECT_EQ(after.status.ToString(), before.status.ToString());
    EXPECT_EQ(after.ended.has_value(), before.ended.has_value());
  }
  EXPECT_EQ(FinalLines(LogId(1), read->evidence.final.at(LogId(1))), FinalLines(LogId(1), final));
  EXPECT_EQ(read->evidence.stuck.size(), 1u);
}

TEST(HistoryText, ALineThatAKillCutCountsForNothing) {
  for (std::size_t line = 12; line <= 14; ++line) {
    const std::string& whole = kLines[line - 1];
    for (std::size_t length = 1; length < whole.size(); ++length) {
      std::vector<std::string> lines(kLines.begin(), kLines.begin() + static_cast<std::ptrdiff_t>(line) - 1);
      lines.push_back(whole.substr(0, length));
      lines.push_back("killed b.1 at 65 .");
      const Result<RealHistory> read = Read(Joined(lines));
      ASSERT_TRUE(read.ok()) << lines[line - 1] << ": " << read.status().ToString();
      EXPECT_EQ(read->cut_lines, 1) << lines[line - 1];
    }
  }
}

TEST(HistoryText, ACutLineIsRefusedAnywhereElse) {
  for (std::size_t line = 1; line <= kLines.size(); ++line) {
    if (line == 14) continue;  // the last of the process that was killed
    const std::string& whole = kLines[line - 1];
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string wrong = WrongWith(line, whole.substr(0, length));
      EXPECT_TRUE(wrong.ends_with("line=" + std::to_string(line))) << whole.substr(0, length) << ": " << wrong;
    }
  }
}

TEST(HistoryText, AFileThatEndsEarlyIsRefused) {
  const std::string text = Joined(kLines);
  const std::size_t killed = text.find("frozen");
  for (std::size_t length = 0; length < killed; ++length) {
    // Between two processes it may end.
    if (text.compare(0, length, text.substr(0, text.find("process b.1"))) == 0 || length == kLines[0].size() + 1) continue;
    EXPECT_FALSE(Read(text.substr(0, length)).ok()) << text.substr(0, length);
  }
}

TEST(HistoryText, WhatIsOutOfPlaceIsNamed) {
  EXPECT_EQ(WrongWith(1, "history 2 ."), "this is no history of version 1 line=1");
  EXPECT_EQ(WrongWith(2, "began 1 extent client 0 at 40 log 7 ."),
            "this belongs among the lines of a process, or nowhere line=2");
  EXPECT_EQ(WrongWith(3, "final 7 marker 0 leases 0 ."), "this does not belong among the lines of a process line=3");
  EXPECT_EQ(WrongWith(3, "began 1 jump client 0 at 10 log 7 ."), "there is no such call line=3");
  EXPECT_EQ(WrongWith(4, "ended 9 at 20 ok entry 0:2:100:16:1700:16 ."), "no call of this number is under way line=4");
  EXPECT_EQ(WrongWith(4, "ended 1 at 9 ok entry 0:2:100:16:1700:16 ."), "the call ends before it begins line=4");
  EXPECT_EQ(WrongWith(4, "ended 1 at 20 ok entry 0:2:100:16:1700 ."),
            "a word is not what it must be, or missing line=4");
  EXPECT_EQ(WrongWith(4, "ended 1 at 20 ok entry 0:2:100:16:1700:16 0:2:100:16:1700:16 ."),
            "there is more on the line than belongs there line=4");
  EXPECT_EQ(WrongWith(4, "ended 1 at 20 fine 'x ."), "there is no such code line=4");
  EXPECT_EQ(WrongWith(5, "began 1 read client 1 at 30 log 7 from 0 max_records 10 max_bytes 99 ."),
            "a call of this number was there before line=5");
  EXPECT_EQ(WrongWith(5, "began 2  read client 1 at 30 log 7 from 0 max_records 10 max_bytes 99 ."),
            "there is no such call line=5");
  EXPECT_EQ(WrongWith(8, "ended 3 at 60 unavailable 'a%2 ."), "a word is not what it must be, or missing line=8");
  EXPECT_EQ(WrongWith(10, "exited b.1 at 70 code 0 ."), "this is not the process whose lines these are line=10");
  EXPECT_EQ(WrongWith(11, "process a.1 threads 2 at 6 ."), "a process of this name was there before line=11");
  EXPECT_EQ(WrongWith(16, "frozen c.1 at 25 ."), "something happened to a process that was not there line=20");
  EXPECT_EQ(WrongWith(17, "final 8 marker 0 leases 0 ."), "its log was not there before line=18");
  EXPECT_EQ(WrongWith(19, "unreadable 7 start 2 end 2 sum 36 time 1701 'x ."),
            "the record does not come behind the one before it line=19");
}

TEST(HistoryText, WhoEndsByItselfMustEndWell) {
  std::vector<std::string> lines(kLines.begin(), kLines.begin() + 7);
  lines.push_back("exited a.1 at 70 code 0 .");
  Result<RealHistory> read = Read(Joined(lines));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->evidence.stuck.size(), 1u);
  EXPECT_TRUE(read->evidence.stuck[0].starts_with("a.1 ended with a call under way: trim")) << read->evidence.stuck[0];
  lines.back() = "exited a.1 at 70 code 1 .";
  read = Read(Joined(lines));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->evidence.stuck, std::vector<std::string>({"a.1 ended by itself with code 1"}));
  lines.back() = "killed a.1 at 70 .";
  lines.push_back("final 7 marker 0 leases 2 .");
  read = Read(Joined(lines));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->evidence.stuck, std::vector<std::string>({"log 7: 2 leases are left at the end"}));
}

TEST(HistoryText, OnlyWhatClientsSeeIsJudged) {
  const Result<RealHistory> read = Read(Joined(kLines));
  ASSERT_TRUE(read.ok());
  for (const Property& property : AllProperties()) {
    EXPECT_EQ(CanBeJudged(property, read->evidence), property.needs == Needs::kClients) << property.name;
    EXPECT_TRUE(CanBeJudged(property, Evidence())) << property.name;
  }
}

}  // namespace
}  // namespace lakestream::sim
