#include "log/fsck/section_table.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

constexpr std::uint64_t kRegion = 100;

WalSection SectionOf(std::int64_t log, std::vector<WalEntry> entries) {
  WalSection section;
  section.log = LogId(log);
  section.entries = std::move(entries);
  return section;
}

TEST(SectionTableTest, ARecordHashesAsItsSectionDoes) {
  const WalSection section = SectionOf(7, {{0, 5, 2}, {5, 3, 1}});
  const Result<EntryIndex> index = MakeRawEntryIndex(section, "name", kRegion, true);
  ASSERT_TRUE(index.ok());
  const SectionTable::Section expected = SectionTable::Of("name", section, kRegion);
  EXPECT_EQ(*SectionTable::Of(LogId(7), *index, "k"), expected);

  const auto differs = [&](auto change) {
    EntryIndex other = *index;
    change(other);
    const auto hashed = SectionTable::Of(LogId(7), other, "k");
    return !hashed.ok() || *hashed != expected;
  };
  EXPECT_TRUE(differs([](EntryIndex& i) { i.location = "other"; }));
  EXPECT_TRUE(differs([](EntryIndex& i) { ++i.file_size; }));
  EXPECT_TRUE(differs([](EntryIndex& i) { ++i.entry_size_bytes; }));
  EXPECT_TRUE(differs([](EntryIndex& i) { ++i.message_count; }));
  EXPECT_NE(*SectionTable::Of(LogId(8), *index, "k"), expected);
  EXPECT_NE(SectionTable::Of("name", SectionOf(7, {{0, 5, 1}, {5, 3, 2}}), kRegion), expected);
  EXPECT_NE(SectionTable::Of("name", SectionOf(7, {{0, 5, 2}, {5, 2, 1}}), kRegion), expected);
}

TEST(SectionTableTest, MarksWhatIsNamed) {
  SectionTable table;
  const SectionTable::Section a = SectionTable::Of("o", SectionOf(1, {{0, 1, 1}}), kRegion);
  const SectionTable::Section b = SectionTable::Of("o", SectionOf(2, {{0, 1, 1}}), kRegion);
  const SectionTable::Section c = SectionTable::Of("p", SectionOf(1, {{0, 1, 1}}), kRegion);
  for (const auto& section : {c, a, b}) table.Add(section);
  table.Seal();
  EXPECT_EQ(table.MarkNamed(b), SectionTable::Mark::kFound);
  EXPECT_EQ(table.MarkNamed(b), SectionTable::Mark::kAgain);
  EXPECT_EQ(table.MarkNamed(SectionTable::Of("q", SectionOf(1, {{0, 1, 1}}), kRegion)), SectionTable::Mark::kUnknown);
  EXPECT_TRUE(table.IsNamed(b));
  EXPECT_FALSE(table.IsNamed(a));
  EXPECT_TRUE(table.AnyNamed(SectionTable::ObjectHash("o")));
  EXPECT_FALSE(table.AnyNamed(SectionTable::ObjectHash("p")));
  EXPECT_TRUE(table.Holds(SectionTable::ObjectHash("p")));
  EXPECT_FALSE(table.Holds(SectionTable::ObjectHash("q")));
  EXPECT_FALSE(table.AllNamed());
  table.MarkNamed(a);
  table.MarkNamed(c);
  EXPECT_TRUE(table.AllNamed());
}

}  // namespace
}  // namespace lakestream
