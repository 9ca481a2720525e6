#pragma once
#include <memory>
#include <vector>

#include "solvers/residual/loss/loss.h"
#include "solvers/results/trust.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"
#include "solvers/trust/correction.h"

namespace pinn {

/// The windows of a run that are trained, with networks of all of them; weights of terms of all but
/// the last are those of the file.
std::vector<TrainedWindow> trained_windows(const Run& run,
                                           const std::vector<TrainedNetwork>& networks,
                                           const TrainState& state, ThreadPool& pool);

/// Corrections of a result, each in another space of functions and over all windows, until two of
/// different kinds explain the residual and agree; the best first.
struct Corrections {
  std::vector<Correction> all;
  std::string absent = {};  ///< why there are none, or only those by features of the network
};
Corrections corrections(const std::vector<TrainedWindow>& windows, const TrainState& state,
                        const LossOptions& options, ThreadPool& pool);

/// How far each field may be off, from the residual alone. It is linearized around the result, and
/// the correction d that makes it small is what is missing,
///
///   R + J d ~ 0 by least squares,   |d| / |u + d| by root mean squares over the domain.
///
/// d is sought in several spaces of functions of the coordinates: even and uneven splines
/// (polynomials in four coordinates and more), these times a slope of the field, and features of a
/// wider network. The rows are the weighted residuals at points that training has not seen; d
/// vanishes where the field's form is exact. What the residuals that are left make of the field,
/// each with a sign of its own, is added. Over windows of time a correction begins with what that
/// of the window before ends with.
///
/// A number is said where the two spaces that explain most of the residual at yet other points
/// agree within a factor of three. Else, and where linearization does not hold, a condition is
/// missing or something is hidden from the residual, a third of the smallest is a lower bound. A
/// field that is about 0 has an absolute error alone.
struct WarnedEstimates {
  EstimatedErrors errors = {};
  Warnings warnings = {};  ///< of what is hidden from the residual
};
WarnedEstimates estimated_errors(const std::vector<TrainedWindow>& windows, const TrainState& state,
                                 const LossOptions& options, ThreadPool& pool);

}  // namespace pinn
