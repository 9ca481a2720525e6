// table.csv of a sweep.
#include <fmt/format.h>

#include <cmath>

#include "data/files/disk.h"
#include "solvers/sweep/child.h"
#include "solvers/sweep/rows.h"

namespace pinn::sweep {
namespace {

/// A field of a CSV file, in quotes where it has to be (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const Line& fields) {
  std::string line;
  for (const std::string& field : fields)
    line += (&field == &fields[0] ? "" : ",") + csv_field(field);
  return line + "\n";
}

/// With all its digits; nothing where it is not known.
std::string exact(double number) { return std::isnan(number) ? "" : fmt::format("{}", number); }

}  // namespace

void write_table(const std::string& folder, const Sweep& sweep) {
  const Lock lock = Lock::awaited(folder);  // what is read under it is no older than what was
  const std::vector<Row> rows = rows_of(folder, sweep);
  const std::vector<std::string> names = number_names(rows);
  Line head;
  for (const Axis& axis : sweep.axes) head.push_back(axis.key);
  for (const char* name : {"seed", "state", "steps", "parameters", "seconds", "held_out"})
    head.push_back(name);
  head.insert(head.end(), names.begin(), names.end());
  head.push_back("folder");
  std::string text = csv_line(head);
  for (const Row& row : rows) {
    Line line = cells_of(row.member->values);
    line.push_back(std::to_string(row.member->seed));
    line.push_back(state_text(row.state, row.record));
    for (const char* name : {"steps", "parameters", "seconds", "held_out"})
      line.push_back(exact(row.number(name)));
    for (const std::string& name : names) line.push_back(exact(row.number(name)));
    line.push_back(row.member->name);
    text += csv_line(line);
  }
  write_atomically(folder + "/table.csv", {text});
}

}  // namespace pinn::sweep
