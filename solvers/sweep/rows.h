#pragma once
#include <string>
#include <vector>

#include "solvers/sweep/member_record.h"

namespace pinn::sweep {

/// A member as it stands.
struct Row {
  const Member* member = nullptr;
  State state = State::waiting;
  MemberRecord record;

  /// A number of its results; NaN where it is not known.
  double number(const std::string& name) const;
};
std::vector<Row> rows_of(const std::string& folder, const Sweep& sweep);

/// The names of all numbers that some member has: errors first, then unknowns, then values.
std::vector<std::string> number_names(const std::vector<Row>& rows);

/// The cells of a line of a table.
using Line = std::vector<std::string>;
/// Values as a table has them: texts without their quotes.
Line cells_of(const std::vector<std::string>& values);

/// Summary of the seeds of a combination.
struct Summary {
  std::vector<std::string> values;
  std::size_t members = 0, done = 0, failed = 0;
  double parameters = 0;
  std::vector<double> median, worst;  ///< per name that was asked for; infinite: some failed
  double seconds = 0;                 ///< the median
};
/// Summaries of all combinations, the best median of the first name first. A member that failed
/// counts as one whose errors are infinite; one that is not done counts for nothing.
std::vector<Summary> summaries(const std::vector<Row>& rows, const std::vector<std::string>& names);

}  // namespace pinn::sweep
