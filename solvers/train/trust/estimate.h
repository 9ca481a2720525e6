#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/run.h"
#include "solvers/train/run/state.h"
#include "solvers/train/trust.h"

namespace pinn {

/// How far each field may be off, from the residual alone: the residual is linearized around the
/// network, and the correction d that makes it small is what is missing,
///
///   R + J d ~ 0 by least squares,   |d| / |u| by root mean squares.
///
/// d is a combination of features that training did not have: random units beside the trained ones
/// in every hidden layer, fed by them and by one another, of several widths; only what leaves the
/// last hidden layer is solved for, the trained weights there and the unknowns with it. So a
/// correction passes through the hard constraints. The rows are those of the whole weighted loss at
/// points that training has not seen, about five per feature. Of three sets of features, from
/// smooth to steep, the one that takes most of the linearized residual away at yet other points is
/// used, and what share of the squared residual that is, is told: where it is small, the estimate
/// is rough.
///
/// `absent` where there are but data, where the wider network has more than 200 000 parameters, or
/// where no correction helps.
EstimatedErrors estimated_errors(const Run& run, const Model& model, std::span<const double> p,
                                 const TrainState& state, const LossOptions& options,
                                 ThreadPool& pool);

}  // namespace pinn
