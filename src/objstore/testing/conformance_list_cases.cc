#include <map>

#include "objstore/testing/conformance_cases.h"
#include "runtime/testing/co_test.h"

// Keys and listings.

namespace lakestream {
namespace {

const std::vector<std::string>& BadKeys() {
  static const std::vector<std::string> keys = {
      "",     "/",    "/a",  "a/",   "a//b",     ".",        "..",       "./a",      "../a",
      "a/..", "a/.",  "a/../b", "a/./b", "a\nb", std::string("a\0b", 3), "a\x7f", "\x1f", std::string(1025, 'k'),
  };
  return keys;
}

Task<void> BadKeysAreRefused(ObjectStoreWorld& world) {
  ObjectStore& store = world.store();
  for (const std::string& key : BadKeys()) {
    const std::vector<std::string> keys = {"good", key};
    CO_ASSERT_CODE(co_await world.Create(key, "x"), kInvalidArgument);
    CO_ASSERT_CODE(co_await world.Get(key), kInvalidArgument);
    CO_ASSERT_CODE(co_await world.Head(key), kInvalidArgument);
    CO_ASSERT_CODE(co_await store.Delete(OpContext(), keys), kInvalidArgument);
    CO_ASSERT_CODE(co_await world.StartUpload(key, PutMode::kCreate), kInvalidArgument);
  }
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
}

Task<void> UnusualKeysWork(ObjectStoreWorld& world) {
  std::vector<std::string> keys = {
      "...",  ".hidden",  "a../b", "..a",    "a b c",           "%2f%00",     "\xc3\xa9/\xe6\x97\xa5\xe6\x9c\xac",
      "-rf",  "~",        "*?[]",  "\\",     "\"quotes\"'",     "#?&=+,;:@!$", "CON",
      "tmp/x", "x/.tmp/y", "crc32c", "Case", "case",
  };
  std::string longest;
  for (int part = 0; part < 4; ++part) longest += std::string(205, static_cast<char>('a' + part)) + "/";
  longest += std::string(200, 'z');
  CO_ASSERT_EQ(longest.size(), 1024u);
  keys.push_back(longest);
  for (const std::string& key : keys) CO_ASSERT_OK(co_await world.Create(key, "of " + key));
  for (const std::string& key : keys) CO_ASSERT_EQ(co_await world.GetText(key), "of " + key);
  const Result<ListPage> page = co_await world.store().List(OpContext(), "", "", 100);
  CO_ASSERT_OK(page);
  EXPECT_EQ(page->objects.size(), keys.size());
  CO_ASSERT_OK(co_await world.store().Delete(OpContext(), keys));
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
}

Task<void> AKeyMayContinueAnother(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("a", "1"));
  CO_ASSERT_OK(co_await world.Create("a/b", "2"));
  CO_ASSERT_OK(co_await world.Create("a/b/c", "3"));
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "a\na/b\na/b/c\n");
  CO_ASSERT_OK(co_await world.Delete("a/b"));
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "a\na/b/c\n");
  CO_ASSERT_OK(co_await world.Create(std::string(1024, 'k'), "long"));
  CO_ASSERT_EQ(co_await world.GetText(std::string(1024, 'k')), "long");
}

Task<void> PathsExcludeEachOther(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await world.Create("a/b", "x"));
  CO_ASSERT_CODE(co_await world.Create("a", "y"), kInvalidArgument);
  CO_ASSERT_CODE(co_await world.Create("a/b/c", "y"), kInvalidArgument);
  CO_ASSERT_CODE(co_await world.Create("a/b/c/d", "y"), kInvalidArgument);
  CO_ASSERT_CODE(co_await world.Create(std::string(256, 'k'), "y"), kInvalidArgument);
  CO_ASSERT_EQ(co_await world.GetText("a"), "not_found");
  CO_ASSERT_EQ(co_await world.GetText("a/b/c"), "not_found");
  CO_ASSERT_EQ(co_await world.GetText(std::string(256, 'k')), "not_found");
  CO_ASSERT_CODE(co_await world.Head("a"), kNotFound);
  CO_ASSERT_OK(co_await world.Delete("a"));
  CO_ASSERT_OK(co_await world.Delete("a/b/c"));
  CO_ASSERT_OK(co_await world.Delete(std::string(256, 'k')));
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "a/b\n");
}

const std::vector<std::string>& ListedKeys() {
  // Ascending, bytewise: "-" and "." sort before "/", digits after it, capitals before small letters.
  static const std::vector<std::string> keys = {
      "A",       "a-/x",    "a.b",   "a/1",    "a/1-0", "a/1.0/z", "a/10",
      "a/2/deep/er", "a/2/x", "a0",  "aa/1",   "b",     "c/0/0",   "\xc3\xa9",
  };
  return keys;
}

Task<Status> CreateListedKeys(ObjectStoreWorld& world) {
  // Not in their order.
  const std::vector<std::string>& keys = ListedKeys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i * 5 % keys.size()];
    const Status created = co_await world.Create(key, std::string(key.size(), 'x'));
    if (!created.ok()) co_return created;
  }
  co_return OkStatus();
}

std::string ExpectedKeys(const std::string& prefix, const std::string& start_after) {
  std::string text;
  for (const std::string& key : ListedKeys()) {
    if (key.starts_with(prefix) && key > start_after) text += key + "\n";
  }
  return text;
}

Task<void> ListIsInOrder(ObjectStoreWorld& world) {
  CO_ASSERT_EQ(*co_await world.ListText("", "", 10), "");
  CO_ASSERT_OK(co_await CreateListedKeys(world));
  CO_ASSERT_EQ(*co_await world.ListText("", "", 100), ExpectedKeys("", ""));
}

Task<void> ListTellsSizeAndTime(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await CreateListedKeys(world));
  const Result<ListPage> page = co_await world.store().List(OpContext(), "", "", 100);
  CO_ASSERT_OK(page);
  CO_ASSERT_EQ(page->objects.size(), ListedKeys().size());
  for (const ObjectInfo& listed : page->objects) {
    const Result<ObjectInfo> info = co_await world.Head(listed.key);
    CO_ASSERT_OK(info);
    EXPECT_EQ(listed.size, listed.key.size());
    EXPECT_EQ(listed.size, info->size);
    // A store may give times in seconds in one of the two answers.
    EXPECT_LT(listed.modified - info->modified, std::chrono::seconds(1));
    EXPECT_LT(info->modified - listed.modified, std::chrono::seconds(1));
    EXPECT_TRUE(!listed.crc32c || listed.crc32c == info->crc32c) << listed.key;
  }
}

Task<void> ListKeepsToThePrefix(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await CreateListedKeys(world));
  const char* prefixes[] = {"a",    "a/", "a/1",  "a/1-", "a/2/", "a/2/d", "a/2/deep/er", "a/2/deep/er/", "b",
                            "b/",   "c",  "c/0",  "c/0/", "aa",   "aa/",   "A",           "zzz",          "a//",
                            "../",  "./", "/",    "..",   ".",    "a/../", "\xc3",        "a/1.0/z0",     "\n"};
  for (const std::string prefix : prefixes) {
    const Result<std::string> text = co_await world.ListText(prefix, "", 100);
    CO_ASSERT_OK(text);
    EXPECT_EQ(*text, ExpectedKeys(prefix, "")) << prefix;
  }
  CO_ASSERT_EQ(ExpectedKeys("a/2/", ""), "a/2/deep/er\na/2/x\n");
  const Result<std::string> longest = co_await world.ListText(std::string(5000, 'p'), "", 100);
  CO_ASSERT_OK(longest);
  EXPECT_EQ(*longest, "");
}

Task<void> ListStartsAfter(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await CreateListedKeys(world));
  std::vector<std::string> starts = ListedKeys();
  for (const char* more : {"a", "a/", "a/1/", "a/2", "a/2/", "a/2/deep", "a/2/deep/", "a/2/deep0", "a/3", "a-", "a-/",
                           "aa", "c/0/0/0", "B", "\xff", "0", "a/1.0/", "a/1.0/~"}) {
    starts.push_back(more);
  }
  for (const std::string& start : starts) {
    for (const std::string prefix : {"", "a", "a/", "a/2/", "c"}) {
      const Result<std::string> text = co_await world.ListText(prefix, start, 100);
      CO_ASSERT_OK(text);
      EXPECT_EQ(*text, ExpectedKeys(prefix, start)) << prefix << " after " << start;
    }
  }
}

Task<void> ListPagesJoinUp(ObjectStoreWorld& world) {
  CO_ASSERT_OK(co_await CreateListedKeys(world));
  const int total = static_cast<int>(ListedKeys().size());
  for (int limit = 1; limit <= total + 1; ++limit) {
    std::string joined;
    std::string start;
    int pages = 0;
    for (bool more = true; more; ++pages) {
      const Result<ListPage> page = co_await world.store().List(OpContext(), "", start, limit);
      CO_ASSERT_OK(page);
      EXPECT_LE(page->objects.size(), static_cast<std::size_t>(limit));
      for (const ObjectInfo& object : page->objects) joined += object.key + "\n";
      more = page->next.has_value();
      if (more) {
        CO_ASSERT_TRUE(*page->next > start);  // or it would never end
        start = *page->next;
      }
    }
    EXPECT_EQ(joined, ExpectedKeys("", "")) << limit;
    // A store may give less than the limit; these give full pages, and none after the last object.
    EXPECT_EQ(pages, (total + limit - 1) / limit) << limit;
  }
}

Task<void> ListRefusesBadLimits(ObjectStoreWorld& world) {
  CO_ASSERT_CODE(co_await world.ListText("", "", 0), kInvalidArgument);
  CO_ASSERT_CODE(co_await world.ListText("", "", -1), kInvalidArgument);
  CO_ASSERT_CODE(co_await world.ListText("", "", 10'001), kInvalidArgument);
  CO_ASSERT_OK(co_await world.ListText("", "", 10'000));
  CO_ASSERT_OK(co_await world.ListText("", "", 1));
}

/// A stream of calls whose answers a map foretells.
Task<void> AgreesWithAModel(ObjectStoreWorld& world) {
  const bool create_only = world.store().capabilities().create_only;
  std::map<std::string, std::string> model;
  std::uint64_t state = 42;
  const auto draw = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  for (int step = 0; step < 600; ++step) {
    std::string key = "m" + std::to_string(draw(4));
    key += "/" + std::to_string(draw(3));
    key += "-/" + std::to_string(draw(5));
    const std::string bytes(draw(200), static_cast<char>('a' + draw(26)));
    const std::uint64_t kind = draw(10);
    if (kind < 4) {
      const Status created = co_await world.Create(key, bytes);
      CO_ASSERT_EQ(created.code(), model.contains(key) ? StatusCode::kAlreadyExists : StatusCode::kOk);
      model.emplace(key, bytes);
    } else if (kind < 5 && !create_only) {
      CO_ASSERT_OK(co_await world.Overwrite(key, bytes));
      model[key] = bytes;
    } else if (kind < 6) {
      CO_ASSERT_OK(co_await world.Delete(key));
      model.erase(key);
    } else if (kind < 8) {
      const auto found = model.find(key);
      CO_ASSERT_EQ(co_await world.GetText(key), found == model.end() ? "not_found" : found->second);
    } else {
      const std::string prefix = "m" + std::to_string(draw(4)) + (draw(2) == 0 ? "/" : "");
      const std::size_t limit = 1 + draw(6);
      std::string expected;
      std::size_t count = 0;
      std::string last;
      for (const auto& [listed, value] : model) {
        if (!listed.starts_with(prefix) || listed <= key) continue;
        if (count == limit) {
          expected += "next " + last + "\n";
          break;
        }
        ++count;
        last = listed;
        expected += listed + "\n";
      }
      const Result<std::string> text = co_await world.ListText(prefix, key, static_cast<int>(limit));
      CO_ASSERT_OK(text);
      CO_ASSERT_EQ(*text, expected);
    }
  }
}

}  // namespace

void internal::AddKeyCases(std::vector<ObjectStoreCase>& cases) {
  cases.push_back({"BadKeysAreRefused", CaseNeeds::kNothing, BadKeysAreRefused});
  cases.push_back({"UnusualKeysWork", CaseNeeds::kNothing, UnusualKeysWork});
  cases.push_back({"AKeyMayContinueAnother", CaseNeeds::kFreeKeys, AKeyMayContinueAnother});
  cases.push_back({"PathsExcludeEachOther", CaseNeeds::kPathKeys, PathsExcludeEachOther});
}

void internal::AddListCases(std::vector<ObjectStoreCase>& cases) {
  cases.push_back({"ListIsInOrder", CaseNeeds::kNothing, ListIsInOrder});
  cases.push_back({"ListTellsSizeAndTime", CaseNeeds::kNothing, ListTellsSizeAndTime});
  cases.push_back({"ListKeepsToThePrefix", CaseNeeds::kNothing, ListKeepsToThePrefix});
  cases.push_back({"ListStartsAfter", CaseNeeds::kNothing, ListStartsAfter});
  cases.push_back({"ListPagesJoinUp", CaseNeeds::kNothing, ListPagesJoinUp});
  cases.push_back({"ListRefusesBadLimits", CaseNeeds::kNothing, ListRefusesBadLimits});
  cases.push_back({"AgreesWithAModel", CaseNeeds::kNothing, AgreesWithAModel});
}

}  // namespace lakestream
