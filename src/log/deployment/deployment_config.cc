#include "log/deployment/deployment_config.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>
#include <variant>

#include <toml++/toml.h>

#include "base/time.h"
#include "base/try.h"

namespace lakestream {

namespace {

/// Where a key's value goes, which also says what it must be.
using Target = std::variant<std::string*, Duration*, std::int64_t*, int*, double*>;
struct Field {
  std::string_view key;
  Target target;
};

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  /// Every key of the table fills its field; `tables` are keys that the caller reads itself.
  Status Fill(const toml::table& table, std::string_view path, std::initializer_list<Field> fields,
              std::initializer_list<std::string_view> tables = {}) const {
    for (const auto& [key, node] : table) {
      const std::string name = std::string(path) + std::string(key.str());
      const auto field =
          std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key.str(); });
      if (field != fields.end()) {
        LS_TRY(Set(node, name, field->target));
      } else if (std::find(tables.begin(), tables.end(), key.str()) == tables.end()) {
        return Fail("unknown key in a deployment's configuration", name, node.source().begin.line);
      } else if (!node.is_table()) {
        return Fail("a key of a deployment's configuration needs to be a table", name, node.source().begin.line);
      }
    }
    return OkStatus();
  }

  Status Fail(std::string_view sentence, std::string_view key, std::uint32_t line) const {
    return InvalidArgument(sentence).With("file", file_).With("key", key).With("line", line);
  }

 private:
  Status Set(const toml::node& node, const std::string& name, const Target& target) const {
    const std::uint32_t line = node.source().begin.line;
    if (std::string* const* text = std::get_if<std::string*>(&target)) {
      if (!node.is_string()) return Fail("a value needs to be a string", name, line);
      **text = node.as_string()->get();
      return OkStatus();
    }
    if (Duration* const* duration = std::get_if<Duration*>(&target)) {
      if (!node.is_string()) return Fail("a value needs to be a duration, such as \"250ms\"", name, line);
      const Result<Duration> parsed = ParseDuration(node.as_string()->get());
      if (!parsed.ok()) return Fail("a value needs to be a duration, such as \"250ms\"", name, line);
      **duration = *parsed;
      return OkStatus();
    }
    if (double* const* number = std::get_if<double*>(&target)) {
      if (!node.is_number()) return Fail("a value needs to be a number", name, line);
      **number = *node.value<double>();
      return OkStatus();
    }
    if (!node.is_integer()) return Fail("a value needs to be a whole number", name, line);
    const std::int64_t value = node.as_integer()->get();
    if (value < 0) return Fail("a value must not be negative", name, line);
    if (std::int64_t* const* integer = std::get_if<std::int64_t*>(&target)) {
      **integer = value;
      return OkStatus();
    }
    if (!std::in_range<int>(value)) return Fail("a value is too large", name, line);
    **std::get_if<int*>(&target) = static_cast<int>(value);
    return OkStatus();
  }

  const std::string_view file_;
};

Result<toml::table> ParseToml(std::string_view text, std::string_view name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return InvalidArgument("a deployment's configuration is no valid toml")
        .With("file", name)
        .With("line", error.source().begin.line)
        .With("why", error.description());
  }
}

Status FillWriter(const Reader& reader, const toml::table& table, WriterOptions& writer) {
  return reader.Fill(table, "writer.",
                     {{"max_entry_bytes", &writer.max_entry_bytes},
                      {"target_object_bytes", &writer.target_object_bytes},
                      {"max_queued_bytes", &writer.max_queued_bytes},
                      {"max_puts_in_flight", &writer.max_puts_in_flight},
                      {"put_budget_per_second", &writer.put_budget_per_second},
                      {"put_budget_burst_seconds", &writer.put_budget_burst_seconds},
                      {"index_put_budget_per_second", &writer.index_put_budget_per_second},
                      {"linger_max", &writer.linger_max},
                      {"linger_max_busy", &writer.linger_max_busy},
                      {"linger_behind_put", &writer.linger_behind_put},
                      {"put_deadline", &writer.put_deadline},
                      {"settle_time", &writer.settle_time},
                      {"lease_idle", &writer.lease_idle},
                      {"fence_poll", &writer.fence_poll},
                      {"session_timeout", &writer.session_timeout}});
}

Status FillReader(const Reader& reader, const toml::table& table, ReaderOptions& options) {
  return reader.Fill(table, "reader.",
                     {{"tail_poll", &options.tail_poll},
                      {"whole_object_bytes", &options.whole_object_bytes},
                      {"first_fetch_bytes", &options.first_fetch_bytes},
                      {"cache_bytes", &options.cache_bytes},
                      {"index_cache_age", &options.index_cache_age}});
}

}  // namespace

DeploymentOptions EmbeddedDeployment(std::string directory) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(directory, error);
  if (error) folder = directory;
  folder = folder.lexically_normal();
  DeploymentOptions options;
  options.metadata_url = "lmdb://" + (folder / "meta").string();
  options.wal_url = "file://" + (folder / "wal").string();
  options.compacted_url = "file://" + (folder / "compacted").string();
  return options;
}

Result<DeploymentOptions> ParseDeploymentConfig(std::string_view text, std::string_view name) {
  LS_ASSIGN(const toml::table root, ParseToml(text, name));
  const Reader reader(name);
  DeploymentOptions options;
  LS_TRY(reader.Fill(root, "",
                     {{"metadata", &options.metadata_url},
                      {"wal", &options.wal_url},
                      {"compacted", &options.compacted_url},
                      {"compactor_family", &options.compactor_family}},
                     {"times", "writer", "reader"}));
  if (const toml::table* times = root["times"].as_table()) {
    LS_TRY(reader.Fill(*times, "times.",
                       {{"publish_deadline", &options.times.publish_deadline},
                        {"index_deadline", &options.times.index_deadline},
                        {"grace", &options.times.grace}}));
  }
  if (const toml::table* writer = root["writer"].as_table()) LS_TRY(FillWriter(reader, *writer, options.writer));
  if (const toml::table* table = root["reader"].as_table()) LS_TRY(FillReader(reader, *table, options.reader));
  const std::array<Field, 3> needed = {{{"metadata", &options.metadata_url},
                                        {"wal", &options.wal_url},
                                        {"compacted", &options.compacted_url}}};
  for (const Field& field : needed) {
    if (!std::get<std::string*>(field.target)->empty()) continue;
    return InvalidArgument("a deployment's configuration lacks a url").With("file", name).With("key", field.key);
  }
  return options;
}

Result<DeploymentOptions> LoadDeploymentConfig(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return NotFound("there is no such configuration").With("file", path);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path, error)) {
    return Unavailable("a configuration cannot be read").With("file", path);
  }
  return ParseDeploymentConfig(text.str(), path);
}

}  // namespace lakestream
