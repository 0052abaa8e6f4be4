#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/time.h"
#include "base/try.h"
#include "cli/argument_values.h"
#include "cli/named_command.h"
#include "cli/option_checks.h"

namespace lakestream {
namespace {

constexpr const char* kDeploymentText =
    "A deployment's folder, or a configuration that ends in .toml; default: $LAKESTREAM_DEPLOYMENT, else ./data";

constexpr const char* kAbout =
    "Durable, ordered logs on object storage. \"lakestream help COMMAND\" describes a command with its options.\n"
    "A deployment is one folder, ./data unless --deployment or $LAKESTREAM_DEPLOYMENT names another.";

/// The options as the command line names them; what belongs together is sorted out afterwards.
struct Parsed {
  CommonOptions common;
  std::optional<std::string> deployment;
  StreamCreateOptions create;
  StreamListOptions list;
  StreamDescribeOptions describe;
  StreamGrowOptions grow;
  StreamSetOptions set;
  StreamIsolateOptions isolate;
  StreamDropOptions drop;
  StreamPurgeOptions purge;
  AppendOptions append;
  ReadOptions read;
  std::string from = "first";
  std::optional<std::string> since;
  std::string format = "text";
  std::vector<std::string> headers;
  std::string compression = "none";
  std::string file_compression = "zstd";
  TrimOptions trim;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> through;
  InspectWalOptions inspect_wal;
  InspectIndexOptions inspect_index;
  InspectMetaOptions inspect_meta;
  InspectBatchOptions inspect_batch;
  InspectCompactedOptions inspect_compacted;
  InspectCompanionOptions inspect_companion;
  CompactCommandOptions compact;
  RetainCommandOptions retain;
  GcCommandOptions gc;
  RunCommandOptions run;
  CostOptions cost;
  FsckCommandOptions fsck;
  BackupOptions backup;
  RestoreOptions restore;
  HoldListOptions hold_list;
  HoldAddOptions hold_add;
  HoldReleaseOptions hold_release;
  std::string log_level;
  std::optional<std::string> metrics;
  BenchCommandOptions bench;
  std::vector<std::string> help_of;
  std::string shell;
  bool version = false;
  VersionOptions version_options;
};

/// The command line's grammar. What is below a command is defined once that is named: there are more than a hundred
/// options, and a command line needs those of one command. CLI11 takes the positional argument "read" of "append read"
/// for a command unless each level takes one command at most, so every level says so.
class Grammar {
 public:
  explicit Grammar(Parsed* parsed) : app(kAbout, "lakestream") {
    app.footer(Footer(
        "  lakestream stream create greetings\n"
        "  printf 'hello\\nworld\\n' | lakestream append greetings\n"
        "  lakestream read greetings\n"
        "  lakestream help append\n"));
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "Print this help");
    app.add_flag("--version", parsed->version, "Print the version");
    stream = app.add_subcommand("stream", "Create, list, describe, change and drop streams");
    DefineGroup(stream, "  lakestream stream create flights --partitions 3\n",
                [this, parsed] { DefineStream(parsed); });
    DefineAppend(parsed);
    DefineRead(parsed);
    DefineTrim(parsed);
    inspect = app.add_subcommand("inspect", "Show what is stored, field by field");
    DefineGroup(inspect, "  lakestream inspect meta --keys\n", [this, parsed] { DefineInspect(parsed); });
    DefineCompact(parsed);
    DefineRetain(parsed);
    DefineGc(parsed);
    DefineRun(parsed);
    DefineCost(parsed);
    DefineFsck(parsed);
    DefineBackup(parsed);
    hold = app.add_subcommand("hold", "Keep the objects of a deployment from being collected");
    DefineGroup(hold, "  lakestream hold list\n", [this, parsed] { DefineHold(parsed); });
    DefineBench(parsed);
    DefineAboutItself(parsed);
  }

  /// Defines what is below a command, unless that was done.
  void Define(const CLI::App* command) {
    if (const auto definition = definitions_.extract(command)) definition.mapped()();
  }

  CLI::App app;
  CLI::App* stream = nullptr;
  CLI::App* create = nullptr;
  CLI::App* list = nullptr;
  CLI::App* describe = nullptr;
  CLI::App* grow = nullptr;
  CLI::App* set = nullptr;
  CLI::App* isolate = nullptr;
  CLI::App* drop = nullptr;
  CLI::App* purge = nullptr;
  CLI::App* append = nullptr;
  CLI::App* read = nullptr;
  CLI::App* trim = nullptr;
  CLI::App* inspect = nullptr;
  CLI::App* inspect_wal = nullptr;
  CLI::App* inspect_index = nullptr;
  CLI::App* inspect_meta = nullptr;
  CLI::App* inspect_batch = nullptr;
  CLI::App* inspect_compacted = nullptr;
  CLI::App* inspect_companion = nullptr;
  CLI::App* compact = nullptr;
  CLI::App* retain = nullptr;
  CLI::App* gc = nullptr;
  CLI::App* run = nullptr;
  CLI::App* cost = nullptr;
  CLI::App* fsck = nullptr;
  CLI::App* backup = nullptr;
  CLI::App* restore = nullptr;
  CLI::App* hold = nullptr;
  CLI::App* hold_list = nullptr;
  CLI::App* hold_add = nullptr;
  CLI::App* hold_release = nullptr;
  CLI::App* bench = nullptr;
  CLI::App* completion = nullptr;
  CLI::App* version = nullptr;
  CLI::App* help = nullptr;

 private:
  static std::string Footer(const char* examples) {
    return std::string("Examples:\n") + examples + "\n" + kExitCodeHelp;
  }

  /// Defines what is below a command when that is named. `examples`: lines for the end of its help.
  void WhenNamed(CLI::App* command, const char* examples, std::function<void()> definition) {
    definitions_.emplace(command, [command, examples, definition = std::move(definition)] {
      command->footer(Footer(examples));
      definition();
    });
    command->preparse_callback([this, command](std::size_t) { Define(command); });
  }
  void DefineGroup(CLI::App* command, const char* examples, std::function<void()> definition) {
    command->require_subcommand(0, 1);
    WhenNamed(command, examples, std::move(definition));
  }

  static void AddCommon(CLI::App* command, Parsed* parsed) {
    command->add_option("--deployment", parsed->deployment, kDeploymentText)->type_name("DIR|CONFIG");
    AddTalk(command, parsed);
  }
  static void AddTalk(CLI::App* command, Parsed* parsed, const std::string& level = "warning") {
    command->add_flag("-q,--quiet", parsed->common.quiet, "On standard error only what went wrong");
    command
        ->add_option("--log-level", parsed->log_level,
                     "debug, info, warning or error; default: $LAKESTREAM_LOG, else " + level)
        ->type_name("LEVEL");
  }
  static void AddMetrics(CLI::App* command, Parsed* parsed) {
    command->add_option("--metrics", parsed->metrics, "Serve metrics at http://HOST:PORT/metrics; without a HOST for this machine alone")
        ->type_name("HOST:PORT");
  }
  static void AddName(CLI::App* command, std::string* name) {
    command->add_option("NAME", *name, "The stream: name, or namespace/name")->required()->type_name("");
  }
  static void AddPartition(CLI::App* command, std::optional<int>* partition, const char* text) {
    command->add_option("--partition", *partition, text)->check(Within(0, 9999))->type_name("N");
  }

  void DefineStream(Parsed* parsed) {
    create = stream->add_subcommand("create", "Create a stream, and the deployment where there is none");
    WhenNamed(create,
              "  lakestream stream create flights --partitions 3\n"
              "  lakestream stream create frames --binding raw --deployment /srv/lake\n",
              [this, parsed] {
      AddName(create, &parsed->create.name);
      create->add_option("--partitions", parsed->create.partitions, "1 to 10000; default 1")
          ->check(Within(1, 10000))
          ->type_name("N");
      create
          ->add_option("--binding", parsed->create.binding,
                       "What entries are: kafka record batches (default), or raw bytes")
          ->type_name("raw|kafka");
      create->add_flag("--json", parsed->create.json, "Print one JSON object");
      AddCommon(create, parsed);
    });
    list = stream->add_subcommand("list", "List the streams with their partitions and state");
    WhenNamed(list, "  lakestream stream list\n", [this, parsed] {
      list->add_flag("--json", parsed->list.json, "Print a JSON array");
      AddCommon(list, parsed);
    });
    describe = stream->add_subcommand("describe", "Show a stream: offsets, sizes, trim markers, leases and fences");
    WhenNamed(describe,
              "  lakestream stream describe flights\n"
              "  lakestream stream describe flights --json\n",
              [this, parsed] {
      AddName(describe, &parsed->describe.name);
      describe->add_flag("--json", parsed->describe.json, "Print one JSON object");
      AddCommon(describe, parsed);
    });
    DefineStreamChanges(parsed);
  }

  void DefineStreamChanges(Parsed* parsed) {
    grow = stream->add_subcommand("grow", "Add partitions; readers see all new ones at once. There is no way back");
    WhenNamed(grow, "  lakestream stream grow flights --partitions 6\n", [this, parsed] {
      AddName(grow, &parsed->grow.name);
      grow->add_option("--partitions", parsed->grow.partitions, "How many there are to be, 1 to 10000")
          ->check(Within(1, 10000))
          ->required()
          ->type_name("N");
      grow->add_flag("--json", parsed->grow.json, "Print one JSON object");
      AddCommon(grow, parsed);
    });
    set = stream->add_subcommand("set", "Set and remove properties of a stream, and print those it has then");
    WhenNamed(set, "  lakestream stream set flights retention=7d --unset owner\n", [this, parsed] {
      AddName(set, &parsed->set.name);
      set->add_option("PROPERTY", parsed->set.set, "NAME=VALUE, any number of them")->type_name("");
      set->add_option("--unset", parsed->set.unset, "Remove this property; may be repeated")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->type_name("PROPERTY");
      set->add_option("--revision", parsed->set.revision,
                      "Only if the stream still has this revision (stream describe)")
          ->check(Within(0))
          ->type_name("N");
      set->add_flag("--json", parsed->set.json, "Print one JSON object");
      AddCommon(set, parsed);
    });
    isolate = stream->add_subcommand(
        "isolate",
        "From now on, put the stream's entries into objects of their own: where they cannot be compacted, they keep\n"
        "nothing of other streams from being deleted. Costs a PUT more for each flush of each partition.");
    WhenNamed(isolate,
              "  lakestream stream isolate flights --partition 2\n"
              "  lakestream stream isolate flights --end\n",
              [this, parsed] {
      AddName(isolate, &parsed->isolate.name);
      AddPartition(isolate, &parsed->isolate.partition, "Only this one");
      isolate->add_flag("--end", parsed->isolate.end, "Share objects again");
      isolate->add_flag("--json", parsed->isolate.json, "Print one JSON object");
      AddCommon(isolate, parsed);
    });
    drop = stream->add_subcommand(
        "drop",
        "Drop a stream with all its entries, for ever: its name cannot be used again, but for Kafka topics.\n"
        "Waits up to 30 seconds for writers; ends with 3 where something is left, and may be repeated.");
    WhenNamed(drop, "  lakestream stream drop flights\n", [this, parsed] {
      AddName(drop, &parsed->drop.name);
      drop->add_flag("--json", parsed->drop.json, "Print one JSON object");
      AddCommon(drop, parsed);
    });
    purge = stream->add_subcommand(
        "purge", "Finish drops that were cut short, and remove what was written late into dropped streams");
    WhenNamed(purge,
              "  lakestream stream purge\n"
              "  lakestream stream purge flights\n",
              [this, parsed] {
      purge->add_option("NAME", parsed->purge.name, "A dropped stream; without it all of them")->type_name("");
      purge->add_flag("--json", parsed->purge.json, "Print one JSON object");
      AddCommon(purge, parsed);
    });
  }

  void DefineAppend(Parsed* parsed) {
    append = app.add_subcommand(
        "append",
        "Append each line of the input, without its LF, as one record: of a kafka stream in batches, of a raw stream\n"
        "as an entry of its own.\n"
        "Ends with 0 only when every line is acknowledged: durable and in order.\n"
        "Without --partition, line 1 goes to partition 0, line 2 to partition 1, and so on around.\n"
        "A line may have up to 64 MiB, in a batch 1 % less.");
    WhenNamed(append,
              "  lakestream append flights flights.csv\n"
              "  tail -f app.log | lakestream append logs --offsets\n"
              "  lakestream append flights flights.csv --partition 2 --key ua --header source=csv --compression zstd\n",
              [this, parsed] {
      AddName(append, &parsed->append.stream);
      append->add_option("FILE", parsed->append.file, "Default, or \"-\": standard input")->type_name("");
      AddPartition(append, &parsed->append.partition, "All lines to this partition, from 0");
      append->add_flag("--raw", parsed->append.raw, "The whole input is one entry, or of a kafka stream one record");
      append->add_flag("--offsets", parsed->append.offsets,
                       "Print \"LINE PARTITION OFFSET\" for each record as soon as it is acknowledged");
      append->add_flag("--json", parsed->append.json, "Print the summary as one JSON object on standard output");
      DefineBatches(parsed);
      AddMetrics(append, parsed);
      AddCommon(append, parsed);
    });
  }

  void DefineBatches(Parsed* parsed) {
    append->add_option("--key", parsed->append.batching.key, "Key of every record; default: none")->type_name("TEXT");
    append
        ->add_option("--header", parsed->headers, "A header of every record; may be given several times")
        ->check(NameAndValue())
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME=VALUE");
    append->add_option("--timestamp", parsed->append.timestamp_ms, "Of every record, in ms since 1970; default: now")
        ->check(Within(0))
        ->type_name("MS");
    append->add_option("--compression", parsed->compression, "none (default), gzip, snappy, lz4 or zstd")
        ->check(CLI::IsMember({"none", "gzip", "snappy", "lz4", "zstd"}).description(""))
        ->type_name("CODEC");
    append
        ->add_option("--batch", parsed->append.batching.lines,
                     "So many lines in each batch, fewer above 1000000 bytes; default: what has come")
        ->check(Within(1, 1'000'000))
        ->type_name("N");
    append->add_flag("--payload", parsed->append.payload, "The whole input is one entry: record batches, which are checked");
  }

  void DefineRead(Parsed* parsed) {
    read = app.add_subcommand(
        "read",
        "Write records, of a raw stream entries, to standard output, an LF after each unless --format says otherwise.\n"
        "Without --partition: all partitions one after another, with --follow as entries come.\n"
        "Without --follow it ends where the log ended when the command began.");
    WhenNamed(read,
              "  lakestream read flights\n"
              "  lakestream read flights --partition 0 --from 100 --max 10 --format json\n"
              "  lakestream read logs --from end --follow\n"
              "  lakestream read logs --since 10m\n",
              [this, parsed] {
      AddName(read, &parsed->read.stream);
      AddPartition(read, &parsed->read.partition, "Only this partition, from 0; default: all");
      read->add_option("--from", parsed->from, "An offset, \"first\" (default) or \"end\"")->type_name("OFFSET");
      read->add_option("--since", parsed->since,
                       "In place of --from: the first entry with this time or a later one, as 2026-11-30T12:00:00Z,\n"
                       "as milliseconds since 1970, or as an age: 10m, 2h, 1d")
          ->type_name("TIME");
      read->add_option("--max", parsed->read.max, "At most so many records, of a raw stream entries; default: all")
          ->check(Within(1))
          ->type_name("N");
      read->add_flag("--follow", parsed->read.follow, "Wait for more, until --max records or a signal");
      AddMetrics(read, parsed);
      read->add_option("--format", parsed->format,
                       "text (default): an LF after each value; raw: nothing between them; hex: a value a line in hexadecimal;\n"
                       "full: offset, time, key, headers and value with tabs between them; json: an object a line")
          ->type_name("FORMAT");
      read->add_flag("--no-final-lf", parsed->read.no_final_lf,
                     "No LF after the last one: gives back an input that did not end in LF");
      read->add_option("--binding", parsed->read.binding,
                       "Take entries for raw or kafka; default: what the stream says")
          ->check(CLI::IsMember({"raw", "kafka"}).description(""))
          ->type_name("raw|kafka");
      AddCommon(read, parsed);
    });
  }

  void DefineInspect(Parsed* parsed) {
    inspect_wal = inspect->add_subcommand("wal", "Show a WAL object: sizes, sections, entries and checksum");
    WhenNamed(inspect_wal,
              "  lakestream inspect wal 2026/11/30/12/0747-a61c6c36-c3d1-46db-a175-29e1c81ebd1f\n",
              [this, parsed] {
      inspect_wal
          ->add_option("SOURCE", parsed->inspect_wal.source,
                       "A file, \"-\" for standard input, or an object's key; with --deployment always a key")
          ->required()
          ->type_name("");
      AddInspectOptions(inspect_wal, parsed, &parsed->inspect_wal.json);
    });
    inspect_index = inspect->add_subcommand("index", "Show an index record, with its entry boundaries and files");
    WhenNamed(inspect_index,
              "  lakestream inspect index 00000000000000000014-00000000000000000005-00000000000000000232\n",
              [this, parsed] {
      inspect_index
          ->add_option("SOURCE", parsed->inspect_index.source,
                       "The record's key, a file with its value, or \"-\"; with --deployment always a key")
          ->type_name("");
      inspect_index->add_option("--hex", parsed->inspect_index.hex, "The value in hexadecimal digits")
          ->type_name("TEXT");
      inspect_index->add_option("--base64", parsed->inspect_index.base64, "The value in Base64")->type_name("TEXT");
      AddInspectOptions(inspect_index, parsed, &parsed->inspect_index.json);
    });
    inspect_meta = inspect->add_subcommand(
        "meta", "Show a record of the metadata store, or list records\nWithout KEY it lists all.");
    WhenNamed(inspect_meta,
              "  lakestream inspect meta --keys 00000000000000000014\n"
              "  lakestream inspect meta --verify\n",
              [this, parsed] {
      inspect_meta->add_option("KEY", parsed->inspect_meta.key, "The record's key; with --keys: how the keys begin")
          ->type_name("");
      inspect_meta->add_flag("--keys", parsed->inspect_meta.keys, "List the records whose keys begin with KEY");
      inspect_meta->add_flag("--verify", parsed->inspect_meta.verify,
                             "Check that every record is there and as written");
      AddInspectOptions(inspect_meta, parsed, &parsed->inspect_meta.json);
    });
    inspect_batch = inspect->add_subcommand("batch", "Check the Kafka record batches of an entry's payload, and show them");
    WhenNamed(inspect_batch,
              "  lakestream read flights --binding raw --format raw --from 100 --max 1 | lakestream inspect batch -\n",
              [this, parsed] {
      inspect_batch->add_option("FILE", parsed->inspect_batch.file, "The payload; \"-\": standard input")
          ->required()
          ->type_name("");
      AddInspectOptions(inspect_batch, parsed, &parsed->inspect_batch.json);
    });
    DefineInspectCompacted(parsed);
  }
  void DefineInspectCompacted(Parsed* parsed) {
    inspect_compacted = inspect->add_subcommand(
        "compacted", "Check a compacted Parquet file and the companion beside it, row by row, and show them");
    WhenNamed(inspect_compacted,
              "  lakestream inspect compacted data/compacted/default/flights/lks-1.parquet\n",
              [this, parsed] {
      inspect_compacted->add_option("FILE", parsed->inspect_compacted.file, "The file; its name ends in .parquet")
          ->required()
          ->type_name("");
      AddInspectOptions(inspect_compacted, parsed, &parsed->inspect_compacted.json);
    });
    inspect_companion = inspect->add_subcommand("companion", "Show the rows of a compacted file's companion");
    WhenNamed(inspect_companion,
              "  lakestream inspect companion data/compacted/default/flights/lks-1.index\n",
              [this, parsed] {
      inspect_companion->add_option("FILE", parsed->inspect_companion.file, "The companion; \"-\": standard input")
          ->required()
          ->type_name("");
      AddInspectOptions(inspect_companion, parsed, &parsed->inspect_companion.json);
    });
  }
  static void AddInspectOptions(CLI::App* command, Parsed* parsed, bool* json) {
    command->add_flag("--json", *json, "Print one JSON object; of a listing one a line");
    AddCommon(command, parsed);
  }

  void DefineTrim(Parsed* parsed) {
    trim = app.add_subcommand(
        "trim",
        "Trim the beginning of a partition; its last record always stays.\n"
        "Takes one of --before and --through.");
    WhenNamed(trim, "  lakestream trim flights --partition 0 --before 1000\n", [this, parsed] {
      AddName(trim, &parsed->trim.stream);
      trim->add_flag("--json", parsed->trim.json, "Print one JSON object");
      AddPartition(trim, &parsed->trim.partition, "Needed where the stream has several partitions");
      const CLI::Validator range = Within(0, std::numeric_limits<std::int64_t>::max() - 1);
      trim->add_option("--before", parsed->before, "Trim the offsets below this one")
          ->check(range)
          ->type_name("OFFSET");
      trim->add_option("--through", parsed->through, "Trim the offsets up to and including this one")
          ->check(range)
          ->type_name("OFFSET");
      AddCommon(trim, parsed);
    });
  }

  void DefineCompact(Parsed* parsed) {
    compact = app.add_subcommand(
        "compact",
        "Turn old entries into Parquet files, which readers and query engines read.\n"
        "Takes what is large or old enough to be worth a file; any number of processes may do it at once.");
    WhenNamed(compact, "  lakestream compact --watch\n  lakestream compact --stream flights --now\n", [this, parsed] {
      compact->add_option("--stream", parsed->compact.streams, "Only this stream; may be given several times")
          ->type_name("NAME");
      compact->add_option("--compression", parsed->file_compression, "Of the files: zstd (default), gzip, snappy, lz4 or none")
          ->type_name("CODEC");
      compact->add_flag("--now", parsed->compact.now, "Take everything there is, however small and young");
      compact->add_flag("--watch", parsed->compact.watch, "Go on until SIGINT or SIGTERM, a look every 10 s");
      compact->add_flag("--dry-run", parsed->compact.dry_run, "Say of each partition what would be done, and why");
      compact->add_flag("--json", parsed->compact.json, "Print a JSON object a line");
      AddCommon(compact, parsed);
    });
  }

  void DefineRetain(Parsed* parsed) {
    retain = app.add_subcommand(
        "retain", "Let go what streams do not ask to keep: retention.ms, retention.bytes, lakestream.retention.records");
    WhenNamed(retain, "  lakestream retain --dry-run\n  lakestream retain --watch\n", [this, parsed] {
      retain->add_option("--stream", parsed->retain.streams, "Only this stream; may be repeated")->type_name("NAME");
      retain->add_flag("--watch", parsed->retain.watch, "Go on until SIGINT or SIGTERM, a pass every 60 s");
      retain->add_flag("--dry-run", parsed->retain.dry_run, "Say of each partition what would be done, and do nothing");
      retain->add_flag("--json", parsed->retain.json, "Print a JSON object a line");
      AddCommon(retain, parsed);
    });
  }

  void DefineGc(Parsed* parsed) {
    gc = app.add_subcommand(
        "gc",
        "Delete the objects that no record names any more.\n"
        "One pass finds them, and another one, more than the deployment's grace later, deletes them.");
    WhenNamed(gc, "  lakestream gc --watch\n  lakestream gc --explain wal/2026/11/30/14/0022-...\n", [this, parsed] {
      gc->add_flag("--dry-run", parsed->gc.dry_run, "Say what would be deleted now, and change nothing");
      gc->add_option("--explain", parsed->gc.explain, "Say what holds this object: wal/ or compacted/, and its name there")
          ->type_name("OBJECT");
      gc->add_flag("--watch", parsed->gc.watch, "Go on until SIGINT or SIGTERM, at least every 10 minutes");
      gc->add_flag("--json", parsed->gc.json, "Print a JSON object a line");
      AddCommon(gc, parsed);
    });
  }

  /// How often a job makes a pass. `otherwise`: without the option.
  template <class Every>
  static void AddEvery(CLI::App* command, const char* name, Every* every, const std::string& of, const std::string& otherwise) {
    const auto take = [every](const std::string& given) { *every = *ParseDuration(given); };
    const std::string text = "Between two passes of " + of + ", a tenth more or less; default: " + otherwise;
    command->add_option_function<std::string>(name, take, text)
        ->check(Period())
        ->type_name("TIME");
  }

  void DefineCost(Parsed* parsed) {
    cost = app.add_subcommand(
        "cost",
        "Say what the objects of a deployment cost a month, or the requests of running processes.\n"
        "Prices are those of S3 Standard in us-east-1 unless others are given; they are printed with the result.");
    WhenNamed(cost,
              "  lakestream cost\n"
              "  curl -s http://127.0.0.1:9464/metrics | lakestream cost --metrics -\n",
              [this, parsed] {
      cost->add_option("--metrics", parsed->cost.metrics,
                       "What a process serves, saved to a file; \"-\": standard input; may be given several times")
          ->expected(1)
          ->take_all()
          ->type_name("FILE");
      const auto price = [this](const char* name, double* to, const char* text) {
        cost->add_option(name, *to, text)->check(Price())->type_name("USD");
      };
      price("--put-price", &parsed->cost.prices.per_1000_puts, "Of 1000 requests that write or list; default: 0.005");
      price("--get-price", &parsed->cost.prices.per_1000_gets, "Of 1000 requests that read; default: 0.0004");
      price("--storage-price", &parsed->cost.prices.per_gb_month, "Of a GB for a month; default: 0.023");
      cost->add_flag("--json", parsed->cost.json, "Print one JSON object");
      AddCommon(cost, parsed);
    });
  }

  void DefineRun(Parsed* parsed) {
    run = app.add_subcommand(
        "run",
        "Do what a deployment needs again and again, until SIGINT or SIGTERM: compaction, retention and the\n"
        "collection of garbage.\n"
        "Any number of processes may do it at once. Prints a log line for each pass that did something, and for each log\n"
        "that failed.");
    WhenNamed(run, "  lakestream run /srv/lake\n  lakestream run --compact-every 1m --retain-every 10m\n", [this, parsed] {
      run->add_option("--deployment,DEPLOYMENT", parsed->deployment, kDeploymentText)->type_name("DIR|CONFIG");
      UpkeepOptions& upkeep = parsed->run.upkeep;
      AddEvery(run, "--compact-every", &upkeep.compact_every, "compaction", FormatDuration(upkeep.compact_every));
      AddEvery(run, "--retain-every", &upkeep.retain_every, "retention", FormatDuration(upkeep.retain_every));
      AddEvery(run, "--gc-every", &upkeep.collect_every, "collection", "a tenth of the grace, up to 10m");
      AddMetrics(run, parsed);
      AddTalk(run, parsed, "info");
    });
  }

  void DefineFsck(Parsed* parsed) {
    fsck = app.add_subcommand(
        "fsck",
        "Check the whole deployment: every record by itself and against the others, and the index against the objects.\n"
        "Prints a line for each finding. Ends with 0 where nothing is damaged, with 5 where something is.");
    WhenNamed(fsck, "  lakestream fsck --deep\n", [this, parsed] {
      fsck->add_flag("--deep", parsed->fsck.deep, "Read every byte of every object, too");
      fsck->add_flag("--json", parsed->fsck.json, "Print one JSON object");
      AddCommon(fsck, parsed);
    });
  }

  void DefineBackup(Parsed* parsed) {
    backup = app.add_subcommand(
        "backup",
        "Copy the metadata of a deployment into a new folder, while others go on using it.\n"
        "Objects are not copied. A copy is usable for less than the deployment's grace, 24 hours unless it was made with\n"
        "another; a hold makes that longer.");
    WhenNamed(backup, "  lakestream backup /backups/monday\n", [this, parsed] {
      backup->add_option("FOLDER", parsed->backup.folder, "Where the copy goes; nothing may be there")
          ->required()
          ->type_name("");
      backup->add_flag("--json", parsed->backup.json, "Print one JSON object");
      AddCommon(backup, parsed);
    });
    restore = app.add_subcommand(
        "restore",
        "Bring back the metadata of a deployment that has lost it. Its objects have to be in their place.\n"
        "Names the objects that are newer than the copy: their entries are in no index.");
    WhenNamed(restore, "  lakestream restore /backups/monday --to data\n", [this, parsed] {
      restore->add_option("BACKUP", parsed->restore.backup, "A folder that \"lakestream backup\" made")
          ->required()
          ->type_name("");
      restore
          ->add_option("--to", parsed->restore.to,
                       "The deployment's folder, or a configuration; no metadata may be there")
          ->required()
          ->type_name("DIR|CONFIG");
      restore->add_flag("--json", parsed->restore.json, "Print one JSON object");
      AddTalk(restore, parsed);
    });
  }

  void DefineHold(Parsed* parsed) {
    hold_list = hold->add_subcommand("list", "List the holds");
    WhenNamed(hold_list, "  lakestream hold list\n", [this, parsed] {
      hold_list->add_flag("--json", parsed->hold_list.json, "Print a JSON array");
      AddCommon(hold_list, parsed);
    });
    hold_add = hold->add_subcommand("add", "Add a hold");
    WhenNamed(hold_add, "  lakestream hold add monday --reason backup\n", [this, parsed] {
      hold_add->add_option("NAME", parsed->hold_add.name, "1 to 100 of a-z, 0-9 and -")->required()->type_name("");
      hold_add->add_option("--reason", parsed->hold_add.reason, "For whoever finds it")->required()->type_name("TEXT");
      AddCommon(hold_add, parsed);
    });
    hold_release = hold->add_subcommand("release", "Release a hold");
    WhenNamed(hold_release, "  lakestream hold release monday\n", [this, parsed] {
      hold_release->add_option("NAME", parsed->hold_release.name, "As \"hold list\" shows it")
          ->required()
          ->type_name("");
      AddCommon(hold_release, parsed);
    });
  }

  void DefineAboutItself(Parsed* parsed) {
    version = app.add_subcommand("version", "Print version, format version and compiler");
    WhenNamed(version, "  lakestream version --json\n", [this, parsed] {
      version->add_flag("--json", parsed->version_options.json, "Print one JSON object");
    });
    completion = app.add_subcommand(
        "completion",
        "Print a script that makes a shell complete this command: bash or zsh.\n"
        "For bash: source <(lakestream completion bash)");
    WhenNamed(completion, "  lakestream completion bash > lakestream.bash\n", [this, parsed] {
      completion->add_option("SHELL", parsed->shell, "bash or zsh")->required()->type_name("");
    });
    help = app.add_subcommand("help", "Print help for a command");
    WhenNamed(help, "  lakestream help stream create\n", [this, parsed] {
      help->add_option("COMMAND", parsed->help_of, "For example: append, or stream create")->type_name("");
    });
  }

  void DefineBench(Parsed* parsed) {
    bench = app.add_subcommand(
        "bench",
        "Measure this machine and compare with the budgets: memory, codec, batches, append-latency, append-throughput,\n"
        "sequenced-puts, lookup, catch-up, compacted-reads, compaction, put-rate, catalog, fsck, gc, processes, tail, or all (about ten minutes).\n"
        "Everything that is measured is also checked: ends with 5 where an entry is not what was appended.");
    WhenNamed(bench,
              "  lakestream bench append-latency\n"
              "  lakestream bench all --scale 0.01 --json\n",
              [this, parsed] {
      bench->add_option("NAME", parsed->bench.name, "A benchmark, or \"all\"")->required()->type_name("");
      bench->add_flag("--json", parsed->bench.json, "Print one JSON object");
      bench->add_flag("--break", parsed->bench.damage, "Lose or damage one entry: the checks must find it");
      bench->add_option("--scale", parsed->bench.scale,
                        "Do this share of the work, above 0 to 1 (default); below 1 judges no budget")
          ->check(Share())
          ->type_name("SHARE");
      bench->add_option("--objects", parsed->bench.objects, "Of gc: so many objects (10000)")
          ->check(Within(10, 100'000'000))
          ->type_name("N");
      bench->add_option("--records", parsed->bench.records, "Of gc: so many index records (1000000)")
          ->check(Within(10, 10'000'000'000))
          ->type_name("N");
      bench->add_option("--dir", parsed->bench.directory,
                        "Where a temporary folder is made; default: beside the deployment, without one $TMPDIR")
          ->type_name("DIR");
      bench->add_option("--deployment", parsed->common.deployment, kDeploymentText)->type_name("DIR|CONFIG");
    });
  }

  std::map<const CLI::App*, std::function<void()>> definitions_;  // that are not made yet
};

/// Whether the command line names the command.
bool Named(const CLI::App* command) { return command != nullptr && *command; }

Result<Invocation> HelpFor(const std::vector<std::string>& path) {
  // A grammar that has parsed nothing: one that has seen "help" would describe only that command.
  Parsed unused;
  Grammar grammar(&unused);
  const CLI::App* at = &grammar.app;
  std::string prefix = "lakestream";
  for (const std::string& name : path) {
    const std::vector<const CLI::App*> named =
        at->get_subcommands([&name](const CLI::App* command) { return command->check_name(name); });
    if (named.empty()) return Wrong("there is no command \"" + name + "\"", "");
    if (at != &grammar.app) prefix += " " + at->get_name();
    at = named.front();
    grammar.Define(at);
  }
  Invocation invocation;
  invocation.command = HelpOptions{at->help(at == &grammar.app ? "" : prefix)};
  return invocation;
}

/// The commands and options below one, as they were defined.
CommandShape ShapeOf(Grammar& grammar, const CLI::App& command) {
  grammar.Define(&command);
  CommandShape shape;
  shape.name = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    std::vector<std::string> names;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    const bool value = option->get_items_expected_max() > 0;
    const bool path = value && option->get_type_name().find("DIR") != std::string::npos;
    shape.options.insert(shape.options.end(), names.begin(), names.end());
    if (value) shape.values.insert(shape.values.end(), names.begin(), names.end());
    if (path) shape.paths.insert(shape.paths.end(), names.begin(), names.end());
  }
  for (const CLI::App* below : command.get_subcommands(std::function<bool(const CLI::App*)>())) {
    shape.commands.push_back(ShapeOf(grammar, *below));
  }
  return shape;
}

Result<CompletionOptions> CompletionFor(const std::string& shell) {
  CompletionOptions options;
  if (shell != "bash" && shell != "zsh") return Wrong("completion is for bash or zsh, not \"" + shell + "\"", "completion");
  options.shell = shell == "zsh" ? Shell::kZsh : Shell::kBash;
  // A grammar that has parsed nothing, as for help.
  Parsed unused;
  Grammar grammar(&unused);
  options.commands = ShapeOf(grammar, grammar.app);
  return options;
}

/// What belongs to streams of binding kafka.
Status ShapeRecords(Parsed* parsed, const CLI::App& append) {
  AppendOptions& options = parsed->append;
  int given = 0;
  for (const char* name : {"--key", "--header", "--timestamp", "--compression", "--batch"}) given += append.count(name) > 0;
  if (options.payload && (given > 0 || options.raw)) return Wrong("--payload is appended as it is; give it alone", "append");
  if (options.raw && options.batching.lines) return Wrong("--raw is one record; it takes no --batch", "append");
  options.shapes_records = given > 0 || options.payload;
  options.batching.compression = *FindCompression(parsed->compression);
  for (const std::string& header : parsed->headers) {
    const std::size_t equals = header.find('=');
    options.batching.headers.emplace_back(header.substr(0, equals), header.substr(equals + 1));
  }
  return OkStatus();
}

Status CheckTogether(Parsed* parsed, const Grammar& grammar) {
  if (parsed->metrics) {
    LS_ASSIGN(parsed->common.metrics, ParseMetrics(*parsed->metrics, NamedCommand(grammar.app)));
  }
  if (parsed->deployment && parsed->deployment->empty()) {
    return Wrong("--deployment is empty; give a folder or a configuration", NamedCommand(grammar.app));
  }
  if (Named(grammar.create) && parsed->create.binding != "raw" && parsed->create.binding != "kafka") {
    return Wrong("--binding is raw or kafka, not \"" + parsed->create.binding + "\"", "stream create");
  }
  if (Named(grammar.set) && parsed->set.set.empty() && parsed->set.unset.empty()) {
    return Wrong("stream set needs NAME=VALUE or --unset", "stream set");
  }
  if (Named(grammar.append) && parsed->append.offsets && parsed->append.json) {
    return Wrong("--offsets and --json both write to standard output; give one of them", "append");
  }
  if (Named(grammar.append)) LS_TRY(ShapeRecords(parsed, *grammar.append));
  if (Named(grammar.read)) {
    LS_ASSIGN(parsed->read.format, ParseFormat(parsed->format));
    if (parsed->read.no_final_lf && parsed->read.format != EntryFormat::kText) {
      return Wrong("--no-final-lf goes with --format text only", "read");
    }
    LS_ASSIGN(parsed->read.from, ParseFrom(parsed->from));
    if (parsed->since) {
      if (grammar.read->count("--from") > 0) return Wrong("--from and --since both say where to start; give one", "read");
      const Result<TimeArgument> since = ParseTimeArgument(*parsed->since);
      if (!since.ok()) {
        return Wrong("--since takes a time like 2026-11-30T12:00:00Z, milliseconds since 1970, or an age like 10m, not \"" +
                     *parsed->since + "\"", "read");
      }
      parsed->read.since = *since;
    }
  }
  if (Named(grammar.trim)) {
    if (parsed->before.has_value() == parsed->through.has_value()) {
      return Wrong("trim needs one of --before and --through", "trim");
    }
    parsed->trim.before = parsed->before ? *parsed->before : *parsed->through + 1;
    if (parsed->trim.before == 0) return Wrong("no offset is below 0; --before takes 1 or more", "trim");
  }
  if (Named(grammar.compact)) {
    const std::optional<Compression> codec = FindCompression(parsed->file_compression);
    if (!codec) return Wrong("--compression is zstd, gzip, snappy, lz4 or none, not \"" + parsed->file_compression + "\"", "compact");
    parsed->compact.compression = *codec;
  }
  if ((parsed->compact.watch && parsed->compact.dry_run) || (parsed->retain.watch && parsed->retain.dry_run)) {
    return Wrong("--dry-run looks once; it takes no --watch", Named(grammar.retain) ? "retain" : "compact");
  }
  if (Named(grammar.gc)) {
    const GcCommandOptions& gc = parsed->gc;
    if ((gc.dry_run ? 1 : 0) + (gc.watch ? 1 : 0) + (gc.explain.empty() ? 0 : 1) > 1) {
      return Wrong("gc takes one of --dry-run, --explain and --watch", "gc");
    }
  }
  if (Named(grammar.inspect_index)) {
    const InspectIndexOptions& index = parsed->inspect_index;
    const int given = (index.source.empty() ? 0 : 1) + (index.hex ? 1 : 0) + (index.base64 ? 1 : 0);
    if (given != 1) return Wrong("inspect index needs one of SOURCE, --hex and --base64", "inspect index");
  }
  if (parsed->bench.objects + parsed->bench.records > 0 && parsed->bench.name != "gc") {
    return Wrong("--objects and --records are of the benchmark gc", "bench");
  }
  if (Named(grammar.inspect_meta) && parsed->inspect_meta.verify &&
      (parsed->inspect_meta.keys || !parsed->inspect_meta.key.empty())) {
    return Wrong("--verify checks all records; it takes no KEY and no --keys", "inspect meta");
  }
  return OkStatus();
}

Result<Invocation> Sort(Parsed parsed, const Grammar& grammar) {
  Invocation invocation;
  invocation.common = std::move(parsed.common);
  const char* const variable = std::getenv("LAKESTREAM_DEPLOYMENT");
  const std::string otherwise = variable != nullptr && *variable != '\0' ? variable : "./data";
  invocation.common.deployment = parsed.deployment.value_or(otherwise);
  invocation.common.deployment_named = parsed.deployment.has_value();
  if (Named(grammar.help)) return HelpFor(parsed.help_of);
  const auto take = [&invocation](const CLI::App* command, auto& options) {
    if (!Named(command)) return false;
    invocation.command = std::move(options);
    return true;
  };
  if (take(grammar.create, parsed.create) || take(grammar.list, parsed.list) ||
      take(grammar.describe, parsed.describe) || take(grammar.grow, parsed.grow) || take(grammar.set, parsed.set) ||
      take(grammar.isolate, parsed.isolate) || take(grammar.drop, parsed.drop) || take(grammar.purge, parsed.purge) || take(grammar.append, parsed.append) ||
      take(grammar.read, parsed.read) || take(grammar.trim, parsed.trim) ||
      take(grammar.inspect_wal, parsed.inspect_wal) || take(grammar.inspect_index, parsed.inspect_index) ||
      take(grammar.inspect_meta, parsed.inspect_meta) || take(grammar.inspect_batch, parsed.inspect_batch) ||
      take(grammar.inspect_compacted, parsed.inspect_compacted) ||
      take(grammar.inspect_companion, parsed.inspect_companion) || take(grammar.compact, parsed.compact) ||
      take(grammar.retain, parsed.retain) || take(grammar.gc, parsed.gc) || take(grammar.run, parsed.run) || take(grammar.cost, parsed.cost) ||
      take(grammar.fsck, parsed.fsck) || take(grammar.backup, parsed.backup) ||
      take(grammar.restore, parsed.restore) || take(grammar.hold_list, parsed.hold_list) ||
      take(grammar.hold_add, parsed.hold_add) || take(grammar.hold_release, parsed.hold_release)) {
    return invocation;
  }
  if (Named(grammar.bench)) {
    invocation.command = std::move(parsed.bench);
    std::get<BenchCommandOptions>(invocation.command).deployment = invocation.common.deployment;
  } else if (Named(grammar.completion)) {
    LS_ASSIGN(invocation.command, CompletionFor(parsed.shell));
  } else if (Named(grammar.version) || parsed.version) {
    invocation.command = parsed.version_options;
  } else if (Named(grammar.stream)) {
    return Wrong("stream needs \"create\", \"list\", \"describe\", \"grow\", \"set\", \"isolate\", \"drop\" or \"purge\"", "stream");
  } else if (Named(grammar.hold)) {
    return Wrong("hold needs \"list\", \"add\" or \"release\"", "hold");
  } else if (Named(grammar.inspect)) {
    return Wrong("inspect needs \"wal\", \"index\", \"meta\", \"batch\", \"compacted\" or \"companion\"", "inspect");
  } else {
    return Wrong("name a command: stream, append, read, trim, inspect, compact, retain, gc, run, cost, fsck, backup, restore, hold, bench, completion, version or help", "");
  }
  return invocation;
}

}  // namespace

Result<Invocation> ParseArguments(int argc, const char* const* argv) {
  Parsed parsed;
  Grammar grammar(&parsed);
  try {
    grammar.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    Invocation invocation;
    invocation.command = HelpOptions{grammar.app.help()};
    return invocation;
  } catch (const CLI::ExtrasError&) {
    return Misplaced(grammar.app);
  } catch (const CLI::ParseError& error) {
    const std::string named = NamedCommand(grammar.app);
    if (named.empty() && argc > 1 && argv[1][0] != '-') {
      return Wrong(std::string("there is no command \"") + argv[1] + "\"", "");
    }
    return Wrong(error.what(), named);
  }
  const LogLevel otherwise = Named(grammar.run) && !parsed.common.quiet ? LogLevel::kInfo : LogLevel::kWarning;
  LS_ASSIGN(parsed.common.log_level, FindLogLevel(parsed.log_level, otherwise, NamedCommand(grammar.app)));
  LS_TRY(CheckTogether(&parsed, grammar));
  for (int i = 0; i < argc; ++i) parsed.bench.command += (i == 0 ? "" : " ") + std::string(argv[i]);
  return Sort(std::move(parsed), grammar);
}

}  // namespace lakestream
