#include "parquet/footer.h"

#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "parquet/thrift_reader.h"

namespace lakestream {

namespace {

constexpr std::uint64_t kMagicBytes = 4;
constexpr std::int32_t kByteArray = 6;
constexpr std::int32_t kRequired = 0;
constexpr std::int32_t kOptional = 1;

constexpr std::string_view kColumn = "payload";

/// The footer while it is read, and what only its checks need.
class FooterDecoder {
 public:
  FooterDecoder(ByteSpan bytes, std::uint64_t base, std::string_view object)
      : reader_(bytes, object, base), base_(base), object_(object) {}

  Result<ParquetFooter> Run() {
    LS_TRY(reader_.ReadStruct("footer", [&](ThriftField field) { return ReadField(field); }));
    if (!reader_.done()) return reader_.Fail("parquet footer is shorter than its length", "footer");
    LS_TRY(CheckSchema());
    if (footer_.rows != rows_) {
      return Fail("parquet row groups do not make up the rows of the file", "num_rows")
          .With("rows", footer_.rows)
          .With("in_groups", rows_);
    }
    return std::move(footer_);
  }

 private:
  struct SchemaElement {
    std::int32_t type = -1;
    std::int32_t repetition = -1;
    std::int32_t children = 0;
    std::string_view name;
    bool annotated = false;  ///< a converted or a logical type
  };
  /// As it stands there; -1 where it does not.
  struct Chunk {
    std::int32_t type = -1;
    std::int32_t codec = -1;
    std::int64_t values = -1;
    std::int64_t length = -1;
    std::int64_t data_offset = -1;
    std::int64_t dictionary_offset = -1;
    std::int64_t index_offset = -1;
    std::int32_t index_length = -1;
  };

  Status Fail(std::string_view sentence, std::string_view field) const {
    return CorruptAt(sentence, object_, field, base_);
  }

  Status ReadField(ThriftField field) {
    switch (field.id) {
      case 2:
        return reader_.ReadList(field, "schema", ThriftType::kStruct, [&] { return ReadSchemaElement(); });
      case 3:
        return reader_.ReadInt64(field, "num_rows", &footer_.rows);
      case 4:
        return reader_.ReadList(field, "row_groups", ThriftType::kStruct, [&] { return ReadRowGroup(); });
      case 5:
        return reader_.ReadList(field, "key_value_metadata", ThriftType::kStruct, [&] { return ReadKey(); });
      case 6:
        return ReadText(field, "created_by", &footer_.created_by);
      case 8:
        return Unimplemented("parquet file is encrypted").With("object", object_);
      default:
        return reader_.Skip(field, "footer");
    }
  }

  Status ReadText(ThriftField field, std::string_view name, std::string* text) {
    std::string_view bytes;
    LS_TRY(reader_.ReadBinary(field, name, &bytes));
    *text = bytes;
    return OkStatus();
  }

  Status ReadKey() {
    const std::uint64_t at = reader_.offset();
    std::string key;
    std::string value;
    LS_TRY(reader_.ReadStruct("key_value_metadata", [&](ThriftField field) {
      if (field.id == 1) return ReadText(field, "key", &key);
      if (field.id == 2) return ReadText(field, "value", &value);
      return reader_.Skip(field, "key_value_metadata");
    }));
    if (!footer_.keys.try_emplace(key, std::move(value)).second) {
      return CorruptAt("parquet footer has a key twice", object_, "key_value_metadata", at).With("key", key);
    }
    return OkStatus();
  }

  Status ReadSchemaElement() {
    SchemaElement element;
    LS_TRY(reader_.ReadStruct("schema", [&](ThriftField field) {
      switch (field.id) {
        case 1:
          return reader_.ReadInt32(field, "type", &element.type);
        case 3:
          return reader_.ReadInt32(field, "repetition_type", &element.repetition);
        case 4:
          return reader_.ReadBinary(field, "name", &element.name);
        case 5:
          return reader_.ReadInt32(field, "num_children", &element.children);
        case 6:
        case 10:
          element.annotated = true;
          return reader_.Skip(field, "schema");
        default:
          return reader_.Skip(field, "schema");
      }
    }));
    if (elements_ == 0) {
      footer_.root_name = element.name;
      root_ = element;
    } else {
      column_ = element;
    }
    ++elements_;
    return OkStatus();
  }

  Status CheckSchema() {
    if (elements_ != 2 || root_.children != 1 || column_.children != 0 || column_.name != kColumn) {
      return Fail("parquet file has not the one column payload", "schema").With("elements", elements_);
    }
    if (column_.type != kByteArray || column_.annotated) {
      return Fail("parquet column payload is not plain binary", "schema").With("type", column_.type);
    }
    if (column_.repetition != kRequired && column_.repetition != kOptional) {
      return Fail("parquet column payload is neither required nor optional", "schema")
          .With("repetition", column_.repetition);
    }
    footer_.nullable = column_.repetition == kOptional;
    return OkStatus();
  }

  Status ReadRowGroup() {
    ParquetRowGroup group;
    Chunk chunk;
    int columns = 0;
    group.rows = -1;
    LS_TRY(reader_.ReadStruct("row_groups", [&](ThriftField field) {
      if (field.id == 3) return reader_.ReadInt64(field, "num_rows", &group.rows);
      if (field.id != 1) return reader_.Skip(field, "row_groups");
      return reader_.ReadList(field, "columns", ThriftType::kStruct, [&] {
        ++columns;
        return ReadChunk(&chunk);
      });
    }));
    if (columns != 1) return reader_.Fail("parquet row group has not one column", "columns").With("columns", columns);
    LS_TRY(CheckChunk(chunk, &group));
    group.first_row = rows_;
    const std::int64_t rows = group.rows;
    if (__builtin_add_overflow(rows_, rows, &rows_)) {
      return reader_.Fail("parquet row groups hold too many rows", "num_rows");
    }
    footer_.row_groups.push_back(std::move(group));
    return OkStatus();
  }

  Status ReadChunk(Chunk* chunk) {
    return reader_.ReadStruct("columns", [&](ThriftField field) {
      switch (field.id) {
        case 1:
          return reader_.Fail("parquet column lies in another file", "file_path");
        case 3:
          if (field.type != ThriftType::kStruct) return reader_.Fail("thrift value has another type", "meta_data");
          return ReadChunkMetadata(chunk);
        case 4:
          return reader_.ReadInt64(field, "offset_index_offset", &chunk->index_offset);
        case 5:
          return reader_.ReadInt32(field, "offset_index_length", &chunk->index_length);
        case 8:
        case 9:
          return Unimplemented("parquet file is encrypted").With("object", object_);
        default:
          return reader_.Skip(field, "columns");
      }
    });
  }

  Status ReadChunkMetadata(Chunk* chunk) {
    return reader_.ReadStruct("meta_data", [&](ThriftField field) {
      switch (field.id) {
        case 1:
          return reader_.ReadInt32(field, "type", &chunk->type);
        case 4:
          return reader_.ReadInt32(field, "codec", &chunk->codec);
        case 5:
          return reader_.ReadInt64(field, "num_values", &chunk->values);
        case 7:
          return reader_.ReadInt64(field, "total_compressed_size", &chunk->length);
        case 9:
          return reader_.ReadInt64(field, "data_page_offset", &chunk->data_offset);
        case 11:
          return reader_.ReadInt64(field, "dictionary_page_offset", &chunk->dictionary_offset);
        default:
          return reader_.Skip(field, "meta_data");
      }
    });
  }

  Status CheckChunk(const Chunk& chunk, ParquetRowGroup* group) const {
    if (chunk.type != kByteArray) {
      return reader_.Fail("parquet column payload is not plain binary", "type").With("type", chunk.type);
    }
    switch (chunk.codec) {
      case 0:
      case 1:
      case 2:
      case 6:
      case 7:
        group->codec = static_cast<ParquetCodec>(chunk.codec);
        break;
      default:
        return Unimplemented("parquet column has a codec that is not read")
            .With("object", object_)
            .With("codec", chunk.codec);
    }
    if (group->rows < 0 || chunk.values != group->rows) {
      return reader_.Fail("parquet column has not one value for each row", "num_values")
          .With("values", chunk.values)
          .With("rows", group->rows);
    }
    // Nothing is read of a group without rows, and what some writers say of it is nothing.
    if (group->rows == 0) return OkStatus();
    std::int64_t offset = chunk.data_offset;
    // Some writers say 0 where there is none.
    if (chunk.dictionary_offset > 0 && chunk.dictionary_offset < offset) offset = chunk.dictionary_offset;
    LS_TRY(CheckRange(offset, chunk.length, "total_compressed_size", &group->chunk));
    if (chunk.index_offset == -1 && chunk.index_length == -1) return OkStatus();
    ParquetRange index;
    LS_TRY(CheckRange(chunk.index_offset, chunk.index_length, "offset_index_offset", &index));
    group->offset_index = index;
    return OkStatus();
  }

  Status CheckRange(std::int64_t offset, std::int64_t length, std::string_view field, ParquetRange* range) const {
    if (offset < static_cast<std::int64_t>(kMagicBytes) || length < 0 || std::cmp_greater(offset, base_) ||
        std::cmp_greater(length, base_ - static_cast<std::uint64_t>(offset))) {
      return reader_.Fail("parquet range does not lie between magic and footer", field)
          .With("start", offset)
          .With("length", length);
    }
    *range = ParquetRange{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)};
    return OkStatus();
  }

  ThriftReader reader_;
  const std::uint64_t base_;
  const std::string_view object_;
  ParquetFooter footer_{.rows = -1, .row_groups = {}, .root_name = {}, .nullable = false, .created_by = {}, .keys = {}};
  int elements_ = 0;
  SchemaElement root_;
  SchemaElement column_;
  std::int64_t rows_ = 0;  ///< of the groups so far
};

/// Appends a page of the offset index.
Status AddPage(std::int64_t offset, std::int32_t length, std::int64_t first_row, const ParquetRowGroup& group,
               const ThriftReader& reader, std::vector<ParquetPageLocation>* pages) {
  const std::uint64_t from = pages->empty() ? group.chunk.offset : pages->back().range.end();
  if (length < 1 || std::cmp_less(offset, from) || std::cmp_greater(offset, group.chunk.end()) ||
      std::cmp_greater(length, group.chunk.end() - static_cast<std::uint64_t>(offset))) {
    return reader.Fail("parquet page does not lie in its place of the column", "page_locations")
        .With("start", offset)
        .With("length", length);
  }
  if (pages->empty() ? first_row != 0 : first_row <= pages->back().first_row || first_row >= group.rows) {
    return reader.Fail("parquet pages do not make up the rows of their group", "first_row_index")
        .With("first_row", first_row)
        .With("rows", group.rows);
  }
  const ParquetRange range{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)};
  pages->push_back(ParquetPageLocation{range, first_row});
  return OkStatus();
}

}  // namespace

Result<ParquetFooter> DecodeParquetFooter(ByteSpan bytes, std::uint64_t base, std::string_view object) {
  return FooterDecoder(bytes, base, object).Run();
}

Result<std::vector<ParquetPageLocation>> DecodeParquetOffsetIndex(ByteSpan bytes, std::uint64_t base,
                                                                  const ParquetRowGroup& group,
                                                                  std::string_view object) {
  ThriftReader reader(bytes, object, base);
  std::vector<ParquetPageLocation> pages;
  LS_TRY(reader.ReadStruct("offset_index", [&](ThriftField list) {
    if (list.id != 1) return reader.Skip(list, "offset_index");
    return reader.ReadList(list, "page_locations", ThriftType::kStruct, [&]() -> Status {
      std::int64_t offset = -1;
      std::int32_t length = -1;
      std::int64_t first_row = -1;
      LS_TRY(reader.ReadStruct("page_locations", [&](ThriftField field) {
        if (field.id == 1) return reader.ReadInt64(field, "offset", &offset);
        if (field.id == 2) return reader.ReadInt32(field, "compressed_page_size", &length);
        if (field.id == 3) return reader.ReadInt64(field, "first_row_index", &first_row);
        return reader.Skip(field, "page_locations");
      }));
      return AddPage(offset, length, first_row, group, reader, &pages);
    });
  }));
  if (!reader.done()) return reader.Fail("parquet offset index is shorter than its length", "offset_index");
  if (pages.empty() && group.rows > 0) return reader.Fail("parquet offset index names no pages", "page_locations");
  return pages;
}

}  // namespace lakestream
