#include "parquet/page.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/compression/compression.h"
#include "codec/compression/crc32.h"
#include "codec/compression/lz4_block.h"
#include "parquet/rle_runs.h"
#include "parquet/thrift_reader.h"

namespace lakestream {

namespace {

constexpr std::int32_t kPlain = 0;
constexpr std::int32_t kPlainDictionary = 2;
constexpr std::int32_t kRle = 3;
constexpr std::int32_t kRleDictionary = 8;

constexpr std::size_t kLengthBytes = 4;
constexpr int kMaxIndexBits = 32;

std::uint32_t LittleEndian32(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

/// The header as it stands there; -1 where a number does not.
class PageHeaderDecoder {
 public:
  PageHeaderDecoder(ByteSpan bytes, std::uint64_t base, std::string_view object)
      : reader_(bytes, object, base), bytes_(bytes), base_(base) {}

  Result<ParquetPageHeader> Run() {
    LS_TRY(reader_.ReadStruct("page_header", [&](ThriftField field) { return ReadField(field); }));
    header_.header_size = reader_.offset() - base_;
    const std::uint64_t rest = bytes_.size() - header_.header_size;
    if (decoded_size_ < 0) return Fail("parquet page has no size", "uncompressed_page_size");
    if (stored_size_ < 0 || std::cmp_greater(stored_size_, rest)) {
      return Fail("parquet page does not end within its column", "compressed_page_size")
          .With("size", stored_size_)
          .With("remaining", rest);
    }
    header_.decoded_size = static_cast<std::uint64_t>(decoded_size_);
    header_.stored_size = static_cast<std::uint64_t>(stored_size_);
    LS_TRY(CheckType());
    if (values_ < 0) return Fail("parquet page has no count of its values", "num_values");
    header_.values = values_;
    if (header_.type == ParquetPageType::kDataV2) LS_TRY(CheckVersion2());
    return header_;
  }

 private:
  Status Fail(std::string_view sentence, std::string_view field) const {
    return CorruptAt(sentence, reader_.object(), field, base_);
  }

  Status ReadField(ThriftField field) {
    switch (field.id) {
      case 1:
        return reader_.ReadInt32(field, "type", &type_);
      case 2:
        return reader_.ReadInt32(field, "uncompressed_page_size", &decoded_size_);
      case 3:
        return reader_.ReadInt32(field, "compressed_page_size", &stored_size_);
      case 4: {
        std::int32_t crc = 0;
        LS_TRY(reader_.ReadInt32(field, "crc", &crc));
        header_.crc = static_cast<std::uint32_t>(crc);
        return OkStatus();
      }
      case 5:
      case 7:
      case 8:
        if (field.type != ThriftType::kStruct) return reader_.Fail("thrift value has another type", "page_header");
        kind_ = field.id;
        return reader_.ReadStruct("page_header", [&](ThriftField inner) {
          return field.id == 8 ? ReadVersion2(inner) : ReadVersion1(inner);
        });
      default:
        return reader_.Skip(field, "page_header");
    }
  }

  /// A data page of version 1, or a dictionary.
  Status ReadVersion1(ThriftField field) {
    switch (field.id) {
      case 1:
        return reader_.ReadInt32(field, "num_values", &values_);
      case 2:
        return reader_.ReadInt32(field, "encoding", &header_.encoding);
      case 3:
        if (kind_ == 7) break;
        return reader_.ReadInt32(field, "definition_level_encoding", &header_.level_encoding);
      default:
        break;
    }
    return reader_.Skip(field, "page_header");
  }

  Status ReadVersion2(ThriftField field) {
    switch (field.id) {
      case 1:
        return reader_.ReadInt32(field, "num_values", &values_);
      case 2:
        return reader_.ReadInt32(field, "num_nulls", &nulls_);
      case 3:
        return reader_.ReadInt32(field, "num_rows", &rows_);
      case 4:
        return reader_.ReadInt32(field, "encoding", &header_.encoding);
      case 5:
        return reader_.ReadInt32(field, "definition_levels_byte_length", &level_size_);
      case 6:
        return reader_.ReadInt32(field, "repetition_levels_byte_length", &repetition_size_);
      case 7:
        return reader_.ReadBool(field, "is_compressed", &header_.compressed);
      default:
        return reader_.Skip(field, "page_header");
    }
  }

  Status CheckType() {
    constexpr std::pair<std::int32_t, std::int32_t> kKinds[] = {{0, 5}, {2, 7}, {3, 8}};
    for (const auto& [type, kind] : kKinds) {
      if (type_ != type || kind_ != kind) continue;
      header_.type = static_cast<ParquetPageType>(type);
      return OkStatus();
    }
    return Fail("parquet page is neither data nor a dictionary", "type").With("type", type_);
  }

  Status CheckVersion2() {
    if (rows_ != values_) return Fail("parquet page has not one value for each row", "num_rows").With("rows", rows_);
    if (nulls_ != 0) return Fail("parquet row has no payload", "num_nulls").With("nulls", nulls_);
    if (repetition_size_ != 0) return Fail("parquet column payload repeats", "repetition_levels_byte_length");
    if (level_size_ < 0 || std::cmp_greater(level_size_, std::min(header_.stored_size, header_.decoded_size))) {
      return Fail("parquet levels do not end within their page", "definition_levels_byte_length")
          .With("size", level_size_);
    }
    header_.level_size = static_cast<std::uint64_t>(level_size_);
    header_.level_encoding = kRle;
    return OkStatus();
  }

  ThriftReader reader_;
  const ByteSpan bytes_;
  const std::uint64_t base_;
  ParquetPageHeader header_;
  std::int32_t kind_ = 0;  ///< the field in which the rest of the header came
  std::int32_t type_ = -1;
  std::int32_t decoded_size_ = -1;
  std::int32_t stored_size_ = -1;
  std::int32_t values_ = -1;
  std::int32_t nulls_ = -1;
  std::int32_t rows_ = -1;
  std::int32_t level_size_ = -1;
  std::int32_t repetition_size_ = -1;
};

/// One page's bytes, decompressed, and the checks that need them.
class PageBody {
 public:
  PageBody(const ParquetPageContext& context, const ParquetPageHeader& header, std::uint64_t base)
      : context_(context), header_(header), base_(base) {}

  Status Open(const Buffer& stored) {
    if (header_.crc.has_value() && Crc32(stored.span()) != *header_.crc) {
      return Fail("parquet page has another checksum than its header says", "crc");
    }
    if (header_.decoded_size > context_.max_page_bytes) {
      return ResourceExhausted("parquet page is larger than is allowed")
          .With("object", context_.object)
          .With("offset", base_)
          .With("size", header_.decoded_size)
          .With("limit", context_.max_page_bytes);
    }
    levels_ = stored.Slice(0, header_.level_size);
    LS_ASSIGN(values_, Decompress(stored.Slice(header_.level_size, stored.size() - header_.level_size)));
    if (header_.level_size + values_.size() != header_.decoded_size) {
      return Fail("parquet page has another size than its header says", "uncompressed_page_size")
          .With("size", header_.level_size + values_.size())
          .With("expected", header_.decoded_size);
    }
    return OkStatus();
  }

  /// Each row of a data page has a value. Leaves the values alone.
  Status CheckLevels() {
    if (!context_.nullable) {
      if (header_.level_size != 0) return Fail("parquet column payload has levels", "definition_levels_byte_length");
      return OkStatus();
    }
    if (header_.level_encoding != kRle) return BadEncoding("definition_level_encoding", header_.level_encoding);
    if (header_.type == ParquetPageType::kData) {
      const std::size_t size = values_.size() < kLengthBytes ? 0 : LittleEndian32(values_.data());
      if (values_.size() < kLengthBytes || size > values_.size() - kLengthBytes) {
        return Fail("parquet levels do not end within their page", "definition_levels");
      }
      levels_ = values_.Slice(kLengthBytes, size);
      values_ = values_.Slice(kLengthBytes + size, values_.size() - kLengthBytes - size);
    }
    bool null = false;
    const bool whole = ReadRleRuns(levels_.span(), 1, header_.values, [&](std::uint32_t level, std::int64_t) {
      null = level == 0;
      return !null;
    });
    if (null) return Fail("parquet row has no payload", "definition_levels");
    return whole ? OkStatus() : Fail("parquet levels are not one for each row", "definition_levels");
  }

  /// The values [first, first + count) of plain encoding; all of them are walked.
  Status ReadPlain(std::int64_t first, std::int64_t count, std::vector<Buffer>* out) {
    const ByteSpan bytes = values_.span();
    std::size_t at = 0;
    for (std::int64_t i = 0; i < header_.values; ++i) {
      if (bytes.size() - at < kLengthBytes) return BadValues();
      const std::size_t size = LittleEndian32(bytes.data() + at);
      at += kLengthBytes;
      if (size > bytes.size() - at) return BadValues();
      if (i >= first && i - first < count) out->push_back(values_.Slice(at, size));
      at += size;
    }
    return at == bytes.size() ? OkStatus() : BadValues();
  }

  Status ReadIndices(const std::vector<Buffer>& dictionary, std::int64_t first, std::int64_t count,
                     std::vector<Buffer>* out) {
    const ByteSpan bytes = values_.span();
    if (bytes.empty() || bytes[0] > kMaxIndexBits) return BadValues();
    std::int64_t row = 0;
    bool beyond = false;
    const bool whole =
        ReadRleRuns(bytes.subspan(1), bytes[0], header_.values, [&](std::uint32_t index, std::int64_t times) {
          beyond = index >= dictionary.size();
          if (beyond) return false;
          const std::int64_t from = std::max(row, first);
          row += times;
          for (std::int64_t i = from; i < std::min(row, first + count); ++i) out->push_back(dictionary[index]);
          return true;
        });
    if (beyond) return Fail("parquet value is not in the dictionary", "values").With("entries", dictionary.size());
    return whole ? OkStatus() : BadValues();
  }

  Status BadEncoding(std::string_view field, std::int32_t encoding) const {
    return Unimplemented("parquet page has an encoding that is not read")
        .With("object", context_.object)
        .With("field", field)
        .With("offset", base_)
        .With("encoding", encoding);
  }

 private:
  Status Fail(std::string_view sentence, std::string_view field) const {
    return CorruptAt(sentence, context_.object, field, base_);
  }
  Status BadValues() const {
    return Fail("parquet values are not one for each row", "values").With("rows", header_.values);
  }

  /// Memory follows what really comes out, up to what the header says.
  Result<Buffer> Decompress(const Buffer& stored) const {
    const std::uint64_t limit = header_.decoded_size - header_.level_size;
    if (context_.codec == ParquetCodec::kNone || !header_.compressed) return stored;
    // Some writers leave out what compresses to nothing.
    if (stored.empty() && limit == 0) return stored;
    Result<Buffer> plain = context_.codec == ParquetCodec::kLz4
                               ? DecompressLz4Block(stored.span(), limit)
                               : lakestream::Decompress(CodecOf(context_.codec), stored.span(), limit);
    if (plain.ok()) return plain;
    return Fail("parquet page cannot be decompressed to the size that its header says", "page")
        .With("reason", plain.status().message());
  }

  static Compression CodecOf(ParquetCodec codec) {
    switch (codec) {
      case ParquetCodec::kSnappy:
        return Compression::kSnappy;
      case ParquetCodec::kGzip:
        return Compression::kGzip;
      default:
        return Compression::kZstd;
    }
  }

  const ParquetPageContext& context_;
  const ParquetPageHeader& header_;
  const std::uint64_t base_;
  Buffer levels_;
  Buffer values_;
};

}  // namespace

Result<ParquetPageHeader> DecodeParquetPageHeader(ByteSpan bytes, std::uint64_t base, std::string_view object) {
  return PageHeaderDecoder(bytes, base, object).Run();
}

Result<std::vector<Buffer>> DecodeParquetDictionary(const ParquetPageContext& context, const ParquetPageHeader& header,
                                                    const Buffer& stored, std::uint64_t base) {
  PageBody body(context, header, base);
  if (header.encoding != kPlain && header.encoding != kPlainDictionary) {
    return body.BadEncoding("encoding", header.encoding);
  }
  LS_TRY(body.Open(stored));
  std::vector<Buffer> entries;
  LS_TRY(body.ReadPlain(0, header.values, &entries));
  return entries;
}

Status DecodeParquetDataPage(const ParquetPageContext& context, const ParquetPageHeader& header, const Buffer& stored,
                             std::uint64_t base, const std::vector<Buffer>& dictionary, std::int64_t first,
                             std::int64_t count, std::vector<Buffer>* payloads) {
  PageBody body(context, header, base);
  LS_TRY(body.Open(stored));
  LS_TRY(body.CheckLevels());
  switch (header.encoding) {
    case kPlain:
      return body.ReadPlain(first, count, payloads);
    case kPlainDictionary:
    case kRleDictionary:
      return body.ReadIndices(dictionary, first, count, payloads);
    default:
      return body.BadEncoding("encoding", header.encoding);
  }
}

}  // namespace lakestream
