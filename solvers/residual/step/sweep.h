#pragma once
#include "autograd/tape/batch.h"
#include "autograd/tape/saved_hooks.h"
#include "solvers/residual/step/part_options.h"

/// The one definition of what is computed of a requirement: its rows at a block of points, and one
/// sweep back or forth through them. With the residuals r, weights w of terms and a of points,
///
///   R = sqrt(w / points) sqrt(a) r,   J = dR/dp,   loss = |R|^2,   gradient = J^T (2 R)
///
/// so that a gradient is J^T times a seed, and what is done with the seeded sweep is the kind:
/// summed over the points, left as rows, multiplied.
namespace pinn {

/// Inputs and outputs of a sweep, as tensors that hold numbers or are traced. `scales` are
/// w / points, [terms].
struct SweepInputs {
  std::vector<Tensor> parameters;
  Tensor scales;
  std::vector<Tensor> direction;  ///< v, one per parameter block, of J v and H v
  std::vector<Tensor> seeds;      ///< w, one per term, [points], of J^T w
  std::size_t term = 0;           ///< whose rows of J
  SavedHooksPtr hooks;            ///< of what a gradient saves
};
struct SweepOutputs {
  std::vector<Tensor> squares;  ///< value, gradient: sum a r^2 of each term
  std::vector<Tensor> rows;     ///< residual, J v: [points] of each term; undefined where zero
  std::vector<Tensor> sums;     ///< of each parameter block; undefined where zero
  std::vector<Batch> factors;   ///< rows of J by each parameter block, outer products not formed
};

/// The parameters, by which a gradient can be taken.
std::vector<Tensor> leaves_of(const std::vector<Tensor>& parameters);
/// The parameters as they move along the direction v.
std::vector<Tensor> duals(const SweepInputs& in);

/// Sweep of a part that integrates: with the weights q of a rule at its points and integrands e_i
///
///   S_i = sum q e_i
///
/// is what `squares` are, and after these dS_i v where there is a direction; the sums are dS_i/dp,
/// parameter blocks of each i, and after these d^2 S_i/dp^2 v.
SweepOutputs integral_sweep(Sweep kind, const PartOptions& options, const ChannelPlan& plan,
                            BlockPair& block, const SweepInputs& inputs);

SweepOutputs sweep(Sweep kind, const PartOptions& options, const ChannelPlan& plan,
                   BlockPair& block, const SweepInputs& inputs);

}  // namespace pinn
