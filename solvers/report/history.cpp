#include "solvers/report/history.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "solvers/train/files/json_text.h"

namespace pinn::pages {
namespace {

constexpr std::size_t most_points = 700;  ///< of a curve

struct Group {
  std::string title, prefix, whole;  ///< `whole`: the column of all of them
  bool logarithmic = true;
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }

/// Whether a column belongs to a group, and the name of its curve there.
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

Curve history_curve(const LossHistory& history, std::size_t column, const std::string& name) {
  const std::vector<double> seconds = seconds_of(history);
  const bool timed = !seconds.empty() && std::isfinite(seconds.back());
  Curve curve{name, {}, {}, {}};
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const double value = history.values[i * history.columns.size() + column];
    if (std::isnan(value)) continue;
    curve.x.push_back(double(history.steps[i]));
    curve.values.push_back(value);
    if (timed) curve.seconds.push_back(seconds[i]);
  }
  return thinned(curve, most_points);
}

std::vector<Chart> history_charts(const LossHistory& history, const std::vector<Mark>& marks) {
  const Group groups[] = {{"Losses at the training points", "", "loss"},
                          {"Held-out residual", "held_out:", "held_out"},
                          {"Relative error against the reference", "error:", ""}};
  std::vector<Chart> charts;
  for (const Group& group : groups) {
    Chart chart{.title = group.title, .curves = {}, .marks = marks};
    for (std::size_t i = 0; i < history.columns.size(); ++i) {
      const std::string name = name_in(group, history.columns[i]);
      if (name.empty()) continue;
      Curve curve = history_curve(history, i, name);
      if (!curve.x.empty()) chart.curves.push_back(std::move(curve));
    }
    if (chart.curves.size() == 2 && !group.whole.empty()) chart.curves.erase(chart.curves.begin());
    if (!chart.curves.empty()) charts.push_back(std::move(chart));
  }
  for (std::size_t i = 0; i < history.columns.size(); ++i)
    for (const char* kind : {"unknown:", "value:"}) {
      if (!begins(history.columns[i], kind)) continue;
      const std::string name = history.columns[i].substr(std::string_view(kind).size());
      charts.push_back({.title = (kind[0] == 'u' ? "The unknown " : "The value ") + name,
                        .curves = {history_curve(history, i, name)},
                        .marks = marks,
                        .logarithmic = false});
    }
  return charts;
}

std::vector<Mark> stage_marks(const std::string& metrics_file) {
  std::vector<Mark> marks;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(metrics_file, ignored)) return marks;
  std::ifstream file(metrics_file);
  std::string line, stage;
  double step = 0, seconds = 0;
  constexpr std::size_t most = 40;
  while (std::getline(file, line) && marks.size() < most) {
    const std::string now = json_text(json_entry(line, "stage"));
    if (!now.empty() && now != stage) {
      if (!stage.empty()) marks.push_back({step, seconds, "stage " + now});
      stage = now;
    }
    step = json_number(json_entry(line, "step"));
    seconds = json_number(json_entry(line, "seconds"));
  }
  return marks;
}

}  // namespace pinn::pages
