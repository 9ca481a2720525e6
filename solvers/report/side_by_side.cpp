// Several runs on one page.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/history.h"
#include "solvers/report/sections.h"
#include "solvers/train/watch/progress.h"

namespace pinn::pages {
namespace {

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

}  // namespace

std::string differences_html(const std::vector<ReportedRun>& runs) {
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

std::string curves_together_html(const std::vector<ReportedRun>& runs) {
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
      for (Curve& curve : history_curves(r.checkpoint.state.history, column)) {
        curve.name = r.folder;
        chart.curves.push_back(std::move(curve));
      }
    }
    text += figure(chart);
  }
  return "<div class=\"pictures\">" + text + "</div>\n";
}

}  // namespace pinn::pages
