#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"
#include "solvers/residual/step/sweep.h"

/// Results of sweeps over the points of a rule: integrals and their derivatives.
namespace pinn {
namespace {

using Tensors = std::vector<Tensor>;

/// A number that a formula may not change with.
Tensor or_zero(const Tensor& t, const Tensor& like) { return t.defined() ? t : like * 0.0; }

/// The integrands at a block's points, and their integrals.
struct Integrals {
  Tensors sums;

  Integrals(const PartOptions& options, const ChannelPlan& plan, BlockPair& block,
            const Tensors& parameters) {
    const Tensor weights = block.near.weights_of(0);
    for (const Tensor& e : residuals(*options.model, requirement_of(options), options.derivatives,
                                     plan, block, parameters))
      sums.push_back(sum(weights * e));
  }
};

/// d integral / d parameters; undefined where it does not change.
Tensors slopes(const Tensor& integral, const Tensors& parameters) {
  if (!integral.requires_grad()) return Tensors(parameters.size());
  return grad({integral}, parameters, {}, {.retain_graph = true, .allow_unused = true});
}

SweepOutputs along_a_direction(Sweep kind, const PartOptions& options, const ChannelPlan& plan,
                               BlockPair& block, const SweepInputs& in) {
  const DualLevel level(false);
  Tensors p = duals(in);
  const bool hessian = kind == Sweep::hessian_times;
  if (hessian)
    for (Tensor& t : p) t.set_requires_grad();
  const Integrals integrals(options, plan, block, p);
  SweepOutputs out;
  Tensors tangents, products;
  for (const Tensor& s : integrals.sums) {
    out.squares.push_back(s.detach());
    tangents.push_back(or_zero(tangent_of(s), s).detach());
    if (!hessian) continue;
    for (const Tensor& slope : slopes(s, p)) {
      out.sums.push_back(slope.defined() ? slope.detach() : slope);
      products.push_back(slope.defined() ? tangent_of(slope) : slope);
    }
  }
  out.squares.insert(out.squares.end(), tangents.begin(), tangents.end());
  out.sums.insert(out.sums.end(), products.begin(), products.end());
  return out;
}

}  // namespace

SweepOutputs integral_sweep(Sweep kind, const PartOptions& options, const ChannelPlan& plan,
                            BlockPair& block, const SweepInputs& in) {
  const bool back = kind == Sweep::gradient || kind == Sweep::hessian_times;
  const RecordingGuard mode(back || options.derivatives == Derivatives::reverse);
  if (has_direction(kind)) return along_a_direction(kind, options, plan, block, in);
  const Tensors p = back ? leaves_of(in.parameters) : in.parameters;
  const Integrals integrals = [&] {
    const SavedHooksScope hooks(in.hooks);
    return Integrals(options, plan, block, p);
  }();
  SweepOutputs out;
  for (const Tensor& s : integrals.sums) {
    out.squares.push_back(s.detach());
    if (!back) continue;
    const Tensors found = slopes(s, p);
    out.sums.insert(out.sums.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace pinn
