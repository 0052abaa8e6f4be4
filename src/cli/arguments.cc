#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "base/try.h"

namespace lakestream {
namespace {

constexpr const char* kDeploymentText =
    "A deployment's folder, or a configuration that ends in .toml; default: $LAKESTREAM_DEPLOYMENT, else ./data";

/// The options as the command line names them; what belongs together is sorted out afterwards.
struct Parsed {
  CommonOptions common;
  std::optional<std::string> deployment;
  StreamCreateOptions create;
  StreamListOptions list;
  StreamDescribeOptions describe;
  AppendOptions append;
  ReadOptions read;
  std::string from = "first";
  std::string format = "text";
  TrimOptions trim;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> through;
  InspectWalOptions inspect_wal;
  InspectIndexOptions inspect_index;
  InspectMetaOptions inspect_meta;
  std::string log_level;
  BenchCommandOptions bench;
  std::vector<std::string> help_of;
  bool version = false;
  VersionOptions version_options;
};

/// The command line's grammar. CLI11 takes the positional argument "read" of "append read" for a command
/// unless each level takes one command at most, so every level says so.
class Grammar {
 public:
  explicit Grammar(Parsed* parsed) : app("Durable, ordered logs on object storage.", "lakestream") {
    app.footer(kExitCodeHelp);
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "Print this help");
    app.add_flag("--version", parsed->version, "Print the version");
    stream = app.add_subcommand("stream", "Create, list and describe streams");
    stream->require_subcommand(0, 1);
    DefineStream(parsed);
    DefineAppend(parsed);
    DefineRead(parsed);
    DefineTrim(parsed);
    inspect = app.add_subcommand("inspect", "Show what is stored, field by field");
    inspect->require_subcommand(0, 1);
    DefineInspect(parsed);
    DefineBench(parsed);
    version = app.add_subcommand("version", "Print version, format version and compiler");
    version->add_flag("--json", parsed->version_options.json, "Print one JSON object");
    help = app.add_subcommand("help", "Print help for a command");
    help->add_option("COMMAND", parsed->help_of, "For example: append, or stream create")->type_name("");
  }

  CLI::App app;
  CLI::App* stream = nullptr;
  CLI::App* create = nullptr;
  CLI::App* list = nullptr;
  CLI::App* describe = nullptr;
  CLI::App* append = nullptr;
  CLI::App* read = nullptr;
  CLI::App* trim = nullptr;
  CLI::App* inspect = nullptr;
  CLI::App* inspect_wal = nullptr;
  CLI::App* inspect_index = nullptr;
  CLI::App* inspect_meta = nullptr;
  CLI::App* bench = nullptr;
  CLI::App* version = nullptr;
  CLI::App* help = nullptr;

 private:
  /// Takes a share of the whole.
  static CLI::Validator Share() {
    const auto check = [](const std::string& text) -> std::string {
      double value = 0;
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, value);
      if (error == std::errc() && rest == end && value > 0 && value <= 1) return "";
      return "takes a number above 0, to 1, not \"" + text + "\"";
    };
    return CLI::Validator(check, "");
  }

  /// Takes whole numbers; the option's own text describes it.
  static CLI::Validator Within(std::int64_t min, std::int64_t max = std::numeric_limits<std::int64_t>::max()) {
    const bool open = max >= std::numeric_limits<std::int64_t>::max() - 1;
    const std::string range =
        open ? std::to_string(min) + " or more" : "from " + std::to_string(min) + " to " + std::to_string(max);
    const auto check = [min, max, range](const std::string& text) -> std::string {
      std::int64_t value = 0;
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, value);
      if (error == std::errc() && rest == end && value >= min && value <= max) return "";
      return "takes a whole number, " + range + ", not \"" + text + "\"";
    };
    return CLI::Validator(check, "");
  }
  static void AddCommon(CLI::App* command, Parsed* parsed) {
    command->add_option("--deployment", parsed->deployment, kDeploymentText)->type_name("DIR|CONFIG");
    command->add_flag("-q,--quiet", parsed->common.quiet, "On standard error only what went wrong");
    command
        ->add_option("--log-level", parsed->log_level,
                     "debug, info, warning or error; default: $LAKESTREAM_LOG, else warning")
        ->type_name("LEVEL");
  }
  static void AddName(CLI::App* command, std::string* name) {
    command->add_option("NAME", *name, "The stream: name, or namespace/name")->required()->type_name("");
  }
  static void AddPartition(CLI::App* command, std::optional<int>* partition, const char* text) {
    command->add_option("--partition", *partition, text)->check(Within(0, 9999))->type_name("N");
  }

  void DefineStream(Parsed* parsed) {
    create = stream->add_subcommand("create", "Create a stream, and the deployment where there is none");
    AddName(create, &parsed->create.name);
    create->add_option("--partitions", parsed->create.partitions, "1 to 10000; default 1")
        ->check(Within(1, 10000))
        ->type_name("N");
    create->add_flag("--json", parsed->create.json, "Print one JSON object");
    AddCommon(create, parsed);
    list = stream->add_subcommand("list", "List the streams with their partitions and state");
    list->add_flag("--json", parsed->list.json, "Print a JSON array");
    AddCommon(list, parsed);
    describe = stream->add_subcommand("describe", "Show a stream: offsets, sizes, trim markers, leases and fences");
    AddName(describe, &parsed->describe.name);
    describe->add_flag("--json", parsed->describe.json, "Print one JSON object");
    AddCommon(describe, parsed);
  }

  void DefineAppend(Parsed* parsed) {
    append = app.add_subcommand(
        "append",
        "Append each line of the input, without its LF, as one entry of one record.\n"
        "Ends with 0 only when every line is acknowledged: durable and in order.\n"
        "Without --partition, line 1 goes to partition 0, line 2 to partition 1, and so on around.");
    AddName(append, &parsed->append.stream);
    append->add_option("FILE", parsed->append.file, "Default, or \"-\": standard input")->type_name("");
    AddPartition(append, &parsed->append.partition, "All lines to this partition");
    append->add_flag("--raw", parsed->append.raw, "The whole input is one entry");
    append->add_flag("--offsets", parsed->append.offsets,
                     "Print \"LINE PARTITION OFFSET\" for each entry as soon as it is acknowledged");
    append->add_flag("--json", parsed->append.json, "Print the summary as one JSON object on standard output");
    AddCommon(append, parsed);
  }

  void DefineRead(Parsed* parsed) {
    read = app.add_subcommand(
        "read",
        "Write entries to standard output, an LF after each unless --format says otherwise.\n"
        "Without --partition: all partitions one after another, with --follow as entries come.\n"
        "Without --follow it ends where the log ended when the command began.");
    AddName(read, &parsed->read.stream);
    AddPartition(read, &parsed->read.partition, "Only this partition");
    read->add_option("--from", parsed->from, "An offset, \"first\" (default) or \"end\"")->type_name("OFFSET");
    read->add_option("--max", parsed->read.max, "At most so many entries")
        ->check(Within(1))
        ->type_name("N");
    read->add_flag("--follow", parsed->read.follow, "Wait for more, until --max entries or a signal");
    read->add_option("--format", parsed->format,
                     "text (default): an LF after each entry; raw: nothing between them;\n"
                     "hex: an entry a line in hexadecimal; json: an object a line")
        ->type_name("FORMAT");
    read->add_flag("--no-final-lf", parsed->read.no_final_lf,
                   "No LF after the last entry: gives back an input that did not end in LF");
    AddCommon(read, parsed);
  }

  void DefineInspect(Parsed* parsed) {
    inspect_wal = inspect->add_subcommand("wal", "Show a WAL object: sizes, sections, entries and checksum");
    inspect_wal
        ->add_option("SOURCE", parsed->inspect_wal.source,
                     "A file, \"-\" for standard input, or an object's key; with --deployment always a key")
        ->required()
        ->type_name("");
    AddInspectOptions(inspect_wal, parsed, &parsed->inspect_wal.json);
    inspect_index = inspect->add_subcommand("index", "Show an index record, with its entry boundaries and files");
    inspect_index
        ->add_option("SOURCE", parsed->inspect_index.source,
                     "The record's key, a file with its value, or \"-\"; with --deployment always a key")
        ->type_name("");
    inspect_index->add_option("--hex", parsed->inspect_index.hex, "The value in hexadecimal digits")->type_name("TEXT");
    inspect_index->add_option("--base64", parsed->inspect_index.base64, "The value in Base64")->type_name("TEXT");
    AddInspectOptions(inspect_index, parsed, &parsed->inspect_index.json);
    inspect_meta = inspect->add_subcommand(
        "meta", "Show a record of the metadata store, or list records\nWithout KEY it lists all.");
    inspect_meta->add_option("KEY", parsed->inspect_meta.key, "The record's key; with --keys: how the keys begin")
        ->type_name("");
    inspect_meta->add_flag("--keys", parsed->inspect_meta.keys, "List the records whose keys begin with KEY");
    inspect_meta->add_flag("--verify", parsed->inspect_meta.verify, "Check that every record is there and as written");
    AddInspectOptions(inspect_meta, parsed, &parsed->inspect_meta.json);
  }
  static void AddInspectOptions(CLI::App* command, Parsed* parsed, bool* json) {
    command->add_flag("--json", *json, "Print one JSON object; of a listing one a line");
    AddCommon(command, parsed);
  }

  void DefineTrim(Parsed* parsed) {
    trim = app.add_subcommand("trim", "Trim the beginning of a partition; its last record always stays");
    AddName(trim, &parsed->trim.stream);
    trim->add_flag("--json", parsed->trim.json, "Print one JSON object");
    AddPartition(trim, &parsed->trim.partition, "Needed where the stream has several partitions");
    const CLI::Validator range = Within(0, std::numeric_limits<std::int64_t>::max() - 1);
    trim->add_option("--before", parsed->before, "Trim the offsets below this one")->check(range)->type_name("OFFSET");
    trim->add_option("--through", parsed->through, "Trim the offsets up to and including this one")
        ->check(range)
        ->type_name("OFFSET");
    AddCommon(trim, parsed);
  }

  void DefineBench(Parsed* parsed) {
    bench = app.add_subcommand(
        "bench",
        "Measure this machine and compare with the budgets: memory, codec, append-latency, append-throughput,\n"
        "sequenced-puts, lookup, catch-up, put-rate, or all of them (about 3 minutes).\n"
        "Everything that is measured is also checked: ends with 5 where an entry is not what was appended.");
    bench->add_option("NAME", parsed->bench.name, "A benchmark, or \"all\"")->required()->type_name("");
    bench->add_flag("--json", parsed->bench.json, "Print one JSON object");
    bench->add_flag("--break", parsed->bench.damage, "Lose or damage one entry: the checks must find it");
    bench->add_option("--scale", parsed->bench.scale, "Do this share of the work, above 0 to 1; judges no budget")
        ->check(Share())
        ->type_name("SHARE");
    bench->add_option("--dir", parsed->bench.directory,
                      "Where a temporary folder is made; default: beside the deployment, without one $TMPDIR")
        ->type_name("DIR");
    bench->add_option("--deployment", parsed->common.deployment, kDeploymentText)->type_name("DIR|CONFIG");
  }
};

Status Wrong(std::string sentence, const std::string& command) {
  for (char& c : sentence) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return InvalidArgument(sentence + "; see \"lakestream help" + (command.empty() ? "" : " " + command) + "\"");
}

/// The path of the command that was named, for example "stream create".
std::string NamedCommand(const CLI::App& app) {
  std::string path;
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += (path.empty() ? "" : " ") + at->get_name();
  }
  return path;
}

/// What is wrong with words that found no place.
Status Misplaced(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  const std::string named = NamedCommand(app);
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string option = word.substr(0, word.find('='));
    if (at->get_option_no_throw(option) != nullptr) return Wrong("put " + option + " behind the command", named);
    return Wrong("there is no option \"" + option + "\"", named);
  }
  const std::string word = words.empty() ? "" : words.front();
  const bool group = !at->get_subcommands(std::function<bool(const CLI::App*)>()).empty();
  if (group) return Wrong("there is no command \"" + named + (named.empty() ? "" : " ") + word + "\"", named);
  return Wrong("\"" + word + "\" is one word too many", named);
}

Result<Invocation> HelpFor(const std::vector<std::string>& path) {
  // A grammar that has parsed nothing: one that has seen "help" would describe only that command.
  Parsed unused;
  const Grammar grammar(&unused);
  const CLI::App* at = &grammar.app;
  std::string prefix = "lakestream";
  for (const std::string& name : path) {
    const std::vector<const CLI::App*> named =
        at->get_subcommands([&name](const CLI::App* command) { return command->check_name(name); });
    if (named.empty()) return Wrong("there is no command \"" + name + "\"", "");
    if (at != &grammar.app) prefix += " " + at->get_name();
    at = named.front();
  }
  Invocation invocation;
  invocation.command = HelpOptions{at->help(at == &grammar.app ? "" : prefix)};
  return invocation;
}

Result<ReadFrom> ParseFrom(const std::string& text) {
  ReadFrom from;
  if (text == "first") return from;
  from.kind = ReadFrom::Kind::kEnd;
  if (text == "end") return from;
  from.kind = ReadFrom::Kind::kOffset;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, from.offset);
  if (error == std::errc() && rest == end && from.offset >= 0) return from;
  return Wrong("--from takes an offset, \"first\" or \"end\", not \"" + text + "\"", "read");
}

Result<EntryFormat> ParseFormat(const std::string& text) {
  if (text == "text") return EntryFormat::kText;
  if (text == "json") return EntryFormat::kJson;
  if (text == "hex") return EntryFormat::kHex;
  if (text == "raw") return EntryFormat::kRaw;
  return Wrong("--format is text, json, hex or raw, not \"" + text + "\"", "read");
}

Result<LogLevel> FindLogLevel(const std::string& option, const std::string& command) {
  const char* const variable = std::getenv("LAKESTREAM_LOG");
  const std::string name = option.empty() && variable != nullptr ? variable : option;
  if (name.empty()) return LogLevel::kWarning;
  const std::optional<LogLevel> level = ParseLogLevel(name);
  if (level) return *level;
  return Wrong(std::string(option.empty() ? "LAKESTREAM_LOG" : "--log-level") +
                   " is debug, info, warning or error, not \"" + name + "\"",
               command);
}

Status CheckTogether(Parsed* parsed, const Grammar& grammar) {
  if (parsed->deployment && parsed->deployment->empty()) {
    return Wrong("--deployment is empty; give a folder or a configuration", NamedCommand(grammar.app));
  }
  if (*grammar.append && parsed->append.offsets && parsed->append.json) {
    return Wrong("--offsets and --json both write to standard output; give one of them", "append");
  }
  if (*grammar.read) {
    LS_ASSIGN(parsed->read.format, ParseFormat(parsed->format));
    if (parsed->read.no_final_lf && parsed->read.format != EntryFormat::kText) {
      return Wrong("--no-final-lf goes with --format text only", "read");
    }
    LS_ASSIGN(parsed->read.from, ParseFrom(parsed->from));
  }
  if (*grammar.trim) {
    if (parsed->before.has_value() == parsed->through.has_value()) {
      return Wrong("trim needs one of --before and --through", "trim");
    }
    parsed->trim.before = parsed->before ? *parsed->before : *parsed->through + 1;
    if (parsed->trim.before == 0) return Wrong("no offset is below 0; --before takes 1 or more", "trim");
  }
  if (*grammar.inspect_index) {
    const InspectIndexOptions& index = parsed->inspect_index;
    const int given = (index.source.empty() ? 0 : 1) + (index.hex ? 1 : 0) + (index.base64 ? 1 : 0);
    if (given != 1) return Wrong("inspect index needs one of SOURCE, --hex and --base64", "inspect index");
  }
  if (*grammar.inspect_meta && parsed->inspect_meta.verify &&
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
  if (*grammar.help) return HelpFor(parsed.help_of);
  if (*grammar.create) {
    invocation.command = std::move(parsed.create);
  } else if (*grammar.list) {
    invocation.command = parsed.list;
  } else if (*grammar.describe) {
    invocation.command = std::move(parsed.describe);
  } else if (*grammar.append) {
    invocation.command = std::move(parsed.append);
  } else if (*grammar.read) {
    invocation.command = std::move(parsed.read);
  } else if (*grammar.trim) {
    invocation.command = std::move(parsed.trim);
  } else if (*grammar.inspect_wal) {
    invocation.command = std::move(parsed.inspect_wal);
  } else if (*grammar.inspect_index) {
    invocation.command = std::move(parsed.inspect_index);
  } else if (*grammar.inspect_meta) {
    invocation.command = std::move(parsed.inspect_meta);
  } else if (*grammar.bench) {
    invocation.command = std::move(parsed.bench);
    std::get<BenchCommandOptions>(invocation.command).deployment = invocation.common.deployment;
  } else if (*grammar.version || parsed.version) {
    invocation.command = parsed.version_options;
  } else if (*grammar.stream) {
    return Wrong("stream needs \"create\", \"list\" or \"describe\"", "stream");
  } else if (*grammar.inspect) {
    return Wrong("inspect needs \"wal\", \"index\" or \"meta\"", "inspect");
  } else {
    return Wrong("name a command: stream, append, read, trim, inspect, bench, version or help", "");
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
  LS_ASSIGN(parsed.common.log_level, FindLogLevel(parsed.log_level, NamedCommand(grammar.app)));
  LS_TRY(CheckTogether(&parsed, grammar));
  for (int i = 0; i < argc; ++i) parsed.bench.command += (i == 0 ? "" : " ") + std::string(argv[i]);
  return Sort(std::move(parsed), grammar);
}

}  // namespace lakestream
