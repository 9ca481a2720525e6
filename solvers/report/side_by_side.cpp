// Several runs on one page.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "solvers/records/logs/progress.h"
#include "solvers/report/axis.h"
#include "solvers/report/drawing.h"
#include "solvers/report/history.h"
#include "solvers/report/sections.h"

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

using Texts = std::map<std::string, std::string>;

/// A row for each name that some run has a text of.
template <class Say>
std::string compared_rows(const std::string& before, const std::vector<ReportedRun>& runs,
                          Say say) {
  std::vector<Texts> texts;
  std::set<std::string> names;
  for (const ReportedRun& r : runs)
    for (const auto& [name, text] : texts.emplace_back(say(r))) names.insert(name);
  std::string rows;
  for (const std::string& name : names)
    rows += compared_row(before + name, runs, [&](const ReportedRun& r) {
      const Texts& all = texts[std::size_t(&r - runs.data())];
      return all.contains(name) ? all.at(name) : "–";
    });
  return rows;
}

Texts errors_of(const ReportedRun& r) {
  Texts texts;
  for (const auto& [name, error] : r.checkpoint.state.best.errors) texts[name] = number_text(error);
  return texts;
}

Texts estimates_of(const ReportedRun& r) {
  Texts texts;
  for (const RecordedEstimate& e : trust_of(r).estimates) texts[e.field] = estimate_text(e);
  return texts;
}

Texts found_by(const ReportedRun& r) {
  Texts texts;
  const RecordedTrust trust = trust_of(r);
  for (const auto& [name, value] : found_numbers(r))
    texts[name] = number_text(value, 6) + scatter_text(trust, name);
  return texts;
}

/// Every option in which runs differ.
std::string option_rows(const std::vector<ReportedRun>& runs) {
  std::vector<std::map<std::string, std::string>> options;
  std::set<std::string> keys;
  for (const ReportedRun& r : runs) {
    options.push_back(values_in_force(r.checkpoint.record));
    for (const auto& [key, value] : options.back()) keys.insert(key);
  }
  std::string rows;
  for (const std::string& key : keys) {
    const auto value = [&](const ReportedRun& r) {
      const auto& all = options[std::size_t(&r - runs.data())];
      return all.contains(key) ? all.at(key) : "–";
    };
    if (std::ranges::any_of(runs, [&](const ReportedRun& r) { return value(r) != value(runs[0]); }))
      rows += compared_row(key, runs, value);
  }
  return rows;
}

/// Title of the chart of a column that runs have in common; empty: it has none.
std::string shared_title(const std::string& column) {
  if (column == "held_out") return "Held-out residual";
  if (column == "loss") return "Loss";
  for (const auto& [prefix, title] :
       {std::pair("error:", "Relative error of "), std::pair("unknown:", "The unknown "),
        std::pair("value:", "The value ")})
    if (column.starts_with(prefix)) return title + column.substr(std::strlen(prefix));
  return "";
}

}  // namespace

std::map<std::string, double> found_numbers(const ReportedRun& r) {
  std::map<std::string, double> all = r.checkpoint.best_unknowns;
  all.insert(r.checkpoint.state.best.values.begin(), r.checkpoint.state.best.values.end());
  return all;
}

std::map<std::string, std::string> values_in_force(const RunRecord& record) {
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : record.effective) {
    const std::size_t at = key.find(".fourier.");
    const auto features = record.effective.find(key.substr(0, at) + ".fourier.features");
    const bool none =
        at != key.npos && features != record.effective.end() && features->second == "0";
    if (!none || key == features->first) values[key] = value;
  }
  return values;
}

std::string differences_html(const std::vector<ReportedRun>& runs) {
  std::string rows = header_row(runs);
  rows += compared_rows("error of ", runs, errors_of);
  rows += compared_rows("estimated error of ", runs, estimates_of);
  rows += compared_rows("", runs, found_by);
  rows += compared_row("held-out residual", runs, [](const ReportedRun& r) {
    return number_text(r.checkpoint.state.best.residual);
  });
  rows += compared_row(
      "steps", runs, [](const ReportedRun& r) { return std::to_string(r.checkpoint.state.step); });
  rows += compared_row("time", runs,
                       [](const ReportedRun& r) { return duration(r.checkpoint.state.seconds); });
  return "<div class=\"table\"><table>" + rows + option_rows(runs) + "</table></div>\n";
}

std::string curves_together_html(const std::vector<ReportedRun>& runs) {
  std::set<std::string> columns;
  for (const ReportedRun& r : runs)
    for (const std::string& column : r.checkpoint.state.history.columns)
      if (!shared_title(column).empty()) columns.insert(column);
  std::string text;
  for (const std::string& column : columns) {
    const bool is_number = column.starts_with("unknown:") || column.starts_with("value:");
    Chart chart{.title = shared_title(column), .curves = {}, .logarithmic = !is_number};
    for (const ReportedRun& r : runs)
      for (Curve& curve : history_curves(r.checkpoint.state.history, column)) {
        if (curve.x.empty()) continue;
        curve.name = r.folder;
        chart.curves.push_back(std::move(curve));
      }
    if (!chart.curves.empty()) text += figure(chart);
  }
  return "<div class=\"pictures\">" + text + "</div>\n";
}

}  // namespace pinn::pages
