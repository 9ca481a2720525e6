#include "solvers/report/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "solvers/records/fields/export.h"
#include "solvers/records/folder/folder_lock.h"
#include "solvers/records/logs/progress.h"
#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/history.h"
#include "solvers/report/views.h"
#include "solvers/report/words.h"
#include "solvers/results/results.h"
#include "solvers/state/windows.h"
#include "solvers/watch/summary.h"

namespace pinn::pages {

std::string tile_html(const std::string& value, const std::string& name, bool bad) {
  return fmt::format("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>", bad ? " bad" : "",
                     escaped(value), escaped(name));
}

std::string section_html(const std::string& title, const std::string& content) {
  return "<section><h2>" + title + "</h2>\n" + content + "</section>\n";
}

double promised(const Run& run, const std::string& name) {
  for (const ReferenceQuantity& q : run.reference.quantities)
    if (q.name == name) return q.error;
  for (const ReferenceValue& v : run.reference.values)
    if (v.name == name) return v.error;
  return NAN;
}

namespace {

/// How old the page is, in steps of its run.
std::string made_at(const ReportedRun& r) {
  return fmt::format("made of the checkpoint of step {}{}", r.checkpoint.state.step,
                     writer_of(r.folder) != 0 ? ", while training went on" : "");
}

/// An error of the result beside its promise. In windows of time it is of one of them, which keeps
/// no promise, until the last is done.
std::string error_tile(const ReportedRun& r, const std::string& name, double error) {
  const TrainState& state = r.checkpoint.state;
  const std::size_t windows = window_count(r.run), now = state.finished.size() + 1;
  const bool is_part = windows > 1 && (now < windows || state.stage < std::ssize(r.run.stages));
  const double most = is_part ? NAN : promised(r.run, name);
  const bool is_value = r.checkpoint.state.best.values.contains(name);
  return tile_html(number_text(error),
                   fmt::format("relative {}error of {}{}{}", is_value ? "" : "L2 ", name,
                               is_part ? fmt::format(" in window {}", now) : "",
                               std::isnan(most) ? "" : ", promised " + number_text(most)),
                   error > most);
}

/// Tiles of the numbers that a run found, with what is known of their scatter.
std::string found_tiles(const ReportedRun& r, const RecordedTrust& trust) {
  std::string text;
  for (const auto& [name, value] : found_numbers(r))
    text += tile_html(number_text(value, 6) + scatter_text(trust, name), name);
  return text;
}

/// Why something that one looks for is not among the tiles.
std::string absent_html(const ReportedRun& r, const RecordedTrust& trust) {
  std::string text;
  const auto say = [&](const char* what, const std::string& why) {
    text += fmt::format("<p class=\"under\">{}: {}</p>\n", what, escaped(why));
  };
  if (trust.estimates.empty()) say("no estimated error", trust.no_estimates);
  if (trust.standard_errors.empty() && !r.run.problem.unknowns.empty())
    say("no standard errors", trust.no_standard_errors);
  return text;
}

/// Outcome of a run in a few numbers: those of its result.
std::string tiles(const ReportedRun& r) {
  const TrainState& state = r.checkpoint.state;
  const RecordedTrust trust = trust_of(r);
  std::string text = tile_html(std::to_string(state.step), "steps") +
                     tile_html(duration(state.seconds), "of training");
  if (!state.best.parameters.empty())
    text += tile_html(number_text(state.best.residual), "held-out residual");
  for (const auto& [name, error] : state.best.errors)
    if (!std::isnan(error)) text += error_tile(r, name, error);
  text += estimate_tiles(trust) + found_tiles(r, trust);
  return "<div class=\"tiles\">" + text + "</div>\n" + absent_html(r, trust);
}

std::string pictures_of(const ReportedRun& r, ThreadPool& pool) {
  const auto networks = networks_of(r.run, r.checkpoint.state, pool, r.folder);
  const Views views = views_of(r.run, networks, pool);
  std::string text;
  for (const HeatMap& map : views.maps) text += figure(map);
  for (const Chart& chart : views.charts) text += figure(chart);
  std::string notes;
  for (const std::string& note : views.notes)
    notes += "<p class=\"under\">" + escaped(note) + "</p>";
  return notes + "<div class=\"pictures\">" + text + "</div>\n";
}

std::string points_of(const ReportedRun& r, ThreadPool& pool) {
  const auto drawing = points_view(r, pool);
  return drawing ? "<figure>" + drawing->svg("training points") + "</figure>\n" : "";
}

std::string charts_of(const ReportedRun& r) {
  std::error_code ignored;
  const bool marked = std::filesystem::is_regular_file(r.folder + "/metrics.jsonl", ignored);
  const std::vector<Mark> marks = marks_of(r);
  const std::string redraws = escaped(redraws_text(r, marks));
  std::string text;
  for (const Chart& chart : history_charts(r.checkpoint.state.history, marks))
    text += figure(chart);
  return text.empty()
             ? "<p>no step was recorded yet</p>\n"
             : "<div class=\"pictures\">" + text + "</div>\n" +
                   "<p class=\"under\">Draw across a chart to see a part of it, click twice "
                   "to see all." +
                   (redraws.empty() ? "" : " " + redraws + ".") +
                   (marked ? "" : " No stage is marked: there is no metrics.jsonl.") + "</p>\n";
}

std::string settings_of(const ReportedRun& r) {
  const RunRecord& record = r.checkpoint.record;
  std::string rows = row_html("problem file", escaped(record.path)) +
                     row_html("program", escaped(record.program)) +
                     row_html("device", escaped(record.device));
  for (const auto& [name, value] :
       {std::pair("processor", &record.processor), std::pair("threads", &record.threads)})
    if (!value->empty()) rows += row_html(name, escaped(*value));
  rows += row_html("instructions", escaped(record.instruction_set));
  for (const auto& [file, hash] : record.hashes)
    rows += row_html(file, "SHA-256 <code>" + escaped(hash) + "</code>");
  std::string text = "<div class=\"table\"><table>" + rows + "</table></div>\n";
  text += "<h3>The problem file</h3><pre>" + escaped(record.config) + "</pre>\n";
  if (!record.overrides.empty()) {
    std::string all;
    for (const std::string& one : record.overrides) all += "--set " + one + "\n";
    text += "<h3>Overrides</h3><pre>" + escaped(all) + "</pre>\n";
  }
  if (!record.chosen.empty())
    text += "<h3>Chosen by the program</h3><pre>" + escaped(record.chosen) + "</pre>\n";
  std::string values;
  for (const auto& [key, value] : values_in_force(record))
    values += row_html(key, "<code>" + escaped(value) + "</code>");
  return text + "<details><summary>Every value in force</summary><div class=\"table\"><table>" +
         values + "</table></div></details>\n";
}

}  // namespace

std::string run_html(const ReportedRun& r, ThreadPool& pool) {
  return "<h1>" + escaped(r.run.name) + "</h1>\n<p class=\"under\">" + escaped(r.folder) + ": " +
         escaped(which_network(r.checkpoint.state)) + "; " + made_at(r) + "</p>\n" + tiles(r) +
         section_html("What is asked", requirements_html(r.run) + "<div class=\"table\"><table>" +
                                           problem_html(r.run) + "</table></div>\n") +
         section_html("The result", pictures_of(r, pool)) +
         section_html("The training", charts_of(r)) +
         section_html("Where it was trained", points_of(r, pool)) +
         section_html("How it stands", "<pre>" + escaped(r.status) + "</pre>\n") +
         section_html("How it was made", settings_of(r));
}

}  // namespace pinn::pages
