#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "solvers/problem/mistakes.h"

namespace pinn {

/// The noise of a data term.
struct DataNoise {
  std::string term;
  double deviation = 0;   ///< of its residual, in the unit of the data
  double freedom = 0;     ///< degrees of freedom of the estimate; 0: `sigma` says the deviation
  double determined = 0;  ///< parameters that the data determine
};

/// How far the unknowns would scatter, were the data measured again with other noise of the same
/// size (trust/standard_errors.h).
struct StandardErrors {
  std::vector<std::string> names = {};  ///< of the unknowns
  std::vector<double> values = {};      ///< in their units; NaN: the loss leaves it open
  std::vector<DataNoise> noise = {};    ///< per term of data
  std::string absent = {};              ///< why there are none, where one might expect them
};

/// The residual of an equation in slices of equal width along a coordinate, at held-out points.
struct Slices {
  std::string term, coordinate;
  double lower = 0, upper = 1;
  std::vector<double> residuals = {};  ///< root mean squares; NaN where no point lies
};

/// A slice whose residual is more than ten times that of the rest.
struct WorstPlace {
  const Slices* where = nullptr;  ///< null: there is none
  std::size_t slice = 0;
  double times = 0;  ///< the rest's
};
WorstPlace worst_place(const std::vector<Slices>& all);

/// Estimated error of a field (trust/estimate.h).
struct EstimatedError {
  std::string field;
  double relative = 0;    ///< root mean square, over that of the field
  double explained = 0;   ///< share of the squared residual that such an error accounts for
  double absolute = 0;    ///< root mean square
  bool at_least = false;  ///< `relative` is a lower bound, for a reason
  std::string why = {};   ///< ... which is this
  bool zero = false;      ///< the field is about 0: only `absolute` means something
};

/// The same of every field, or why there is none.
struct EstimatedErrors {
  std::vector<EstimatedError> fields = {};
  std::string absent = {};
};

/// Findings on a result that need no reference.
struct Trust {
  std::vector<Slices> slices = {};
  EstimatedErrors estimates = {};
  StandardErrors unknowns = {};
  Warnings warnings = {};
};

/// " +- 5.8e-06" for an unknown, by its number; empty where nothing is known.
std::string standard_error_text(const StandardErrors& errors, std::size_t unknown);
/// Lines for people.
std::string slices_text(const Trust& trust);
std::string estimates_text(const Trust& trust);
/// Source of the standard errors, or why there are none.
std::string noise_text(const Trust& trust);
}  // namespace pinn
