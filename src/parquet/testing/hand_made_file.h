#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/byte_writer.h"
#include "codec/varint.h"

namespace lakestream {

/// Writes structs of Thrift's compact protocol by hand. Fields come with ascending numbers.
class ThriftBytes {
 public:
  ThriftBytes& Int32(int id, std::int64_t value) { return Number(id, 5, value); }
  ThriftBytes& Int64(int id, std::int64_t value) { return Number(id, 6, value); }
  ThriftBytes& Bool(int id, bool value) { return Header(id, value ? 1 : 2); }
  ThriftBytes& Text(int id, std::string_view value) {
    Header(id, 8);
    AppendText(value);
    return *this;
  }
  ThriftBytes& Struct(int id, const ThriftBytes& value) {
    Header(id, 12);
    bytes_ += value.Done();
    return *this;
  }
  ThriftBytes& Structs(int id, const std::vector<ThriftBytes>& values) {
    Header(id, 9);
    if (values.size() < 15) {
      bytes_.push_back(static_cast<char>(values.size() << 4 | 12));
    } else {
      bytes_.push_back(static_cast<char>(0xfc));
      AppendVarint(bytes_, values.size());
    }
    for (const ThriftBytes& value : values) bytes_ += value.Done();
    return *this;
  }
  std::string Done() const { return bytes_ + '\0'; }

 private:
  ThriftBytes& Header(int id, int type) {
    bytes_.push_back(static_cast<char>((id - last_) << 4 | type));
    last_ = id;
    return *this;
  }
  ThriftBytes& Number(int id, int type, std::int64_t value) {
    Header(id, type);
    AppendVarint(bytes_, static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    return *this;
  }
  void AppendText(std::string_view text) {
    AppendVarint(bytes_, text.size());
    bytes_ += text;
  }

  std::string bytes_;
  int last_ = 0;
};

inline std::string LittleEndianBytes(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

inline std::string PlainValues(const std::vector<std::string>& values) {
  std::string bytes;
  for (const std::string& value : values) bytes += LittleEndianBytes(static_cast<std::uint32_t>(value.size())) + value;
  return bytes;
}

/// A page of a hand-made file; whatever is set lies.
struct HandMadePage {
  std::int32_t type = 0;
  std::int32_t values = 0;
  std::int32_t encoding = 0;
  std::string body;  ///< as it is stored
  std::optional<std::int32_t> decoded_size;
  std::optional<std::int32_t> stored_size;
  std::optional<std::int32_t> crc;
  std::int32_t level_encoding = 3;
  // Of version 2, with type 3.
  std::int32_t nulls = 0;
  std::int32_t rows = -1;  ///< as many as values
  std::int32_t level_size = 0;
  std::int32_t repetition_size = 0;
  bool flat = false;  ///< a number where the rest of the header should be

  std::string Bytes() const {
    ThriftBytes header;
    header.Int32(1, type)
        .Int32(2, decoded_size.value_or(static_cast<std::int32_t>(body.size())))
        .Int32(3, stored_size.value_or(static_cast<std::int32_t>(body.size())));
    if (crc.has_value()) header.Int32(4, *crc);
    if (flat) {
      header.Int32(type == 3 ? 8 : type == 2 ? 7 : 5, 0);
    } else if (type == 3) {
      header.Struct(8, ThriftBytes()
                           .Int32(1, values)
                           .Int32(2, nulls)
                           .Int32(3, rows < 0 ? values : rows)
                           .Int32(4, encoding)
                           .Int32(5, level_size)
                           .Int32(6, repetition_size)
                           .Bool(7, false));
    } else if (type == 2) {
      header.Struct(7, ThriftBytes().Int32(1, values).Int32(2, encoding));
    } else {
      header.Struct(5, ThriftBytes().Int32(1, values).Int32(2, encoding).Int32(3, level_encoding).Int32(4, 3));
    }
    return header.Done() + body;
  }
};

/// A data page of version 1 with one run of levels that say "there".
inline HandMadePage PlainPage(const std::vector<std::string>& payloads) {
  HandMadePage page;
  page.values = static_cast<std::int32_t>(payloads.size());
  std::string levels;
  AppendVarint(levels, payloads.size() << 1);
  levels += '\1';
  page.body = LittleEndianBytes(static_cast<std::uint32_t>(levels.size())) + levels + PlainValues(payloads);
  return page;
}

struct HandMadeLocation {
  std::int64_t offset = 0;
  std::int32_t size = 0;
  std::int64_t first_row = 0;
};

/// A file of one row group; whatever is set lies.
struct HandMadeFile {
  std::vector<HandMadePage> pages;
  std::optional<HandMadePage> dictionary;
  bool offset_index = true;
  std::optional<std::vector<HandMadeLocation>> locations;
  std::optional<std::int64_t> rows;        ///< of the file
  std::optional<std::int64_t> group_rows;
  std::optional<std::int64_t> values;      ///< of the column chunk
  std::optional<std::int64_t> data_offset;
  std::optional<std::int64_t> length;      ///< of the column chunk
  std::optional<std::int64_t> index_offset;
  std::optional<std::int32_t> index_length;
  std::int32_t codec = 0;
  std::int32_t column_type = 6;
  std::optional<std::int32_t> chunk_type;  ///< the same, of the column chunk
  bool flat_metadata = false;              ///< a number where that of the column chunk should be
  std::int32_t repetition = 1;
  std::string column = "payload";
  int columns = 1;
  std::optional<std::int32_t> converted_type;
  std::string file_path;
  bool encrypted = false;
  std::vector<std::pair<std::string, std::string>> keys = {{"entrySerDeType", "raw"}};
  std::string behind_index;   ///< before the footer
  std::string behind_footer;  ///< between the metadata's end and its length
  std::optional<std::uint32_t> footer_length;
  std::string magic = "PAR1";
  std::string end_magic = "PAR1";

  std::string Bytes() const {
    std::string bytes = magic;
    if (dictionary.has_value()) bytes += dictionary->Bytes();
    const auto first_page = static_cast<std::int64_t>(bytes.size());
    std::vector<HandMadeLocation> found;
    std::int64_t sum = 0;
    for (const HandMadePage& page : pages) {
      const std::string stored = page.Bytes();
      found.push_back({static_cast<std::int64_t>(bytes.size()), static_cast<std::int32_t>(stored.size()), sum});
      bytes += stored;
      sum += page.values;
    }
    const auto end = static_cast<std::int64_t>(bytes.size());
    std::vector<ThriftBytes> listed;
    for (const HandMadeLocation& at : locations.value_or(found)) {
      listed.push_back(ThriftBytes().Int64(1, at.offset).Int32(2, at.size).Int64(3, at.first_row));
    }
    const std::string index = offset_index ? ThriftBytes().Structs(1, listed).Done() : "";
    bytes += index + behind_index;
    ThriftBytes metadata;
    metadata.Int32(1, chunk_type.value_or(column_type))
        .Int32(4, codec)
        .Int64(5, values.value_or(group_rows.value_or(sum)))
        .Int64(6, end - 4)
        .Int64(7, length.value_or(end - 4))
        .Int64(9, data_offset.value_or(first_page));
    if (dictionary.has_value()) metadata.Int64(11, 4);
    ThriftBytes chunk;
    if (!file_path.empty()) chunk.Text(1, file_path);
    chunk.Int64(2, 0);
    flat_metadata ? chunk.Int32(3, 0) : chunk.Struct(3, metadata);
    if (offset_index || index_offset.has_value()) chunk.Int64(4, index_offset.value_or(end));
    if (offset_index || index_length.has_value()) {
      chunk.Int32(5, index_length.value_or(static_cast<std::int32_t>(index.size())));
    }
    const ThriftBytes group =
        ThriftBytes()
            .Structs(1, std::vector<ThriftBytes>(static_cast<std::size_t>(columns), chunk))
            .Int64(2, end)
            .Int64(3, group_rows.value_or(sum));
    const std::string footer = Footer(group, rows.value_or(sum)) + behind_footer;
    return bytes + footer + LittleEndianBytes(footer_length.value_or(static_cast<std::uint32_t>(footer.size()))) +
           end_magic;
  }

 private:
  std::string Footer(const ThriftBytes& group, std::int64_t all_rows) const {
    ThriftBytes column_element;
    column_element.Int32(1, column_type).Int32(3, repetition).Text(4, column);
    if (converted_type.has_value()) column_element.Int32(6, *converted_type);
    std::vector<ThriftBytes> listed;
    for (const auto& [key, value] : keys) listed.push_back(ThriftBytes().Text(1, key).Text(2, value));
    ThriftBytes footer;
    footer.Int32(1, 1)
        .Structs(2, {ThriftBytes().Text(4, "Record").Int32(5, 1), column_element})
        .Int64(3, all_rows)
        .Structs(4, {group})
        .Structs(5, listed)
        .Text(6, "by hand");
    if (encrypted) footer.Struct(8, ThriftBytes());
    return footer.Done();
  }
};

}  // namespace lakestream
