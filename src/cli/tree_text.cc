#include "cli/tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "codec/utf8.h"

namespace lakestream {
namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kLineWidth = 100;
constexpr std::int64_t kEndOfTime = std::int64_t{1} << 43;  // in 2248; a WallTime holds it

bool IsScalar(const JsonValue& value) { return value.kind != Kind::kArray && value.kind != Kind::kObject; }

/// Strings that could be mistaken for something else are quoted as in JSON.
std::string StringText(const std::string& text) {
  const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && Printable(text) == text;
  return plain ? text : Printable(DumpJson(JsonValue::String(text)));
}

std::string ScalarText(const JsonValue& value) {
  switch (value.kind) {
    case Kind::kNull: return "-";
    case Kind::kString: return StringText(value.text);
    default: return DumpJson(value);
  }
}

/// Milliseconds since the Unix epoch, not those of a duration: after 2004.
bool IsDate(std::string_view name, const JsonValue& value) {
  return name.ends_with("_ms") && value.kind == Kind::kInt && value.integer >= std::int64_t{1} << 40 &&
         value.integer < kEndOfTime;
}

std::string FieldText(std::string_view name, const JsonValue& value) {
  return IsDate(name, value) ? ScalarText(value) + "  " + UtcText(value.integer) : ScalarText(value);
}

/// Objects with the same names, all of scalars; one alone only where a line holds it.
bool IsTable(const JsonValue& list) {
  if (list.items.empty()) return false;
  const std::vector<JsonMember>& first = list.items.front().members;
  if (first.empty()) return false;
  std::size_t width = 0;
  for (const JsonMember& member : first) width += member.name.size() + 2;
  if (list.items.size() == 1 && width > kLineWidth) return false;
  return std::all_of(list.items.begin(), list.items.end(), [&](const JsonValue& item) {
    return item.kind == Kind::kObject &&
           std::equal(item.members.begin(), item.members.end(), first.begin(), first.end(),
                      [](const JsonMember& a, const JsonMember& b) { return a.name == b.name && IsScalar(a.value); }) &&
           std::all_of(first.begin(), first.end(), [](const JsonMember& m) { return IsScalar(m.value); });
  });
}

void AddTable(const JsonValue& list, std::size_t indent, std::string& out) {
  const std::vector<JsonMember>& heads = list.items.front().members;
  std::vector<std::vector<std::string>> rows(1);
  std::vector<bool> numbers(heads.size(), true);
  for (const JsonMember& head : heads) rows.front().push_back(Printable(head.name));
  for (const JsonValue& item : list.items) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const JsonValue& value = item.members[i].value;
      const bool date = IsDate(heads[i].name, value);
      row.push_back(date ? UtcText(value.integer) : ScalarText(value));
      numbers[i] = numbers[i] && !date && (value.kind == Kind::kInt || value.kind == Kind::kNumber);
    }
  }
  std::vector<std::size_t> widths(heads.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += numbers[i] ? fmt::format("{:>{}}", row[i], widths[i]) : fmt::format("{:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

void AddObject(const JsonValue& object, std::size_t indent, std::string& out);

void AddList(std::string_view name, const JsonValue& list, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  if (IsTable(list)) {
    out += fmt::format("{}{}\n", margin, name);
    AddTable(list, indent + 2, out);
    return;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const JsonValue& item = list.items[i];
    const std::string numbered = fmt::format("{}[{}]", name, i);
    if (item.kind == Kind::kObject) {
      out += margin + numbered + '\n';
      AddObject(item, indent + 2, out);
    } else if (item.kind == Kind::kArray) {
      AddList(numbered, item, indent, out);
    } else {
      out += fmt::format("{}{}  {}\n", margin, numbered, ScalarText(item));
    }
  }
}

/// The value on the name's own line, where it has its place there.
bool OnOneLine(const JsonValue& value) {
  if (IsScalar(value)) return true;
  if (value.kind == Kind::kObject) return value.members.empty();
  return !IsTable(value) && std::all_of(value.items.begin(), value.items.end(), IsScalar);
}

std::string OneLine(std::string_view name, const JsonValue& value) {
  if (IsScalar(value)) return FieldText(name, value);
  if (value.items.empty()) return "none";
  std::string text;
  for (const JsonValue& item : value.items) text += (text.empty() ? "" : " ") + ScalarText(item);
  return text;
}

void AddObject(const JsonValue& object, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  std::size_t width = 0;
  for (const JsonMember& member : object.members) {
    if (OnOneLine(member.value)) width = std::max(width, Printable(member.name).size());
  }
  for (const JsonMember& member : object.members) {
    const std::string name = Printable(member.name);
    if (OnOneLine(member.value)) {
      out += fmt::format("{}{:<{}}  {}\n", margin, name, width, OneLine(name, member.value));
    } else if (member.value.kind == Kind::kObject) {
      out += margin + name + '\n';
      AddObject(member.value, indent + 2, out);
    } else {
      AddList(name, member.value, indent, out);
    }
  }
}

}  // namespace

std::string TreeText(const JsonValue& tree) {
  std::string out;
  if (tree.kind == Kind::kObject) {
    AddObject(tree, 0, out);
  } else if (tree.kind == Kind::kArray) {
    AddList("", tree, 0, out);
  } else {
    out = ScalarText(tree) + '\n';
  }
  return out;
}

std::string UtcText(std::int64_t millis) {
  if (millis < 0 || millis >= kEndOfTime) return std::to_string(millis);
  const CivilTime t = ToCivil(WallTimeFromMillis(millis));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.year, t.month, t.day, t.hour, t.minute, t.second,
                     millis % 1000);
}

}  // namespace lakestream
