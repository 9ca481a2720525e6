#include "solvers/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "data/files/disk.h"
#include "solvers/report/history.h"
#include "solvers/report/png.h"
#include "solvers/report/report.h"
#include "solvers/report/views.h"
#include "solvers/report/words.h"
#include "solvers/train/export.h"
#include "solvers/train/run/windows.h"
#include "solvers/train/summary.h"
#include "solvers/train/watch/progress.h"

namespace pinn {
namespace pages {
namespace {

/// The latest value of a column of the history; NaN where there is none.
double latest(const LossHistory& history, const std::string& column) {
  const auto at = std::ranges::find(history.columns, column);
  if (at == history.columns.end()) return NAN;
  const std::size_t i = std::size_t(at - history.columns.begin());
  for (std::size_t row = history.steps.size(); row > 0; --row)
    if (const double v = history.values[(row - 1) * history.columns.size() + i]; !std::isnan(v))
      return v;
  return NAN;
}

std::string tile(const std::string& value, const std::string& name, bool bad = false) {
  return fmt::format("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>", bad ? " bad" : "",
                     escaped(value), escaped(name));
}

/// What a run came to, in a few numbers.
std::string tiles(const ReportedRun& r) {
  const TrainState& state = r.checkpoint.state;
  std::string text =
      tile(std::to_string(state.step), "steps") + tile(duration(state.seconds), "of training");
  if (!state.best.parameters.empty())
    text += tile(number_text(state.best.residual), "held-out residual");
  for (const ReferenceQuantity& q : r.run.reference.quantities) {
    const double error = latest(state.history, "error:" + q.name);
    if (std::isnan(error)) continue;
    const bool broken = !std::isnan(q.error) && error > q.error;
    text += tile(number_text(error),
                 fmt::format("relative L2 error of {}{}", q.name,
                             std::isnan(q.error) ? "" : ", promised " + number_text(q.error)),
                 broken);
  }
  for (const auto& [name, value] : r.checkpoint.best_unknowns)
    text += tile(number_text(value, 6), name);
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
  Windows windows(r.run, pool);
  for (const FinishedWindow& w : r.checkpoint.state.finished) windows.finish(w.best.parameters);
  if (r.checkpoint.state.draws.size() != windows.run().problem.requirements.size()) return "";
  return "<figure>" + points_view(windows.run(), r.checkpoint.state.draws).svg("training points") +
         "</figure>\n";
}

std::string charts_of(const ReportedRun& r) {
  std::string text;
  for (const Chart& chart :
       history_charts(r.checkpoint.state.history, stage_marks(r.folder + "/metrics.jsonl")))
    text += figure(chart);
  return text.empty()
             ? "<p>no step was recorded yet</p>\n"
             : "<div class=\"pictures\">" + text + "</div>\n" +
                   "<p class=\"under\">Draw across a chart to see a part of it, click twice "
                   "to see all.</p>\n";
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

std::string section(const std::string& title, const std::string& content) {
  return "<section><h2>" + title + "</h2>\n" + content + "</section>\n";
}

/// All that is told of one run; a failure of its pictures is told in their place.
std::string run_html(const ReportedRun& r, ThreadPool& pool) {
  return "<h1>" + escaped(r.run.name) + "</h1>\n<p class=\"under\">" + escaped(r.folder) + ": " +
         escaped(which_network(r.checkpoint.state)) + "</p>\n" + tiles(r) +
         section("What is asked", requirements_html(r.run) + "<div class=\"table\"><table>" +
                                      problem_html(r.run) + "</table></div>\n") +
         section("The result", pictures_of(r, pool)) + section("The training", charts_of(r)) +
         section("Where it was trained", points_of(r, pool)) +
         section("How it stands", "<pre>" + escaped(r.status) + "</pre>\n") +
         section("How it was made", settings_of(r));
}

/// The names of runs in a table: their folders.
std::string header_row(const std::vector<ReportedRun>& runs) {
  std::string text = "<tr><th></th>";
  for (const ReportedRun& r : runs) text += "<th>" + escaped(r.folder) + "</th>";
  return text + "</tr>\n";
}

template <class Say>
std::string compared_row(const std::string& name, const std::vector<ReportedRun>& runs, Say say) {
  std::string text = "<tr><th>" + escaped(name) + "</th>";
  for (const ReportedRun& r : runs) text += "<td>" + escaped(say(r)) + "</td>";
  return text + "</tr>\n";
}

std::string value_in_force(const ReportedRun& r, const std::string& key) {
  const auto& all = r.checkpoint.record.effective;
  const auto at = all.find(key);
  return at == all.end() ? "–" : at->second;
}

/// Errors, residuals and times of several runs, and the options in which they differ.
std::string differences(const std::vector<ReportedRun>& runs) {
  std::string rows = header_row(runs);
  std::set<std::string> errors, keys;
  for (const ReportedRun& r : runs) {
    for (const std::string& column : r.checkpoint.state.history.columns)
      if (column.starts_with("error:")) errors.insert(column);
    for (const auto& [key, value] : r.checkpoint.record.effective) keys.insert(key);
  }
  for (const std::string& error : errors)
    rows += compared_row("error of " + error.substr(6), runs, [&](const ReportedRun& r) {
      return number_text(latest(r.checkpoint.state.history, error));
    });
  rows += compared_row("held-out residual", runs, [](const ReportedRun& r) {
    return number_text(r.checkpoint.state.best.residual);
  });
  rows += compared_row(
      "steps", runs, [](const ReportedRun& r) { return std::to_string(r.checkpoint.state.step); });
  rows += compared_row("time", runs,
                       [](const ReportedRun& r) { return duration(r.checkpoint.state.seconds); });
  for (const std::string& key : keys) {
    const std::string first = value_in_force(runs[0], key);
    if (std::ranges::any_of(runs,
                            [&](const ReportedRun& r) { return value_in_force(r, key) != first; }))
      rows += compared_row(key, runs, [&](const ReportedRun& r) { return value_in_force(r, key); });
  }
  return "<div class=\"table\"><table>" + rows + "</table></div>\n";
}

/// One quantity of all runs in a chart.
std::string curves_together(const std::vector<ReportedRun>& runs) {
  std::set<std::string> columns;
  for (const ReportedRun& r : runs)
    for (const std::string& column : r.checkpoint.state.history.columns)
      if (column == "held_out" || column == "loss" || column.starts_with("error:"))
        columns.insert(column);
  std::string text;
  for (const std::string& column : columns) {
    Chart chart{.title = column == "held_out"           ? "Held-out residual"
                         : column.starts_with("error:") ? "Relative error of " + column.substr(6)
                                                        : "Loss",
                .curves = {},
                .marks = {}};
    for (const ReportedRun& r : runs) {
      const LossHistory& history = r.checkpoint.state.history;
      const auto at = std::ranges::find(history.columns, column);
      if (at != history.columns.end())
        chart.curves.push_back(
            history_curve(history, std::size_t(at - history.columns.begin()), r.folder));
    }
    text += figure(chart);
  }
  return "<div class=\"pictures\">" + text + "</div>\n";
}

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}@media (prefers-color-scheme:dark){{{}}}</style></head>\n"
      "<body>\n{}<script>{}</script></body></html>\n",
      escaped(title), page_style(), light_style(), dark_style(), body, page_script());
}

/// A name that files can have.
std::string file_name(const std::string& title) {
  std::string name;
  for (const char c : title)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
  return name.substr(0, 80);
}

}  // namespace
}  // namespace pages

std::string report_page(const std::vector<ReportedRun>& runs, int threads) {
  ThreadPool pool(threads > 0 ? threads : available_threads());
  std::string body, title;
  for (const ReportedRun& r : runs) title += (title.empty() ? "" : ", ") + r.run.name;
  if (runs.size() > 1)
    body = "<h1>Side by side</h1>\n" + pages::section("What differs", pages::differences(runs)) +
           pages::section("The training", pages::curves_together(runs));
  for (const ReportedRun& r : runs) body += "<article>" + pages::run_html(r, pool) + "</article>\n";
  return pages::page(title, body);
}

std::string report_at_end(const Run& run, const std::string& folder) try {
  const Found found = newest_checkpoint(folder);
  if (!found.checkpoint) return "";
  const std::string file = folder + "/report.html";
  write_atomically(
      file, {report_page({{folder, run, *found.checkpoint, status(folder)}}, run.options.threads)});
  return "wrote " + file + "\n";
} catch (const Error& error) {
  return fmt::format("warning: there is no report.html: {}\n", error.report.what);
}

std::vector<std::string> write_pictures(const ReportedRun& r, const std::string& folder,
                                        int threads) {
  ThreadPool pool(threads > 0 ? threads : available_threads());
  const auto networks = networks_of(r.run, r.checkpoint.state, pool, r.folder);
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    files.push_back(folder + "/" + name);
    write_atomically(files.back(), {bytes});
  };
  const pages::Views views = pages::views_of(r.run, networks, pool);
  for (const pages::HeatMap& map : views.maps)
    for (std::size_t k = 0; k < map.values.size(); ++k) {
      const std::string name = pages::file_name(
          map.thirds.empty() ? map.title
                             : fmt::format("{}_{}_{:.4g}", map.title, map.third, map.thirds[k]));
      write(name + ".svg", pages::draw(map, k).file(map.title));
      write(name + ".png", pages::image(map, k));
    }
  std::vector<pages::Chart> charts = views.charts;
  for (pages::Chart& chart : pages::history_charts(r.checkpoint.state.history,
                                                   pages::stage_marks(r.folder + "/metrics.jsonl")))
    charts.push_back(std::move(chart));
  for (const pages::Chart& chart : charts)
    write(pages::file_name(chart.title) + ".svg", pages::draw(chart).file(chart.title));
  return files;
}

}  // namespace pinn
