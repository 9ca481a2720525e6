// The table of a sweep, for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "solvers/sweep/rows.h"

namespace pinn::sweep {
namespace {

constexpr std::size_t most_lines = 100;  ///< of members that are shown one by one

std::string rounded(double number) {
  if (std::isnan(number)) return "-";
  return std::isinf(number) ? "failed" : fmt::format("{:.2e}", number);
}
std::string whole(double number) {
  return std::isnan(number) ? "-" : fmt::format("{:.0f}", number);
}
std::string seconds_text(double seconds) {
  return std::isnan(seconds) ? "-" : fmt::format("{:.{}f}", seconds, seconds < 100 ? 1 : 0);
}

/// Columns side by side: texts from the left, what lies behind them from the right.
std::string aligned(const std::vector<Line>& lines, std::size_t texts) {
  std::vector<std::size_t> widths(lines[0].size());
  for (const Line& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string all;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k)
      row += (k > 0 ? "  " : "") + (k < texts ? fmt::format("{:<{}}", line[k], widths[k])
                                              : fmt::format("{:>{}}", line[k], widths[k]));
    row.erase(row.find_last_not_of(' ') + 1);
    all += row + "\n";
  }
  return all;
}

/// "error:u" as the head of a column.
std::string head_of(const std::string& name) {
  const std::string own = name.substr(name.find(':') + 1);
  return name.starts_with("error:") ? "error of " + own : own;
}

Line heads_of_axes(const Sweep& sweep) {
  Line heads;
  for (std::size_t k = 0; k < sweep.axes.size(); ++k) heads.push_back(short_key(sweep.axes, k));
  return heads;
}
std::string members_text(const Sweep& sweep, const std::vector<Row>& rows,
                         const std::vector<std::string>& names) {
  std::vector<Line> lines = {heads_of_axes(sweep)};
  for (const char* head : {"seed", "state", "steps", "parameters", "seconds", "held-out"})
    lines[0].push_back(head);
  for (const std::string& name : names) lines[0].push_back(head_of(name));
  for (const Row& row : rows) {
    Line line = cells_of(row.member->values);
    line.push_back(std::to_string(row.member->seed));
    line.push_back(state_text(row.state, row.record));
    line.push_back(whole(row.number("steps")));
    line.push_back(whole(row.number("parameters")));
    line.push_back(seconds_text(row.number("seconds")));
    line.push_back(rounded(row.number("held_out")));
    for (const std::string& name : names)
      line.push_back(name.starts_with("error:")     ? rounded(row.number(name))
                     : std::isnan(row.number(name)) ? "-"
                                                    : fmt::format("{:.6g}", row.number(name)));
    lines.push_back(std::move(line));
  }
  return aligned(lines, sweep.axes.size() + 2);
}

std::string summary_text(const Sweep& sweep, const std::vector<Row>& rows,
                         const std::vector<std::string>& names) {
  std::vector<std::string> judged;
  for (const std::string& name : names)
    if (name.starts_with("error:")) judged.push_back(name);
  if (judged.empty()) judged = {"held_out"};
  std::vector<Line> lines = {heads_of_axes(sweep)};
  for (const char* head : {"done", "parameters"}) lines[0].push_back(head);
  for (const std::string& name : judged) {
    const std::string head = name == "held_out" ? "held-out" : head_of(name);
    lines[0].push_back(head + ": median");
    lines[0].push_back("worst");
  }
  lines[0].push_back("seconds: median");
  for (const Summary& s : summaries(rows, judged)) {
    Line line = cells_of(s.values);
    line.push_back(fmt::format("{}/{}", s.done, s.members));
    line.push_back(whole(s.parameters));
    for (std::size_t k = 0; k < judged.size(); ++k)
      for (const double number : {s.median[k], s.worst[k]}) line.push_back(rounded(number));
    line.push_back(seconds_text(s.seconds));
    lines.push_back(std::move(line));
  }
  return aligned(lines, sweep.axes.size());
}

std::string failures_text(const std::string& folder, const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows)
    if (row.state == State::failed || row.state == State::diverged)
      text += fmt::format("{}: {}; its log is {}/{}/{}\n  {}\n", row.member->name,
                          state_text(row.state, row.record), folder, row.member->name, log_name,
                          row.record.error.empty() ? "it said nothing" : row.record.error);
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string table(const std::string& folder, const Sweep& sweep) {
  const std::vector<Row> rows = rows_of(folder, sweep);
  const std::vector<std::string> names = number_names(rows);
  const std::string members =
      rows.size() <= most_lines
          ? members_text(sweep, rows, names)
          : fmt::format("{} members, of which {}/table.csv has a line each\n", rows.size(), folder);
  return members + "\n" + summary_text(sweep, rows, names) + failures_text(folder, rows);
}

Count count(const std::string& folder, const Sweep& sweep) {
  Count all;
  std::size_t* const of[] = {&all.waiting,        &all.running,  &all.interrupted, &all.done,
                             &all.promise_broken, &all.diverged, &all.failed};
  for (const Row& row : rows_of(folder, sweep)) ++*of[int(row.state)];
  return all;
}

}  // namespace pinn::sweep
