#pragma once
#include <memory>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/parallel.h"
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/evaluate/forms.h"
#include "solvers/residual/evaluate/residuals.h"

namespace pinn {

class StepCache;

/// Quantities asked of a requirement (sweep.h says how they are computed).
enum class Sweep : unsigned char {
  value,             ///< sums of squares
  gradient,          ///< these, and J^T (2 R)
  residual,          ///< R
  jacobian,          ///< rows of J, as factors
  jacobian_times,    ///< J v
  transposed_times,  ///< J^T w
  hessian_times,     ///< H v
};

inline bool is_loss(Sweep kind) { return kind == Sweep::value || kind == Sweep::gradient; }
/// True if a kind has one number per row; the others have one per parameter.
inline bool gives_rows(Sweep kind) {
  return kind == Sweep::residual || kind == Sweep::jacobian_times;
}

/// True if a kind goes along a direction of parameters.
inline bool has_direction(Sweep kind) {
  return kind == Sweep::jacobian_times || kind == Sweep::hessian_times;
}

/// Options of a part. The loss is sum_k weights[k] / points * squares[k].
struct PartOptions {
  std::shared_ptr<const Model> model;
  std::size_t requirement = 0;
  DType dtype = DType::float64;
  Derivatives derivatives = Derivatives::taylor;
  std::vector<double> weights;
  std::shared_ptr<const SavedPolicy> saved = {};  ///< null: all is kept
  std::size_t block = 0;                          ///< points per block; 0: as many as fit
  std::shared_ptr<StepCache> cache = {};          ///< of a compiled part
  Device device = Device::cpu;
  Products products = Products::exact;  ///< of compiled steps in float32
  std::size_t piece = 0;                ///< of the requirement, where that has several
  int directions = 0;  ///< along which Laplacians are estimated (forms.h); 0: they are exact
  /// Integrands, as residuals of a requirement of their own: then a sweep comes to integrals.
  std::shared_ptr<const Requirement> integrands = {};
  ThreadPool* threads = nullptr;           ///< for what is computed of new points; null: none
  std::size_t piece_points = 0;            ///< points (loss/options.h); 0: all
  std::shared_ptr<AllGather> gather = {};  ///< likewise
};

/// Options of the part that is traced for a requirement: for integrals, that of their integrands.
/// All weights are 1.
PartOptions traced_part(const std::shared_ptr<const Model>& model, std::size_t requirement);

/// The channels that it carries in Taylor mode.
ChannelPlan channels_of(const PartOptions& options);

/// Requirement at the points of a part: a whole one, a piece of it, or its integrands.
const Requirement& requirement_of(const PartOptions& options);

}  // namespace pinn
