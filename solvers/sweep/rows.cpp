#include "solvers/sweep/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace pinn::sweep {
namespace {

constexpr const char* kinds[] = {"error:", "unknown:", "value:"};
constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_done(const Row& row) {
  return row.state == State::done || row.state == State::promise_broken;
}
bool is_failed(const Row& row) {
  return row.state == State::diverged || row.state == State::failed;
}

/// The middle one, or the mean of the two there; NaN of none.
double middle(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Numbers of the members that have ended; one that has no such number though it should is as bad
/// as can be.
std::vector<double> ended(const std::vector<const Row*>& rows, const std::string& name) {
  std::vector<double> values;
  for (const Row* row : rows) {
    const double value = row->number(name);
    if (is_done(*row)) values.push_back(std::isnan(value) ? infinity : value);
    if (is_failed(*row)) values.push_back(infinity);
  }
  return values;
}

Summary summary_of(const std::vector<const Row*>& rows, const std::vector<std::string>& names) {
  Summary s;
  s.values = rows[0]->member->values;
  s.members = rows.size();
  s.parameters = NAN;
  std::vector<double> seconds;
  for (const Row* row : rows) {
    s.done += is_done(*row);
    s.failed += is_failed(*row);
    if (const double count = row->number("parameters"); !std::isnan(count)) s.parameters = count;
    if (is_done(*row)) seconds.push_back(row->number("seconds"));
  }
  s.seconds = middle(seconds);
  for (const std::string& name : names) {
    const std::vector<double> values = ended(rows, name);
    s.median.push_back(middle(values));
    s.worst.push_back(values.empty() ? NAN : std::ranges::max(values));
  }
  return s;
}

}  // namespace

double Row::number(const std::string& name) const {
  if (!record.results) return NAN;
  const Results& r = *record.results;
  if (name == "steps") return r.steps;
  if (name == "parameters") return r.parameters;
  if (name == "seconds") return r.seconds;
  if (name == "held_out") return r.held_out;
  for (const auto& [known, value] : r.numbers)
    if (known == name) return value;
  return NAN;
}

std::vector<Row> rows_of(const std::string& folder, const Sweep& sweep) {
  std::vector<Row> rows;
  for (const Member& member : sweep.members) {
    const std::string place = folder + "/" + member.name;
    MemberRecord record = read_record(place);
    const State state = state_of(place, record);
    rows.push_back({&member, state, std::move(record)});
  }
  return rows;
}

std::vector<std::string> number_names(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const char* kind : kinds)
    for (const Row& row : rows)
      if (row.record.results)
        for (const auto& [name, value] : row.record.results->numbers)
          if (name.starts_with(kind) && std::ranges::find(names, name) == names.end())
            names.push_back(name);
  return names;
}

Line cells_of(const std::vector<std::string>& values) {
  Line cells;
  for (const std::string& toml : values) {
    const bool plain = toml.size() >= 2 && toml.front() == '"' && toml.find('\\') == toml.npos;
    cells.push_back(plain ? toml.substr(1, toml.size() - 2) : toml);
  }
  return cells;
}

std::vector<Summary> summaries(const std::vector<Row>& rows,
                               const std::vector<std::string>& names) {
  std::vector<std::vector<const Row*>> groups;
  std::map<std::vector<std::string>, std::size_t> group_at;
  for (const Row& row : rows) {
    const auto [at, is_new] = group_at.emplace(row.member->values, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&row);
  }
  std::vector<Summary> all;
  for (const auto& group : groups) all.push_back(summary_of(group, names));
  const auto order = [](const Summary& s) {  // those of which nothing is known come last
    const double m = s.median.empty() ? NAN : s.median[0];
    return std::pair(std::isnan(m), m);
  };
  std::ranges::stable_sort(all, [&](const Summary& a, const Summary& b) {
    const auto [unknown_a, median_a] = order(a);
    const auto [unknown_b, median_b] = order(b);
    return unknown_a != unknown_b ? unknown_b : !unknown_a && median_a < median_b;
  });
  return all;
}

}  // namespace pinn::sweep
