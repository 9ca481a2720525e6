#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/run.h"
#include "solvers/train/run/state.h"
#include "solvers/train/trust/correction.h"

namespace pinn {

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
