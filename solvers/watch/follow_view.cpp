#include "solvers/watch/follow_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/records/logs/progress.h"
#include "solvers/state/speed.h"

namespace pinn {
namespace {

constexpr int chart_rows = 5, least_columns = 36, gap = 3;

/// Text of others on one line of a terminal.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return visible(text);
}

/// Cut or filled up to a width.
std::string fitted(const std::string& text, int columns) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && ++width > columns)
      return text.substr(0, i);
  return text + std::string(std::size_t(columns - width), ' ');
}

/// ASCII alone, where a terminal has nothing else.
std::string plain(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return text;
}

double number(const std::string& json, std::string_view name) {
  return json_number(json_entry(json, name));
}

bool is_logarithmic(const std::string& name) {
  return !name.starts_with("unknown:") && !name.starts_with("value:");
}

std::string shown_name(const std::string& name) {
  if (name == "held_out") return "held out";
  if (name.starts_with("error:")) return "error of " + name.substr(6);
  const std::size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

std::string shown_value(const std::string& name, double value) {
  return is_logarithmic(name) ? fmt::format("{:.3e}", value) : fmt::format("{:.6g}", value);
}

/// Curves that are worth showing, the most telling first.
std::vector<const LiveCurve*> telling(const LiveRecords& records) {
  std::vector<const LiveCurve*> found;
  for (const char* kind : {"loss", "held_out", "error:", "unknown:", "value:"})
    for (const LiveCurve& curve : records.curves()) {
      const std::string_view name = curve.name(), wanted = kind;
      if (name == wanted || (wanted.ends_with(':') && name.starts_with(wanted)))
        found.push_back(&curve);
    }
  return found;
}

/// Stage that the status tells of, as it is called there; as in the records where it is not.
std::string told_stage(const FollowView& view) {
  const std::string name = json_text(json_entry(view.status, "stage_name"));
  const auto& latest = view.records.latest();
  return !name.empty() ? name : latest ? latest->stage : "";
}

/// True where the status and the latest record tell of two stages: one was written before a stage
/// ended, and one after.
bool are_of_two_stages(const FollowView& view) {
  const auto& latest = view.records.latest();
  return latest && latest->stage != told_stage(view);
}
bool is_status_behind(const FollowView& view) {
  return are_of_two_stages(view) &&
         double(view.records.latest()->step) > number(view.status, "step");
}

/// The stage at work, "adam 1/2", with its window where there are several.
std::string stage_text(const FollowView& view) {
  const double window = number(view.status, "window"), windows = number(view.status, "windows");
  const std::string in = windows > 1 ? fmt::format("window {}/{}  ", window, windows) : "";
  if (is_status_behind(view)) return in + one_line(view.records.latest()->stage);
  const std::string name = told_stage(view);
  if (name.empty()) return in + "before its first record";
  const double stage = number(view.status, "stage"), stages = number(view.status, "stages");
  if (!(stages > 0 && stage > 0)) return in + one_line(name);
  return in + numbered_stage(one_line(name), std::int64_t(stage), std::int64_t(stages));
}

/// Steps of the stage as they are now, by the step at which the stage began. NaN where the status
/// does not tell.
struct StageSteps {
  double made = NAN, all = NAN;

  explicit StageSteps(const FollowView& view) {
    if (is_status_behind(view)) return;
    const double begun = number(view.status, "step") - number(view.status, "stage_step");
    const auto& latest = view.records.latest();
    const double step = std::max(latest ? double(latest->step) : 0, number(view.status, "step"));
    all = number(view.status, "stage_steps");
    made = std::clamp(step - begun, 0.0, all);
  }
};

std::string steps_text(const FollowView& view) {
  const auto& latest = view.records.latest();
  const StageSteps steps(view);
  std::string text;
  if (steps.made <= steps.all) text = fmt::format("step {} of {}", steps.made, steps.all);
  if (latest) text += fmt::format("{}{} in all", text.empty() ? "" : ", ", latest->step);
  return text;
}

std::string speed_text(const FollowView& view) {
  const auto& latest = view.records.latest();
  if (!latest) return "";
  std::string text;
  const double speed = are_of_two_stages(view) ? NAN : latest->at("steps_per_second");
  if (speed > 0) text += fmt::format("  {} steps/s", short_count(speed));
  const StageSteps steps(view);
  if (speed > 0 && steps.made < steps.all)
    text += fmt::format("  {} left", duration((steps.all - steps.made) / speed));
  if (const double seconds = latest->seconds(); std::isfinite(seconds))
    text += fmt::format("  after {}", duration(seconds));
  return text;
}

/// A curve with its name and latest value above.
std::vector<std::string> chart(const LiveCurve& curve, int columns, const TerminalLook& look) {
  std::vector<double> x, y;
  for (const LiveCurve::Point& p : curve.points()) x.push_back(p.step), y.push_back(p.value);
  std::vector<std::string> rows =
      sketch(x, y, {columns, chart_rows, look.braille, is_logarithmic(curve.name())});
  for (std::string& row : rows)
    row = look.color ? "\x1b[36m" + fitted(row, columns) + "\x1b[0m" : fitted(row, columns);
  std::string title = fmt::format("{} {}", one_line(shown_name(curve.name())),
                                  shown_value(curve.name(), curve.latest()));
  title = fitted(look.braille ? title : plain(title), columns);
  rows.insert(rows.begin(), look.color ? "\x1b[1m" + title + "\x1b[0m" : title);
  return rows;
}

}  // namespace

std::string FollowView::progress() const {
  return stage_text(*this) + "  " + steps_text(*this) + speed_text(*this);
}

std::vector<FollowView::Value> FollowView::values() const {
  std::vector<Value> all;
  for (const LiveCurve* curve : telling(records))
    all.push_back(
        {one_line(shown_name(curve->name())), shown_value(curve->name(), curve->latest())});
  return all;
}

std::string FollowView::line() const {
  std::string numbers;
  for (const Value& value : values()) numbers += fmt::format("  {} {}", value.name, value.text);
  return stage_text(*this) + "  " + steps_text(*this) + numbers + speed_text(*this);
}

std::vector<std::string> FollowView::lines(const TerminalLook& look) const {
  const int columns = std::max(look.columns - 1, 1), most = std::max(look.rows - 1, 1);
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    std::string line = fitted(look.braille ? text : plain(text), columns);
    line.resize(line.find_last_not_of(' ') + 1);
    if (int(all.size()) < most) all.push_back(line);
  };
  add(one_line(folder) + "  " + one_line(json_text(json_entry(status, "state"))));
  add(progress());
  int warnings = 0;
  each_json_value(json_entry(status, "warnings"), [&](std::string_view) { return ++warnings > 0; });
  if (warnings > 0)
    add(fmt::format("{} {}: pinn-train {} tells", warnings, warnings == 1 ? "warning" : "warnings",
                    one_line(folder)));
  const std::vector<const LiveCurve*> curves = telling(records);
  const int beside = std::clamp((columns + gap) / (least_columns + gap), 1, 3);
  const int wide = std::min((columns + gap) / beside - gap, 70);
  for (std::size_t k = 0; k < curves.size(); k += std::size_t(beside)) {
    if (int(all.size()) + chart_rows + 2 > most) {  // no room: the numbers alone
      std::string rest;
      for (; k < curves.size(); ++k)
        rest += fmt::format("{}{} {}", rest.empty() ? "" : "  ",
                            one_line(shown_name(curves[k]->name())),
                            shown_value(curves[k]->name(), curves[k]->latest()));
      add(rest);
      break;
    }
    std::vector<std::string> rows(chart_rows + 1);
    for (std::size_t i = k; i < std::min(k + std::size_t(beside), curves.size()); ++i) {
      const std::vector<std::string> one = chart(*curves[i], wide, look);
      for (std::size_t r = 0; r < rows.size(); ++r)
        rows[r] += (i == k ? "" : std::string(gap, ' ')) + one[r];
    }
    add("");
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace pinn
