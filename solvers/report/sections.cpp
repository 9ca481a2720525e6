#include "solvers/report/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/history.h"
#include "solvers/report/redraws.h"
#include "solvers/report/views.h"
#include "solvers/report/words.h"
#include "solvers/train/export.h"
#include "solvers/train/files/folder_lock.h"
#include "solvers/train/summary.h"
#include "solvers/train/watch/progress.h"

namespace pinn::pages {

double latest(const LossHistory& history, const std::string& column) {
  const auto at = std::ranges::find(history.columns, column);
  if (at == history.columns.end()) return NAN;
  const std::size_t i = std::size_t(at - history.columns.begin());
  for (std::size_t row = history.steps.size(); row > 0; --row)
    if (const double v = history.values[(row - 1) * history.columns.size() + i]; !std::isnan(v))
      return v;
  return NAN;
}

std::string tile_html(const std::string& value, const std::string& name, bool bad) {
  return fmt::format("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>", bad ? " bad" : "",
                     escaped(value), escaped(name));
}

std::string section_html(const std::string& title, const std::string& content) {
  return "<section><h2>" + title + "</h2>\n" + content + "</section>\n";
}

namespace {

/// How old the page is, in steps of its run.
std::string made_at(const ReportedRun& r) {
  return fmt::format("made of the checkpoint of step {}{}", r.checkpoint.state.step,
                     writer_of(r.folder) != 0 ? ", while training went on" : "");
}

/// What a run came to, in a few numbers.
std::string tiles(const ReportedRun& r) {
  const TrainState& state = r.checkpoint.state;
  std::string text = tile_html(std::to_string(state.step), "steps") +
                     tile_html(duration(state.seconds), "of training");
  if (!state.best.parameters.empty())
    text += tile_html(number_text(state.best.residual), "held-out residual");
  for (const ReferenceQuantity& q : r.run.reference.quantities) {
    const double error = latest(state.history, "error:" + q.name);
    if (std::isnan(error)) continue;
    const bool broken = !std::isnan(q.error) && error > q.error;
    text += tile_html(number_text(error),
                      fmt::format("relative L2 error of {}{}", q.name,
                                  std::isnan(q.error) ? "" : ", promised " + number_text(q.error)),
                      broken);
  }
  for (const auto& [name, value] : r.checkpoint.best_unknowns)
    text += tile_html(number_text(value, 6), name);
  return "<div class=\"tiles\">" + text + "</div>\n";
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
                     row_html("device", escaped(record.device)) +
                     row_html("instructions", escaped(record.instruction_set));
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
  for (const auto& [key, value] : record.effective)
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
