#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/residual/loss/loss.h"
#include "solvers/state/state.h"
#include "solvers/trust/linearized.h"
#include "solvers/trust/samples.h"

namespace pinn {

/// Mean squares of a field over the domain.
struct FieldChange {
  double change = 0;   ///< of the correction
  double scatter = 0;  ///< of what each of the residuals that are left makes of it
  double size = 0;     ///< of the corrected field
  double before = 0;   ///< of the field itself
};

/// A change of the fields that the residual of a result asks for, in one space of functions.
struct Correction {
  std::string name;  ///< of the space
  std::string kind;  ///< those of one kind have their blind spots in common
  /// Squares of the residual at points that it was not fitted to, and of what the correction leaves
  /// of them.
  double squares = 0, left = 0;
  /// The residual that linearization leaves out, over the residual: large where the correction is
  /// too large to be made in one step.
  double nonlinear = 0;
  /// The largest change of the fields that what is left of the residual allows, over that which was
  /// found: large where the problem leaves something open.
  double open = 0;
  std::vector<FieldChange> fields;
  std::optional<Carried> carried;  ///< for the next window of time, where one was asked for

  /// The share of the squared residual that it accounts for; below 0: it makes the residual larger.
  double share() const { return 1 - left / squares; }
  /// How far a field is off, over its size.
  double error(std::size_t field) const;
};

/// The correction of a space by least squares at fresh points; nothing where a number is not
/// finite.
std::optional<Correction> corrected(Linearized& problem, const CorrectionSpace& space,
                                    const Samples& samples, bool carry);

/// Corrections by features that training did not have: random units beside the trained ones in
/// every hidden layer, fed by them and by one another; only what leaves the last hidden layer is
/// solved for, the trained weights there and the unknowns with it. So a correction passes through
/// the hard constraints. The rows are those of the whole weighted loss at points that training has
/// not seen, about five per feature. One correction for each of three sets of features, from smooth
/// to steep; none where the wider network has more than 200 000 parameters.
std::vector<Correction> by_wider_networks(const Run& run, const Model& model,
                                          std::span<const double> p, const TrainState& state,
                                          const LossOptions& given, const Samples& samples,
                                          ThreadPool& pool);

}  // namespace pinn
