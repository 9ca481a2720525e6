#include "solvers/sweep/member_record.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "autograd/core/error.h"
#include "data/files/disk.h"
#include "solvers/records/folder/folder_lock.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/records/logs/run_log.h"
#include "solvers/sweep/child.h"

namespace pinn::sweep {
namespace {

constexpr std::size_t longest_line = 300;

std::string shortened(const std::string& line) {
  return visible(line.size() <= longest_line ? line : line.substr(0, longest_line) + " ...");
}

std::vector<std::string> texts_in(std::string_view list) {
  std::vector<std::string> all;
  each_json_value(list, [&](std::string_view value) {
    all.push_back(json_text(json_entry(value, "set")));
    return true;
  });
  return all;
}

JsonObject to_json(const Results& r) {
  JsonObject json, numbers;
  for (const auto& [name, value] : r.numbers) numbers.add(name, value);
  return json.add("steps", r.steps)
      .add("parameters", r.parameters)
      .add("seconds", r.seconds)
      .add("held_out", r.held_out)
      .add("numbers", numbers);
}

Results results_in(std::string_view json) {
  const auto number = [&](const char* name) { return json_number(json_entry(json, name)); };
  Results r{number("steps"), number("parameters"), number("seconds"), number("held_out"), {}};
  each_json_entry(json_entry(json, "numbers"), [&](std::string_view name, std::string_view value) {
    r.numbers.emplace_back(json_text(name), json_number(value));
    return true;
  });
  return r;
}

}  // namespace

MemberRecord read_record(const std::string& member_folder) {
  const std::string file = member_folder + "/" + record_name;
  std::error_code ignored;
  MemberRecord record;
  if (!std::filesystem::is_regular_file(file, ignored)) return record;
  const std::string json = read_small_file(file);
  const double sittings = json_number(json_entry(json, "sittings"));
  if (std::isfinite(sittings)) record.sittings = std::int64_t(sittings);
  const double code = json_number(json_entry(json, "code"));
  if (std::isfinite(code)) record.code = int(code);
  record.error = json_text(json_entry(json, "error"));
  record.overrides = texts_in(json_entry(json, "overrides"));
  record.data = json_text(json_entry(json, "data"));
  if (const std::string_view results = json_entry(json, "results"); !results.empty())
    record.results = results_in(results);
  return record;
}

void write_record(const std::string& member_folder, const MemberRecord& record) {
  JsonObject json;
  json.add("sittings", record.sittings);
  if (record.code) json.add("code", std::int64_t(*record.code));
  if (!record.error.empty()) json.add("error", record.error);
  std::vector<JsonObject> overrides;
  for (const std::string& text : record.overrides)
    overrides.push_back(JsonObject().add("set", text));
  json.add("overrides", overrides).add("data", record.data);
  if (record.results) json.add("results", to_json(*record.results));
  write_atomically(member_folder + "/" + record_name, {json.text() + "\n"});
}

State state_of(const std::string& member_folder, const MemberRecord& record) {
  const bool at_work = Lock::is_held(member_folder) || writer_of(member_folder) != 0;
  return at_work ? State::running : state_of(record);
}

State state_of(const MemberRecord& record) {
  if (record.sittings == 0) return State::waiting;
  if (!record.code) return State::interrupted;
  switch (*record.code) {
    case 0:
      return State::done;
    case code_promise_broken:
      return State::promise_broken;
    case code_diverged:
      return State::diverged;
    case code_interrupted:
      return State::interrupted;
    default:
      return State::failed;
  }
}

std::string state_text(State state, const MemberRecord& record) {
  constexpr const char* names[] = {"waiting", "running",        "interrupted",
                                   "done",    "promise broken", "diverged"};
  if (state != State::failed) return names[int(state)];
  const int code = *record.code;
  return code < code_of_signals ? fmt::format("failed ({})", code)
                                : fmt::format("failed (signal {})", code - code_of_signals);
}

int exit_code_of(int code, bool stopping) {
  const int signal = code - code_of_signals;
  const bool asked = signal == SIGUSR1 || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  return stopping && asked ? code_interrupted : code;
}

std::string error_in(const std::string& log, std::size_t from, int code) {
  if (code == 0 || code == code_interrupted) return "";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(log, ignored)) return "";  // and no pipe
  std::ifstream in(log, std::ios::binary);
  in.seekg(std::streamoff(from));
  std::string error, last;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("error: ")) error = line;
    if (!line.empty()) last = line;
  }
  return shortened(error.empty() ? last : error);
}

}  // namespace pinn::sweep
