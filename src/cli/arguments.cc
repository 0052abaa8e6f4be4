#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdlib>
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
  StreamCreateOptions create;
  StreamListOptions list;
  AppendOptions append;
  ReadOptions read;
  std::string from = "first";
  TrimOptions trim;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> through;
  std::vector<std::string> help_of;
  bool version = false;
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
    stream = app.add_subcommand("stream", "Create and list streams");
    stream->require_subcommand(0, 1);
    DefineStream(parsed);
    DefineAppend(parsed);
    DefineRead(parsed);
    DefineTrim(parsed);
    version = app.add_subcommand("version", "Print version, format version and compiler");
    help = app.add_subcommand("help", "Print help for a command");
    help->add_option("COMMAND", parsed->help_of, "For example: append, or stream create")->type_name("");
  }

  CLI::App app;
  CLI::App* stream = nullptr;
  CLI::App* create = nullptr;
  CLI::App* list = nullptr;
  CLI::App* append = nullptr;
  CLI::App* read = nullptr;
  CLI::App* trim = nullptr;
  CLI::App* version = nullptr;
  CLI::App* help = nullptr;

 private:
  /// A range that leaves the description of the option to the option's own text.
  template <class T>
  static CLI::Validator Within(T min, T max) {
    CLI::Validator range = CLI::Range(min, max);
    return range.description("");
  }
  static void AddCommon(CLI::App* command, Parsed* parsed) {
    command->add_option("--deployment", parsed->common.deployment, kDeploymentText)->type_name("DIR|CONFIG");
    command->add_flag("-q,--quiet", parsed->common.quiet, "On standard error only what went wrong");
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
        "Write entries to standard output, an LF after each.\n"
        "Without --partition: all partitions one after another, with --follow as entries come.\n"
        "Without --follow it ends where the log ended when the command began.");
    AddName(read, &parsed->read.stream);
    AddPartition(read, &parsed->read.partition, "Only this partition");
    read->add_option("--from", parsed->from, "An offset, \"first\" (default) or \"end\"")->type_name("OFFSET");
    read->add_option("--max", parsed->read.max, "At most so many entries")
        ->check(Within(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
        ->type_name("N");
    read->add_flag("--follow", parsed->read.follow, "Wait for more, until --max entries or a signal");
    read->add_flag("--raw", parsed->read.raw, "Entries only, no LF after them");
    read->add_flag("--no-final-lf", parsed->read.no_final_lf,
                   "No LF after the last entry: gives back an input that did not end in LF");
    AddCommon(read, parsed);
  }

  void DefineTrim(Parsed* parsed) {
    trim = app.add_subcommand("trim", "Trim the beginning of a partition; its last record always stays");
    AddName(trim, &parsed->trim.stream);
    AddPartition(trim, &parsed->trim.partition, "Needed where the stream has several partitions");
    const CLI::Validator range = Within(std::int64_t{0}, std::numeric_limits<std::int64_t>::max() - 1);
    trim->add_option("--before", parsed->before, "Trim the offsets below this one")->check(range)->type_name("OFFSET");
    trim->add_option("--through", parsed->through, "Trim the offsets up to and including this one")
        ->check(range)
        ->type_name("OFFSET");
    AddCommon(trim, parsed);
  }
};

Status Wrong(std::string sentence, const std::string& command) {
  for (char& c : sentence) {
    if (c == '\n') c = ' ';
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

Status CheckTogether(Parsed* parsed, const Grammar& grammar) {
  if (*grammar.append && parsed->append.offsets && parsed->append.json) {
    return Wrong("--offsets and --json both write to standard output; give one of them", "append");
  }
  if (*grammar.read) {
    if (parsed->read.raw && parsed->read.no_final_lf) {
      return Wrong("--raw writes no LF at all; leave out --no-final-lf", "read");
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
  return OkStatus();
}

Result<Invocation> Sort(Parsed parsed, const Grammar& grammar) {
  Invocation invocation;
  invocation.common = std::move(parsed.common);
  if (invocation.common.deployment.empty()) {
    const char* const named = std::getenv("LAKESTREAM_DEPLOYMENT");
    invocation.common.deployment = named != nullptr && *named != '\0' ? named : "./data";
  }
  if (*grammar.help) return HelpFor(parsed.help_of);
  if (*grammar.create) {
    invocation.command = std::move(parsed.create);
  } else if (*grammar.list) {
    invocation.command = parsed.list;
  } else if (*grammar.append) {
    invocation.command = std::move(parsed.append);
  } else if (*grammar.read) {
    invocation.command = std::move(parsed.read);
  } else if (*grammar.trim) {
    invocation.command = std::move(parsed.trim);
  } else if (*grammar.version || parsed.version) {
    invocation.command = VersionOptions();
  } else if (*grammar.stream) {
    return Wrong("stream needs \"create\" or \"list\"", "stream");
  } else {
    return Wrong("name a command: stream, append, read, trim, version or help", "");
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
  } catch (const CLI::ParseError& error) {
    const std::string named = NamedCommand(grammar.app);
    if (named.empty() && argc > 1 && argv[1][0] != '-') {
      return Wrong(std::string("there is no command \"") + argv[1] + "\"", "");
    }
    return Wrong(error.what(), named);
  }
  LS_TRY(CheckTogether(&parsed, grammar));
  return Sort(std::move(parsed), grammar);
}

}  // namespace lakestream
