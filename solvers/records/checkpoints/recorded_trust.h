#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/records/checkpoints/checkpoint.h"

// Errors as a finished run wrote them down (trust.h), read back by whoever shows the run.
namespace pinn {

/// The error that a field was estimated to have.
struct RecordedEstimate {
  std::string field;
  double relative = NAN;   ///< L2, over that of the field; NaN: the field is 0
  double absolute = NAN;   ///< root mean square, in the unit of the field; NaN: not recorded
  double explained = NAN;  ///< share of the squared residual that such an error accounts for
  bool at_least = false;   ///< it is a lower bound: the error may be far larger

  /// Relative, where that is known, of one digit: no estimate knows more. A bound is rounded down.
  double rounded() const;
  bool is_relative() const { return std::isfinite(relative); }
  /// "about", "at least".
  const char* word() const;
  /// "about 3e-05", "at least 1e-03", "about 2e-07, absolute".
  std::string text() const;
};

/// Estimated errors and standard errors of a run, or why there are none.
struct RecordedTrust {
  std::vector<RecordedEstimate> estimates = {};
  std::string no_estimates = {};  ///< why, where there is none
  /// Unknowns by name, in their units; NaN: the loss leaves it open.
  std::vector<std::pair<std::string, double>> standard_errors = {};
  /// Why, where there is none; of a problem without unknowns, too.
  std::string no_standard_errors = {};

  /// That of an unknown; nothing where there is none.
  std::optional<double> standard_error(std::string_view unknown) const;
};

/// The part of a status.json that is of this; with the reasons that are written there alone.
RecordedTrust trust_in(std::string_view status);

/// The same of the result that a checkpoint holds: a status of another step, or of a run that is
/// not done, says nothing of it. Where something is absent there is a reason.
RecordedTrust recorded_trust(std::string_view status, const Checkpoint& checkpoint);

}  // namespace pinn
