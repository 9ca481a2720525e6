#pragma once
#include <memory>
#include <span>

#include "solvers/residual/loss/loss.h"
#include "solvers/results/trust.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// Standard errors, and what is wrong with them.
struct WarnedErrors {
  StandardErrors errors = {};
  Warnings warnings = {};
};

/// Roots of the diagonal of
///
///   A^-1 J_d^T W C W J_d A^-1
///
/// for the unknowns at parameters p, with the points and weights of the state: A = J^T J is the
/// Gauss-Newton matrix of the whole weighted loss over the network's parameters and the unknowns,
/// J_d the rows of the data, W the roots of their weights, C the covariance of their noise. C is
/// diagonal, a term's deviation being what `sigma` says; else the root of its summed squares over
/// N - trace(A^-1 J_d^T W^2 J_d), its points less the parameters that they determine. In directions
/// of the network to which no residual answers A is singular: 1e-12 of A_ii is added for its
/// parameters (ten times more, and so on, where that is not enough to factorize it), and nothing
/// for the unknowns.
///
/// They speak of scatter and not of what moves all such runs to one side. So warnings say when an
/// unknown moves by more than its standard error in a Gauss-Newton step, as it is (it has not
/// settled) or with all that is no data weighted 100 times as much (the weights decide it), and
/// when the data determine more than a quarter as many parameters as there are points (their noise
/// is fitted).
///
/// Nothing is said in a problem without unknowns or data, nor of more than 3000 parameters.
WarnedErrors standard_errors(const Run& run, const std::shared_ptr<const Model>& model,
                             std::span<const double> p, const TrainState& state,
                             const LossOptions& options, ThreadPool& pool);

}  // namespace pinn
