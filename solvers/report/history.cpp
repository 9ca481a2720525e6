#include "solvers/report/history.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace pinn::pages {
namespace {

constexpr std::size_t most_points = 700;  ///< of a curve

struct Group {
  std::string title, prefix, whole;  ///< `whole`: the column of all of them
  bool logarithmic = true;
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }

/// Name of the curve of a column in a group; empty if it does not belong there.
std::string name_in(const Group& group, const std::string& column) {
  if (column == group.whole) return "all";
  if (!group.prefix.empty())
    return begins(column, group.prefix) ? column.substr(group.prefix.size()) : "";
  const bool is_term = column.find(':') == column.npos && column != "held_out";
  return is_term ? column : "";
}

}  // namespace

std::vector<double> seconds_of(const LossHistory& history) {
  std::vector<double> all;
  double seconds = 0;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const double speed = i < history.speed.size() ? history.speed[i][Speed::steps] : NAN;
    seconds += double(history.steps[i] - before) / speed;
    before = history.steps[i];
    all.push_back(seconds);
  }
  return all;
}

std::vector<Curve> history_curves(const LossHistory& history, const std::string& only) {
  const std::vector<double> seconds = seconds_of(history);
  const bool timed = !seconds.empty() && std::isfinite(seconds.back());
  const std::size_t columns = history.columns.size();
  std::vector<Curve> all;
  for (std::size_t c = 0; c < columns; ++c) {
    if (!only.empty() && history.columns[c] != only) continue;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < history.steps.size(); ++i)
      if (!std::isnan(history.values[i * columns + c])) rows.push_back(i);
    Curve& curve = all.emplace_back(Curve{history.columns[c], {}, {}, {}});
    for (const std::size_t i : some_of(rows, most_points)) {
      curve.x.push_back(double(history.steps[i]));
      curve.values.push_back(history.values[i * columns + c]);
      if (timed) curve.seconds.push_back(seconds[i]);
    }
  }
  return all;
}

std::vector<Curve> live_curves(const LiveRecords& records) {
  std::vector<Curve> all;
  for (const LiveCurve& live : records.curves()) {
    if (std::ranges::count(Speed::names, live.name()) > 0) continue;
    Curve& curve = all.emplace_back(Curve{live.name(), {}, {}, {}});
    for (const LiveCurve::Point& point : live.points()) {
      curve.x.push_back(point.step);
      curve.seconds.push_back(point.seconds);
      curve.values.push_back(point.value);
    }
  }
  return all;
}

std::vector<Chart> charts_of_curves(const std::vector<Curve>& columns,
                                    const std::vector<Mark>& marks) {
  const Group groups[] = {{"Losses at the training points", "", "loss"},
                          {"Held-out residual", "held_out:", "held_out"},
                          {"Relative error against the reference", "error:", ""}};
  std::vector<Chart> charts;
  for (const Group& group : groups) {
    Chart chart{.title = group.title, .curves = {}, .marks = marks};
    for (const Curve& column : columns) {
      Curve curve = column;
      curve.name = name_in(group, column.name);
      if (!curve.name.empty() && !curve.x.empty()) chart.curves.push_back(std::move(curve));
    }
    if (chart.curves.size() == 2 && !group.whole.empty()) chart.curves.erase(chart.curves.begin());
    if (!chart.curves.empty()) charts.push_back(std::move(chart));
  }
  for (const Curve& column : columns)
    for (const char* kind : {"unknown:", "value:"}) {
      if (!begins(column.name, kind)) continue;
      Curve curve = column;
      curve.name = column.name.substr(std::string_view(kind).size());
      charts.push_back({.title = (kind[0] == 'u' ? "The unknown " : "The value ") + curve.name,
                        .curves = {curve},
                        .marks = marks,
                        .logarithmic = false});
    }
  return charts;
}

std::vector<Chart> history_charts(const LossHistory& history, const std::vector<Mark>& marks) {
  return charts_of_curves(history_curves(history), marks);
}

std::vector<Mark> stage_marks(const LiveRecords& records) {
  std::vector<Mark> marks;
  for (const LiveRecords::Beginning& b : records.beginnings())
    marks.push_back({b.step, b.seconds, "stage " + b.stage});
  return marks;
}

std::vector<Mark> marks_of(const ReportedRun& run) {
  LiveRecords records(run.folder + "/metrics.jsonl");
  records.read();
  std::vector<Mark> marks = stage_marks(records);
  for (Mark& redraw : redraw_marks(run, marks)) marks.push_back(std::move(redraw));
  const std::vector<std::int64_t>& steps = run.checkpoint.state.history.steps;
  const std::vector<double> seconds = seconds_of(run.checkpoint.state.history);
  for (Mark& mark : marks) {  // as the curves have them: metrics.jsonl counts other work, too
    const auto at = std::ranges::lower_bound(steps, std::int64_t(mark.x)) - steps.begin();
    if (at < std::ssize(steps)) mark.seconds = seconds[std::size_t(at)];
  }
  return marks;
}

}  // namespace pinn::pages
