// Runs as the door shows them: opened, and told of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "autograd/core/version.h"
#include "configs/recorded.h"
#include "data/files/disk.h"
#include "door/handles.h"
#include "solvers/report/report.h"
#include "solvers/watch/follow.h"
#include "solvers/watch/summary.h"

namespace pinn::door {

char* given(const std::string& text) noexcept {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string taken(const char* text, const char* name) {
  if (!text) throw WrongUsage{fmt::format("the argument '{}' is NULL", name)};
  return text;
}

namespace {

/// The latest finite value of a column.
double latest(const LossHistory& history, std::size_t column) {
  const std::size_t width = history.columns.size();
  for (std::size_t row = history.steps.size(); row-- > 0;)
    if (std::isfinite(history.values[row * width + column]))
      return history.values[row * width + column];
  return NAN;
}

}  // namespace

std::vector<NamedNumbers> lists_of(const OpenRun& opened) {
  const TrainState& state = opened.checkpoint.state;
  const bool judged = !state.best.parameters.empty();
  std::vector<NamedNumbers> lists(PINN_STANDARD_ERRORS + 1);
  for (const Coordinate& c : opened.run.problem.coordinates)
    lists[PINN_COORDINATES].push_back({c.name, c.lower});
  for (const Field& field : opened.run.problem.fields) {
    const std::pair<std::string, double> whole(field.piece_of.empty() ? field.name : field.piece_of,
                                               0);
    if (lists[PINN_FIELDS].empty() || lists[PINN_FIELDS].back() != whole)
      lists[PINN_FIELDS].push_back(whole);
  }
  for (const auto& unknown : judged ? opened.checkpoint.best_unknowns : opened.checkpoint.unknowns)
    lists[PINN_UNKNOWNS].push_back(unknown);
  lists[PINN_FACTS] = {{"step", double(judged ? state.best.step : state.step)},
                       {"steps", double(state.step)},
                       {"held_out", judged ? state.best.residual : NAN},
                       {"seconds", state.seconds},
                       {"parameters", double(state.parameters.numel())}};
  for (std::size_t k = 0; k < state.history.columns.size(); ++k)
    lists[PINN_HISTORY].push_back({state.history.columns[k], latest(state.history, k)});
  for (const auto& error : state.best.errors) lists[PINN_ERRORS].push_back(error);
  for (const RecordedEstimate& e : opened.trust.estimates)
    lists[PINN_ESTIMATED_ERRORS].push_back({e.field, e.relative});
  lists[PINN_STANDARD_ERRORS] = opened.trust.standard_errors;
  return lists;
}

std::shared_ptr<OpenRun> open_run(const std::string& folder) {
  const Found found = found_run(folder);
  std::string notes;
  for (const std::string& message : found.messages) notes += message + "\n";
  return std::make_shared<OpenRun>(
      OpenRun{nullptr, folder, recorded_run(found, folder), *found.checkpoint, notes,
              recorded_trust(status_json_of(folder), *found.checkpoint)});
}

namespace {

std::string text_of(pinn_run& run, int kind) {
  const OpenRun& opened = *run.opened;
  switch (kind) {
    case PINN_STATUS:
      return status(opened.folder);
    case PINN_SOURCE:
      return opened.checkpoint.record.config;
    case PINN_NOTES:
      return opened.notes;
    case PINN_FOLDER:
      return opened.folder;
    case PINN_REPORT: {
      const std::lock_guard lock(run.at_work);
      return report_page({{opened.folder, opened.run, opened.checkpoint, status(opened.folder)}},
                         0);
    }
    case PINN_NO_ESTIMATES:
      return opened.trust.no_estimates;
    case PINN_NO_STANDARD_ERRORS:
      return opened.trust.no_standard_errors;
    default:
      throw WrongUsage{fmt::format("there is no text {}", kind)};
  }
}

double part_of(const RecordedEstimate& estimate, int part) {
  switch (part) {
    case PINN_RELATIVE:
      return estimate.relative;
    case PINN_ABSOLUTE:
      return estimate.absolute;
    case PINN_EXPLAINED:
      return estimate.explained;
    case PINN_AT_LEAST:
      return estimate.at_least;
    default:
      return NAN;
  }
}

const std::pair<std::string, double>* entry(const pinn_run* run, int list, std::size_t index) {
  if (!run || list < 0 || std::size_t(list) >= run->lists.size()) return nullptr;
  const NamedNumbers& entries = run->lists[std::size_t(list)];
  return index < entries.size() ? &entries[index] : nullptr;
}

}  // namespace
}  // namespace pinn::door

using namespace pinn::door;

const char* pinn_version() {
  static const std::string text(pinn::version());
  return text.c_str();
}

void pinn_free(char* text) { std::free(text); }

int pinn_load(const char* folder, pinn_run** run, char** error) {
  return guarded(error, [&] {
    if (!run) throw WrongUsage{"the argument 'run' is NULL"};
    const auto opened = open_run(taken(folder, "folder"));
    *run = new pinn_run{opened, lists_of(*opened)};
    return PINN_DONE;
  });
}

void pinn_close(pinn_run* run) { delete run; }

size_t pinn_count(const pinn_run* run, int list) {
  const bool there = run && list >= 0 && size_t(list) < run->lists.size();
  return there ? run->lists[size_t(list)].size() : 0;
}

const char* pinn_name(const pinn_run* run, int list, size_t index) {
  const auto* found = entry(run, list, index);
  return found ? found->first.c_str() : nullptr;
}

double pinn_number(const pinn_run* run, int list, size_t index) {
  const auto* found = list == PINN_FIELDS ? nullptr : entry(run, list, index);
  return found ? found->second : NAN;
}

void pinn_range(const pinn_run* run, size_t index, double range[2]) {
  if (!range) return;
  range[0] = range[1] = NAN;
  if (!entry(run, PINN_COORDINATES, index)) return;
  const pinn::Coordinate& c = run->opened->run.problem.coordinates[index];
  range[0] = c.lower, range[1] = c.upper;
}

double pinn_estimate(const pinn_run* run, size_t index, int part) {
  return entry(run, PINN_ESTIMATED_ERRORS, index)
             ? part_of(run->opened->trust.estimates[index], part)
             : NAN;
}

size_t pinn_history(const pinn_run* run, size_t column, size_t room, int64_t* steps,
                    double* values) {
  if (!entry(run, PINN_HISTORY, column)) return 0;
  const pinn::LossHistory& history = run->opened->checkpoint.state.history;
  const size_t width = history.columns.size(), count = history.steps.size();
  for (size_t row = 0; row < std::min(room, count); ++row) {
    if (steps) steps[row] = history.steps[row];
    if (values) values[row] = history.values[row * width + column];
  }
  return count;
}

int pinn_text(const pinn_run* run, int kind, char** text, char** error) {
  return guarded(error, [&] {
    if (!run || !text) throw WrongUsage{"the argument 'run' or 'text' is NULL"};
    char* copy = given(text_of(const_cast<pinn_run&>(*run), kind));
    if (!copy) throw std::bad_alloc();
    *text = copy;
    return PINN_DONE;
  });
}
