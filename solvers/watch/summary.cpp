#include "solvers/watch/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "autograd/core/error.h"
#include "solvers/records/checkpoints/recorded_trust.h"
#include "solvers/records/folder/folder.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/records/logs/progress.h"
#include "solvers/results/results.h"
#include "solvers/watch/warnings.h"

namespace pinn {
namespace {

/// Lines on the windows; what follows them is of the last one.
std::string windows_text(const TrainResult& result) {
  std::string text;
  for (std::size_t k = 0; k < result.windows.size(); ++k) {
    const WindowResult& w = result.windows[k];
    text += fmt::format(
        "window {} of {}, times {:g} to {:g}: the network of step {}, with the held-out residual "
        "{:.2e}\n",
        k + 1, result.windows.size(), w.from, w.to, w.step, w.loss);
  }
  return text.empty() ? text : text + "of the last window:\n";
}

std::string residual_text(const TrainResult& result) {
  std::size_t width = 0;
  for (const TermResult& term : result.terms) width = std::max(width, term.name.size());
  std::string text = fmt::format("held-out residual {:.2e}\n", result.loss);
  for (const TermResult& term : result.terms)
    text += fmt::format("  {:<{}}  {:.2e}, at the training points {:.2e}, at most {:.2e}\n",
                        term.name, width, term.held_out, term.training, term.largest);
  return text;
}

}  // namespace

std::string summary(const TrainResult& result) {
  std::string text = (result.speed.empty() ? "" : result.speed + "\n") + windows_text(result) +
                     last_text(result) + residual_text(result) + slices_text(result.trust);
  text += estimates_text(result.trust);
  for (const Distance& d : result.errors) text += distance_text(d) + "\n";
  return text;
}

// How a run stands, from its two witnesses: the checkpoint, minutes old, and status.json, seconds
// old.

namespace {

/// The latest value of every column that was ever recorded, but for unknowns.
std::string history_line(const LossHistory& history) {
  std::string text;
  const std::size_t width = history.columns.size();
  for (std::size_t i = 0; i < width; ++i) {
    if (history.columns[i].starts_with("unknown:")) continue;
    std::size_t row = history.steps.size();
    while (row > 0 && std::isnan(history.values[(row - 1) * width + i])) --row;
    if (row > 0)
      text += fmt::format("{}{} {:.3e}", i == 0 ? "" : "  ", history.columns[i],
                          history.values[(row - 1) * width + i]);
  }
  return text;
}

std::int64_t stages_of(const RunRecord& record) {
  std::int64_t stages = 0;
  while (record.effective.count(fmt::format("stage.{}.steps", stages + 1)) > 0) ++stages;
  return stages;
}

std::size_t windows_of(const RunRecord& record) {
  std::size_t windows = 1;
  const auto count = record.effective.find("windows.count");
  if (count != record.effective.end())
    std::from_chars(count->second.data(), count->second.data() + count->second.size(), windows);
  return windows;
}

bool finished(const Checkpoint& checkpoint) {
  return checkpoint.state.stage >= stages_of(checkpoint.record) &&
         checkpoint.state.finished.size() + 1 >= windows_of(checkpoint.record);
}

/// "stage 2 of 3", "its 2 stages done".
std::string stage_text(const Checkpoint& checkpoint) {
  const std::int64_t stages = stages_of(checkpoint.record);
  const std::size_t windows = windows_of(checkpoint.record);
  const std::string window =
      windows == 1
          ? ""
          : fmt::format("window {} of {}, ", checkpoint.state.finished.size() + 1, windows);
  if (!finished(checkpoint))
    return window + fmt::format("stage {} of {}", checkpoint.state.stage + 1, stages);
  return window + (stages == 1 ? "its one stage done" : fmt::format("all {} stages done", stages));
}

double number_in(std::string_view json, std::string_view name) {
  return json_number(json_entry(json, name));
}

std::string status_json(const std::string& folder) {
  const std::string file = folder + "/status.json";
  return std::filesystem::is_regular_file(file) ? read_small_file(file) : "";
}

/// Progress that the run told last, where that is later than its checkpoint.
std::string seen_text(const std::string& json, double saved_step) {
  const double step = number_in(json, "step");
  if (!(step > saved_step)) return "";
  const double loss = number_in(json, "loss"), seconds = number_in(json, "seconds");
  std::string text =
      fmt::format("seen       step {}, stage {}", step, json_text(json_entry(json, "stage")));
  if (!std::isnan(loss)) text += fmt::format(", loss {:.3e}", loss);
  if (!std::isnan(seconds)) text += fmt::format(", after {}", duration(seconds));
  return text + "\n";
}

/// The numbers that were asked for, of a run that is done.
std::string values_text(std::string_view json) {
  std::string text;
  each_json_entry(json_entry(json, "values"), [&](std::string_view name, std::string_view value) {
    text += fmt::format("value      {} = {}\n", json_text(name), value);
    return true;
  });
  return text;
}

/// " +- 5.8e-06" for an unknown, where the run found that.
std::string scatter_text(const RecordedTrust& trust, const std::string& unknown) {
  const std::optional<double> error = trust.standard_error(unknown);
  if (!error) return "";
  return std::isnan(*error) ? ", which the loss leaves open" : fmt::format(" +- {:.1e}", *error);
}

/// Errors of a result as far as they are known without a reference.
std::string errors_text(const RecordedTrust& trust, const Checkpoint& checkpoint) {
  std::string text;
  for (const RecordedEstimate& e : trust.estimates)
    text += fmt::format("error      of {}: {}{} (estimated)\n", e.field, e.text(),
                        e.is_relative() ? ", relative L2" : "");
  if (trust.estimates.empty())
    text += fmt::format("error      not estimated: {}\n", trust.no_estimates);
  if (trust.standard_errors.empty() && !checkpoint.unknowns.empty())
    text += fmt::format("found      without standard errors: {}\n", trust.no_standard_errors);
  return text;
}

std::string saved_text(const std::string& folder, const Checkpoint& checkpoint,
                       const std::string& json) {
  const TrainState& state = checkpoint.state;
  const RunRecord& record = checkpoint.record;
  std::string text = fmt::format("run        {} of {}\n", folder, problem_file(record, folder));
  text += fmt::format("program    {}\n", record.program);
  text += fmt::format("saved      step {}, {}, after {}\n", state.step, stage_text(checkpoint),
                      duration(state.seconds));
  if (const std::string line = history_line(state.history); !line.empty())
    text += fmt::format("losses     {}\n", line);
  text += fmt::format("result     {}\n", which_network(state));
  const RecordedTrust trust = recorded_trust(json, checkpoint);
  const bool judged = !state.best.parameters.empty();
  for (const auto& [name, value] : judged ? checkpoint.best_unknowns : checkpoint.unknowns)
    text += fmt::format("found      {} = {:.6g}{}\n", name, value, scatter_text(trust, name));
  return text + errors_text(trust, checkpoint) + values_text(json);
}

/// Command to go on: without a checkpoint there is but the problem file, and a finished run wants
/// more steps.
std::string go_on_text(const std::string& folder, const std::optional<Checkpoint>& checkpoint,
                       const std::string& json) {
  if (!checkpoint) {
    const std::string problem = json_text(json_entry(json, "problem"));
    return fmt::format("go on      pinn-train {} --out {} --resume\n",
                       problem.empty() ? "FILE.toml" : problem, folder);
  }
  std::string line = fmt::format("go on      pinn-train {} --resume", folder);
  if (finished(*checkpoint))
    line += fmt::format(" --set stage.{}.steps=MORE", stages_of(checkpoint->record));
  return line + "\n";
}

}  // namespace

std::string status(const std::string& folder) {
  if (!holds_run(folder))
    throw ConfigError({"the folder holds no run", folder,
                       "name a problem file, or a folder that a run has written"});
  const Found found = newest_checkpoint(folder, Contents::without_shared);
  const std::string json = status_json(folder);
  std::string text;
  for (const std::string& message : found.messages) text += message + "\n";
  text += found.checkpoint ? saved_text(folder, *found.checkpoint, json)
                           : fmt::format("run        {}, no checkpoint yet\n", folder);
  text += seen_text(json, found.checkpoint ? double(found.checkpoint->state.step) : -1);
  text += warnings_text(warnings_in(json));
  const long pid = writer_of(folder);
  if (pid > 0) text += fmt::format("now        process {} is training\n", pid);
  if (pid < 0) text += "now        another process is training\n";
  if (pid == 0)
    text += json_text(json_entry(json, "state")) == "diverged"
                ? "now        nobody is training it: its loss was no longer finite\n"
                : "now        nobody is training it\n";
  if (pid == 0) text += go_on_text(folder, found.checkpoint, json);
  if (found.checkpoint)
    text += fmt::format("export     pinn-export {} --on grid -o fields.csv\n", folder);
  return text;
}

}  // namespace pinn
