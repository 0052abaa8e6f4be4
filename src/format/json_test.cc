#include "format/json.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

// Order, unknown members and the text of numbers survive a rewrite.
TEST(Json, RewritesToTheSameBytes) {
  for (const std::string text : {R"({"b":1,"a":{"z":null,"y":[true,false,[],{}]},"c":"x"})",
                                 R"([1.10,1e40,123456789012345678901234567890,-0.5])",
                                 R"([9223372036854775807,-9223372036854775808,18446744073709551615])",
                                 R"("\"\\\b\f\n\r\t\u0001/é")", "null", "7"}) {
    const Result<JsonValue> value = ParseJson(text, "o");
    ASSERT_TRUE(value.ok()) << text << value.status().ToString();
    EXPECT_EQ(DumpJson(*value), text);
  }
  EXPECT_EQ(DumpJson(*ParseJson(" { \"a\" : [ 1 , 2 ] } ", "o")), R"({"a":[1,2]})");
}

TEST(Json, RefusesWhatIsNotStrict) {
  for (const std::string text : {"", "{", "{}x", "{'a':1}", "{\"a\":1,}", "[1,]", "01", "NaN", "// c\n1",
                                 "\"\xff\"", "\"a", "\xef\xbb\xbf{}", "{\"a\":1 \"b\":2}", "tru", "\"\x01\""}) {
    ExpectStatus(ParseJson(text, "o").status(), StatusCode::kCorrupt, {"object=o", "offset="});
  }
  ExpectStatus(ParseJson(R"({"a":1,"b":{"a":2,"a":3}})", "o").status(), StatusCode::kCorrupt,
               {"twice", "field=a"});
}

TEST(Json, DepthIsBounded) {
  const std::string fits = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_TRUE(ParseJson(fits, "o").ok());
  ExpectStatus(ParseJson("[" + fits + "]", "o").status(), StatusCode::kCorrupt, {"too deeply"});
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '['), "o").ok());
}

TEST(JsonFields, TakesAndKeepsTheRest) {
  Result<JsonFields> fields =
      JsonFields::Parse(R"({"x":1,"n":5,"s":"t","m":{"k":"v"},"o":{"i":3},"y":[2]})", "key");
  ASSERT_TRUE(fields.ok());
  EXPECT_EQ(*fields->TakeInt("n", 0), 5);
  EXPECT_EQ(*fields->TakeString("s"), "t");
  EXPECT_EQ(*fields->TakeStringMap("m"), (StringMap{{"k", "v"}}));
  Result<JsonFields> inner = fields->TakeObject("o");
  ASSERT_TRUE(inner.ok());
  ExpectStatus(inner->TakeInt("i", 4).status(), StatusCode::kCorrupt, {"object=key", "field=o.i", "value=3"});
  EXPECT_FALSE(fields->TakeOptionalInt("absent", 0)->has_value());
  ExpectStatus(fields->TakeInt("absent", 0).status(), StatusCode::kCorrupt, {"missing", "field=absent"});
  const std::vector<JsonMember> rest = fields->TakeRest();
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].name, "x");
  EXPECT_EQ(rest[1].name, "y");
}

TEST(JsonFields, NamesTheFieldOfAnotherType) {
  const std::string text = R"({"a":"1","b":1.5,"c":1,"d":{"k":1},"e":[],"f":{}})";
  ExpectStatus(JsonFields::Parse("[]", "k").status(), StatusCode::kCorrupt, {"not an object", "object=k"});
  const auto fields = [&] { return *JsonFields::Parse(text, "k"); };
  ExpectStatus(fields().TakeInt("a", 0).status(), StatusCode::kCorrupt, {"field=a"});
  ExpectStatus(fields().TakeInt("b", 0).status(), StatusCode::kCorrupt, {"field=b"});
  ExpectStatus(fields().TakeString("c").status(), StatusCode::kCorrupt, {"field=c"});
  ExpectStatus(fields().TakeOptionalBool("c", false).status(), StatusCode::kCorrupt, {"field=c"});
  ExpectStatus(fields().TakeStringMap("d").status(), StatusCode::kCorrupt, {"field=d.k"});
  ExpectStatus(fields().TakeStringMap("e").status(), StatusCode::kCorrupt, {"field=e"});
  ExpectStatus(fields().TakeObject("e").status(), StatusCode::kCorrupt, {"field=e"});
  ExpectStatus(fields().TakeArray("f").status(), StatusCode::kCorrupt, {"field=f"});
}

}  // namespace
}  // namespace lakestream
