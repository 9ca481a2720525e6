#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/state/run.h"

namespace pinn {

/// Sort of a number, by which rounding moves it: a mean square and a size of residuals, of which
/// terms cancel; a distance from a reference, over its size; an estimate, out of least squares; any
/// other.
enum class ClaimSort { mean_square, residual, distance, estimate, number };

/// A number that a run says of its result: "error of u", "held-out residual of burgers".
struct Claim {
  std::string name;
  double value = 0;  ///< NaN: none could be had
  ClaimSort sort = ClaimSort::number;
  double scatter = 0;  ///< by which rules of integration differ
};
using Claims = std::vector<Claim>;

/// All that can be said of the result of a state, computed anew from its networks: residuals at
/// held-out points (of every window), errors from the reference, values, unknowns, estimated and
/// standard errors; and the loss before the first step, which the seed decides.
///
///   run      as the checkpoint, out of `file`, has it, on the CPU
///   errors   ConfigError for a state of another network; FileError for one of other windows or
///   points
Claims claims_of(const Run& run, const Checkpoint& checkpoint, const std::string& file,
                 ThreadPool& pool);

/// Those of them that a run has written down: in its checkpoint, and in the text of its
/// status.json, which may be empty.
Claims recorded_claims(const Run& run, const Checkpoint& checkpoint, std::string_view status);

/// Options of a loss that judges a model, on the CPU.
LossOptions judging_options(const Run& run, const Model& model);

/// How far two programs on two processors may be apart in a number, by rounding.
double tolerance(const Claim& claim);

}  // namespace pinn
