#include "solvers/residual/step/sweep.h"

#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"

namespace pinn {

std::vector<Tensor> leaves_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : parameters) leaves.push_back(t.detach().set_requires_grad());
  return leaves;
}

std::vector<Tensor> duals(const SweepInputs& in) {
  std::vector<Tensor> duals;
  for (std::size_t i = 0; i < in.parameters.size(); ++i)
    duals.push_back(make_dual(in.parameters[i].detach(), in.direction[i]));
  return duals;
}

namespace {

/// A block's residuals, and how they are weighted.
class BlockRows {
 public:
  BlockRows(const PartOptions& options, const ChannelPlan& plan, BlockPair& block,
            const SweepInputs& in)
      : options_(options), plan_(plan), block_(block), in_(in) {}

  std::vector<Tensor> residuals(const std::vector<Tensor>& parameters) const {
    return pinn::residuals(*options_.model, requirement_of(options_), options_.derivatives, plan_,
                           block_, parameters);
  }
  /// sqrt(a) t
  Tensor by_points(std::size_t term, const Tensor& t) const {
    const Tensor weights = block_.near.weights_of(term);
    return weights.defined() ? sqrt(weights) * t : t;
  }
  /// sqrt(w / points) sqrt(a) t
  Tensor weighted(std::size_t term, const Tensor& t) const {
    return sqrt(select(in_.scales, 0, std::int64_t(term))) * by_points(term, t);
  }
  std::vector<Tensor> rows(const std::vector<Tensor>& parameters) const {
    std::vector<Tensor> rows = residuals(parameters);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = weighted(k, rows[k]);
    return rows;
  }
  /// J^T w from the residuals, each with its w; for each parameter.
  std::vector<Tensor> transposed(const std::vector<Tensor>& r, const std::vector<Tensor>& w,
                                 const std::vector<Tensor>& parameters) const {
    std::vector<Tensor> from, seeds;
    for (std::size_t k = 0; k < r.size(); ++k) {
      if (!r[k].requires_grad()) continue;
      from.push_back(r[k]);
      seeds.push_back(weighted(k, w[k]).detach());
    }
    if (from.empty()) return std::vector<Tensor>(parameters.size());
    return grad(from, parameters, seeds, {.allow_unused = true});
  }

 private:
  const PartOptions& options_;
  const ChannelPlan& plan_;
  BlockPair& block_;
  const SweepInputs& in_;
};

SweepOutputs value(const BlockRows& block, const SweepInputs& in, bool with_gradient) {
  const std::vector<Tensor> p = with_gradient ? leaves_of(in.parameters) : in.parameters;
  const std::vector<Tensor> r = [&] {
    const SavedHooksScope hooks(in.hooks);
    return block.residuals(p);
  }();
  const SavedHooksScope kept(nullptr);  // a residual is a column
  SweepOutputs out;
  std::vector<Tensor> seeds;
  for (std::size_t k = 0; k < r.size(); ++k) {
    const Tensor fixed = r[k].detach();
    out.squares.push_back(sum(square(block.by_points(k, fixed))));
    if (with_gradient) seeds.push_back(2.0 * block.weighted(k, fixed));
  }
  if (with_gradient) out.sums = block.transposed(r, seeds, p);
  return out;
}

// Forward over reverse: the gradient is taken of dual numbers.
std::vector<Tensor> hessian_times(const BlockRows& block, const SweepInputs& in) {
  const DualLevel level(false);
  const std::vector<Tensor> leaves = duals(in);
  for (Tensor t : leaves) t.set_requires_grad();
  Tensor loss;
  for (const Tensor& r : block.rows(leaves)) {
    if (!r.requires_grad()) continue;
    const Tensor squares = sum(square(r));
    loss = loss.defined() ? loss + squares : squares;
  }
  std::vector<Tensor> products(leaves.size());
  if (!loss.defined()) return products;
  const std::vector<Tensor> gradient = grad({loss}, leaves, {}, {.allow_unused = true});
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (gradient[i].defined()) products[i] = tangent_of(gradient[i]);
  return products;
}

std::vector<Tensor> jacobian_times(const BlockRows& block, const SweepInputs& in) {
  const DualLevel level(false);
  std::vector<Tensor> tangents;
  for (const Tensor& r : block.rows(duals(in))) tangents.push_back(tangent_of(r));
  return tangents;
}

std::vector<Batch> factors(const BlockRows& block, const SweepInputs& in) {
  const std::vector<Tensor> leaves = leaves_of(in.parameters);
  const Tensor r = block.residuals(leaves)[in.term];
  if (!r.requires_grad()) return std::vector<Batch>(leaves.size());
  return per_sample_parts(r, leaves, block.weighted(in.term, ones_like(r)));
}

}  // namespace

SweepOutputs sweep(Sweep kind, const PartOptions& options, const ChannelPlan& plan,
                   BlockPair& points, const SweepInputs& in) {
  if (options.integrands) return integral_sweep(kind, options, plan, points, in);
  const BlockRows block(options, plan, points, in);
  const bool back = kind == Sweep::gradient || kind == Sweep::jacobian ||
                    kind == Sweep::transposed_times || kind == Sweep::hessian_times;
  const RecordingGuard mode(back || options.derivatives == Derivatives::reverse);
  SweepOutputs out;
  switch (kind) {
    case Sweep::value:
    case Sweep::gradient:
      return value(block, in, kind == Sweep::gradient);
    case Sweep::residual:
      out.rows = block.rows(in.parameters);
      break;
    case Sweep::jacobian:
      out.factors = factors(block, in);
      break;
    case Sweep::jacobian_times:
      out.rows = jacobian_times(block, in);
      break;
    case Sweep::transposed_times: {
      const std::vector<Tensor> leaves = leaves_of(in.parameters);
      out.sums = block.transposed(block.residuals(leaves), in.seeds, leaves);
      break;
    }
    case Sweep::hessian_times:
      out.sums = hessian_times(block, in);
      break;
  }
  return out;
}

}  // namespace pinn
