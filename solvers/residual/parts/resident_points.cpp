#include <algorithm>

#include "autograd/core/error.h"
#include "solvers/residual/parts/compiled_part.h"

/// Compiled parts whose points stay on a device: the loss and its gradient are begun there by
/// prepare, and waited for by run.
namespace pinn {

/// Points that are summed before anything else, about as many in each piece.
std::size_t CompiledPart::piece() const {
  const std::size_t most = options_.piece_points > 0 ? options_.piece_points : points_.count;
  const std::size_t pieces = most > 0 ? (points_.count + most - 1) / most : 1;
  return std::max<std::size_t>(1, (points_.count + pieces - 1) / std::max<std::size_t>(1, pieces));
}

void CompiledPart::must_be_given(Sweep kind) const {
  if (!keeps_points_ || is_loss(kind) || kind == Sweep::residual) return;
  throw EngineError(
      {"a GPU gives the loss, its gradient and residuals, and no products with the "
       "Jacobian or the Hessian yet",
       "", "evaluate them on the CPU"});
}

/// A sweep with the points on the device, and its fixed inputs bound.
CompiledPart::PreparedSweep& CompiledPart::with_points(Sweep kind, std::span<const double> p) {
  PreparedSweep& r = ready(kind);
  bind(r, p, {});
  const auto& tree = trees_[kind];
  const auto known = resident_.find(&r);
  const auto equal = [&](const auto& other) {
    return other == tree || (other && tree && *other == *tree);
  };
  if (known != resident_.end() && equal(known->second)) return r;
  resident_.erase(&r);
  ResidentStep& step = *r.executor->resident();
  if (tree)
    step.set_rows(r.inputs.rows(), tree, options_.gather);
  else
    step.set_rows(r.inputs.rows(), points_.count);
  resident_[&r] = tree;
  return r;
}

DescentPart CompiledPart::descent_part() {
  const std::vector<double> none(model_.parameter_count());
  PreparedSweep& r = with_points(Sweep::gradient, none);
  r.executor->prepare(r.inputs.fixed());
  DescentPart part{r.executor->resident(), options_.weights, double(points_.count), {}, {}};
  for (const FixedInput& input : r.program().fixed) {
    const InputSource given = r.traced().given[std::size_t(input.input)];
    part.inputs.push_back(
        given.kind == InputSource::parameters ? model_.blocks()[given.index].offset : -1);
  }
  for (const std::size_t b : r.traced().sums) part.gradients.push_back(model_.blocks()[b].offset);
  return part;
}

std::unique_ptr<Descent> descent_of(std::span<LossPart* const> parts, const Model& model) {
  if (!model.fixed().empty()) return nullptr;  // it knows of inputs that are parameters or scales
  const auto may = [](const LossPart* part) { return part->may_descend(); };
  if (parts.empty() || !std::ranges::all_of(parts, may)) return nullptr;
  std::vector<DescentPart> known;
  for (LossPart* const part : parts) known.push_back(part->descent_part());
  return known[0].step->descent(known, model.parameter_count());
}

}  // namespace pinn
