import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.parquet.avro.AvroParquetReader;
import org.apache.parquet.avro.AvroParquetWriter;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;

/**
 * Compacted files as parquet-avro reads and writes them. A payload is its length, four bytes, least significant first,
 * and its bytes.
 *   read FILE...           of each file its Avro schema as a payload, then all of its rows, to standard output
 *   write SCHEMA CODEC,FILE...     payloads from standard input to each of the files; one whose name begins with
 *                                  "dictionary" gets one
 * What is written is small: rows are held in memory.
 */
public final class ParquetRows {
  public static void main(String[] arguments) throws IOException {
    if (arguments.length >= 2 && arguments[0].equals("read")) {
      ByteArrayOutputStream rows = new ByteArrayOutputStream();
      for (String file : Arrays.asList(arguments).subList(1, arguments.length)) read(Path.of(file), rows);
      rows.writeTo(System.out);
      System.out.flush();
    } else if (arguments.length >= 3 && arguments[0].equals("write")) {
      List<byte[]> payloads = take(new DataInputStream(System.in));
      Schema schema = new Schema.Parser().parse(arguments[1]);
      for (String file : Arrays.asList(arguments).subList(2, arguments.length)) {
        String[] parts = file.split(",", 2);
        write(Path.of(parts[1]), CompressionCodecName.valueOf(parts[0]), schema, payloads);
      }
    } else {
      throw new IllegalArgumentException("usage: read FILE... | write SCHEMA CODEC,FILE...");
    }
  }

  private static void read(Path file, ByteArrayOutputStream rows) throws IOException {
    try (ParquetReader<GenericRecord> reader =
        AvroParquetReader.<GenericRecord>builder(new LocalInputFile(file)).withDataModel(GenericData.get()).build()) {
      Schema schema = null;
      for (GenericRecord row = reader.read(); row != null; row = reader.read()) {
        if (schema == null) {
          schema = row.getSchema();
          put(rows, schema.toString().getBytes(StandardCharsets.UTF_8));
        }
        ByteBuffer payload = ((ByteBuffer) row.get("payload")).duplicate();
        byte[] bytes = new byte[payload.remaining()];
        payload.get(bytes);
        put(rows, bytes);
      }
    }
  }

  private static void write(Path file, CompressionCodecName codec, Schema schema, List<byte[]> payloads)
      throws IOException {
    try (ParquetWriter<GenericRecord> writer =
        AvroParquetWriter.<GenericRecord>builder(new LocalOutputFile(file))
            .withSchema(schema)
            .withCompressionCodec(codec)
            .withDictionaryEncoding(file.getFileName().toString().startsWith("dictionary"))
            .withRowGroupSize(256L << 10)
            .withPageSize(20_000)
            .build()) {
      for (byte[] payload : payloads) {
        GenericRecord row = new GenericData.Record(schema);
        row.put("payload", ByteBuffer.wrap(payload));
        writer.write(row);
      }
    }
  }

  private static List<byte[]> take(DataInputStream in) throws IOException {
    List<byte[]> payloads = new ArrayList<>();
    while (true) {
      int length;
      try {
        length = Integer.reverseBytes(in.readInt());
      } catch (EOFException end) {
        return payloads;
      }
      payloads.add(in.readNBytes(length));
    }
  }

  private static void put(ByteArrayOutputStream out, byte[] bytes) throws IOException {
    out.write(ByteBuffer.allocate(4).putInt(Integer.reverseBytes(bytes.length)).array());
    out.write(bytes);
  }
}
