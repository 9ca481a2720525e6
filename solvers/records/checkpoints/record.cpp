#include "solvers/records/checkpoints/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "autograd/core/error.h"
#include "autograd/core/version.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

/// A text on one line, its line ends and tabs written as \n and \t.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\')
      line += "\\\\";
    else if (c == '\n')
      line += "\\n";
    else if (c == '\t')
      line += "\\t";
    else
      line += c;
  }
  return line;
}

std::string from_one_line(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    text += escape && line[i] == 'n' ? '\n' : escape && line[i] == 't' ? '\t' : line[i];
  }
  return text;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    all.push_back(text.substr(at, end - at));
  }
  return all;
}

std::string table(const std::map<std::string, std::string>& entries) {
  std::string text;
  for (const auto& [key, value] : entries)
    text += on_one_line(key) + "\t" + on_one_line(value) + "\n";
  return text;
}

std::map<std::string, std::string> entries(const std::string& table) {
  std::map<std::string, std::string> all;
  for (const std::string& line : lines(table)) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    all[from_one_line(line.substr(0, tab))] =
        from_one_line(line.substr(std::min(tab + 1, line.size())));
  }
  return all;
}

/// "AMD EPYC 9654 96-Core Processor", as the system has it; empty where it does not say.
std::string processor_name() {
  std::ifstream all("/proc/cpuinfo");
  for (std::string line; std::getline(all, line) && !line.empty();) {  // of the first one
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "";
}

/// True if a run may go on after this key changed.
bool may_change(const std::string& key, std::int64_t stages_begun) {
  if (key.starts_with("stage.")) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(key.data() + 6, key.data() + key.size(), number);
    return problem != std::errc() || number > stages_begun ||
           (std::string(end) != ".optimizer" && std::string(end) != ".train");
  }
  for (const char* part : {"run.", "output", "memory", "reference"})
    if (key.starts_with(part)) return key != "run.seed";
  return key == "format";
}

/// True if a run may go on after this file changed: when all keys that name it may change.
bool file_may_change(const std::string& file, const RunRecord& before, const RunRecord& now,
                     std::int64_t stages_begun) {
  bool named = false;
  for (const RunRecord* record : {&before, &now})
    for (const auto& [key, value] : record->effective) {
      if (value != '"' + file + '"') continue;
      if (!may_change(key, stages_begun)) return false;
      named = true;
    }
  return named;
}

std::string shown(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto at = values.find(key);
  return at == values.end() ? "(absent)" : at->second;
}

/// Calls report(key, "key: before -> now") for every entry that differs.
template <class Report>
void compare(const std::map<std::string, std::string>& before,
             const std::map<std::string, std::string>& now, Report report) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : now) keys.insert(key);
  for (const std::string& key : keys)
    if (shown(before, key) != shown(now, key))
      report(key, fmt::format("{}: {} -> {}", key, shown(before, key), shown(now, key)));
}

}  // namespace

std::vector<Description> descriptions(const Run& run) {
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  std::vector<Description> all;
  for (const ModelNetwork& one : model.networks()) {
    all.push_back(one.network->description());
    if (!run.windows.edges.empty())
      all.back().facts.emplace_back("windows",
                                    fmt::format("{}", fmt::join(run.windows.edges, ", ")));
  }
  return all;
}

RunRecord record(const Run& run) {
  return {.name = run.name,
          .path = run.path,
          .program = fmt::format("pinn-train {}", version()),
          .instruction_set = instruction_set(),
          .device = name_of(device_of(run).device),
          .processor = processor_name(),
          .config = run.source,
          .overrides = run.overrides,
          .chosen = run.chosen,
          .effective = run.effective,
          .hashes = run.hashes,
          .networks = lines_of(descriptions(run))};
}

std::map<std::string, std::string> texts(const RunRecord& record) {
  std::string overrides;
  for (const std::string& text : record.overrides) overrides += on_one_line(text) + "\n";
  return {{"name", record.name},
          {"path", record.path},
          {"path_from_folder", record.from_folder},
          {"program", record.program},
          {"instruction_set", record.instruction_set},
          {"device", record.device},
          {"processor", record.processor},
          {"threads", record.threads},
          {"config_toml", record.config},
          {"overrides", overrides},
          {"chosen", record.chosen},
          {"effective", table(record.effective)},
          {"hashes", table(record.hashes)},
          {"networks", record.networks}};
}

RunRecord record(const std::map<std::string, std::string>& texts) {
  const auto text = [&](const std::string& name) {
    const auto at = texts.find(name);
    if (at == texts.end())
      throw FileError(
          {"the record of the run lacks '" + name + "'", "/meta", "start the run anew"});
    return at->second;
  };
  const auto later = [&](const std::string& name) {  // of an older program: there is none
    const auto at = texts.find(name);
    return at == texts.end() ? "" : at->second;
  };
  RunRecord record{.name = text("name"),
                   .path = text("path"),
                   .from_folder = later("path_from_folder"),
                   .program = text("program"),
                   .instruction_set = text("instruction_set"),
                   .device = text("device"),
                   .processor = later("processor"),
                   .threads = later("threads"),
                   .config = text("config_toml"),
                   .overrides = lines(text("overrides")),
                   .chosen = later("chosen"),
                   .effective = entries(text("effective")),
                   .hashes = entries(text("hashes")),
                   .networks = later("networks")};
  for (std::string& line : record.overrides) line = from_one_line(line);
  return record;
}

std::string seen_from(const std::string& folder, const std::string& problem_file) {
  namespace fs = std::filesystem;
  return fs::proximate(fs::weakly_canonical(problem_file), fs::weakly_canonical(folder)).string();
}

std::string problem_file(const RunRecord& record, const std::string& folder) {
  namespace fs = std::filesystem;
  if (record.from_folder.empty()) return record.path;
  const fs::path there = fs::weakly_canonical(fs::weakly_canonical(folder) / record.from_folder);
  std::error_code ignored;
  const bool gone = !fs::exists(there, ignored) && fs::exists(record.path, ignored);
  return gone ? record.path : fs::proximate(there).string();
}

Provenance provenance(const RunRecord& record, const std::string& network) {
  Provenance from{record.name, record.program, texts(record)};
  from.texts["network"] = network;
  return from;
}

Changes changes(const RunRecord& before, const RunRecord& now, std::int64_t stages_begun) {
  Changes found;
  compare(before.effective, now.effective, [&](const std::string& key, const std::string& line) {
    (may_change(key, stages_begun) ? found.allowed : found.refused).push_back(line);
  });
  compare(before.hashes, now.hashes, [&](const std::string& file, const std::string& line) {
    const bool may = file_may_change(file, before, now, stages_begun);
    (may ? found.allowed : found.refused).push_back("SHA-256 of " + line);
  });
  const auto computed_by = [&](const char* what, const std::string& was, const std::string& is) {
    if (was.empty() || was == is) return;  // older programs left some of it empty
    found.allowed.push_back(fmt::format(
        "{}: {} -> {}; from here on the last digits may be others than without the change", what,
        was, is));
  };
  computed_by("program", before.program, now.program);
  computed_by("instruction set", before.instruction_set, now.instruction_set);
  computed_by("device", before.device, now.device);
  return found;
}

}  // namespace pinn
