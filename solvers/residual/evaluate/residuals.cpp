#include "solvers/residual/evaluate/residuals.h"

#include "autograd/tape/modes.h"
#include "solvers/problem/expression.h"
#include "solvers/residual/evaluate/tensor_evaluator.h"

namespace pinn {
namespace {

/// One residual in Taylor mode: its rest, and the forms that travel as operator channels.
Tensor sum_of_parts(TaylorFields& at, const SplitResidual& residual) {
  Tensor sum = residual.rest ? at.value(residual.rest) : Tensor();
  for (const Form& form : residual.forms) {
    Tensor part = at.form(form.field, form.terms);
    if (form.factor) part = part * at.value(form.factor);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

/// A value at every point: numbers and unknowns are the same at all of them.
Tensor at_points(Tensor t, const Block& block) {
  if (t.is_number()) t = full({}, t.item(), block.x.dtype(), block.x.device());
  return expand(t, {block.points()});
}

MultiIndex times(int coordinate, int order) {
  MultiIndex a{};
  a[std::size_t(coordinate)] = std::uint8_t(order);
  return a;
}

}  // namespace

std::vector<std::pair<int, int>> periodic_fields(const Requirement& requirement,
                                                 const Problem& problem) {
  const Periodicity& periodic = *requirement.periodic;
  const std::vector<int>& far = periodic.far.empty() ? periodic.fields : periodic.far;
  std::vector<std::pair<int, int>> all;
  for (std::size_t i = 0; i < periodic.fields.size(); ++i)
    all.emplace_back(periodic.fields[i], far[i]);
  for (std::size_t f = 0; periodic.fields.empty() && f < problem.fields.size(); ++f)
    all.emplace_back(int(f), int(f));
  return all;
}

std::vector<LossTerm> terms_of(const Requirement& requirement, const Problem& problem) {
  std::vector<LossTerm> terms;
  for (const Residual& r : requirement.residuals) terms.push_back({r.name, r.weight});
  if (requirement.periodic)
    for (const auto& [f, far] : periodic_fields(requirement, problem))
      for (int k = 0; k <= requirement.periodic->order; ++k) {
        const std::string& x =
            problem.coordinates[std::size_t(requirement.periodic->coordinate)].name;
        const Field& field = problem.fields[std::size_t(f)];
        std::string name = requirement.name + "." +
                           (field.piece_of.empty() ? field.name : field.piece_of) + (k ? "_" : "");
        for (int i = 0; i < k; ++i) name += x;
        terms.push_back({name, requirement.weight});
      }
  return terms;
}

std::vector<Tensor> residuals(const Model& model, const Requirement& requirement,
                              Derivatives derivatives, const ChannelPlan& plan, BlockPair& blocks,
                              const std::vector<Tensor>& parameters) {
  const bool taylor = derivatives == Derivatives::taylor;
  const auto evaluator = [&](Block& block) -> std::unique_ptr<TensorEvaluator> {
    if (taylor) return taylor_evaluator(model, block, parameters, plan.table);
    return reverse_evaluator(model, block, parameters);
  };
  const std::unique_ptr<TensorEvaluator> near = evaluator(blocks.near);
  std::vector<Tensor> out;
  for (std::size_t k = 0; k < requirement.residuals.size(); ++k) {
    const AnomalyLabel label([&] { return "equation '" + requirement.residuals[k].name + "'"; });
    const bool in_parts = taylor && !plan.residuals.empty();
    const Tensor value = in_parts
                             ? sum_of_parts(static_cast<TaylorFields&>(*near), plan.residuals[k])
                             : near->value(requirement.residuals[k].expression);
    const Tensor t = at_points(value, blocks.near);
    const double sigma = requirement.data ? requirement.data->sigma : 1;
    out.push_back(sigma == 1 ? t : t * (1 / sigma));
  }
  if (!requirement.periodic) return out;
  const std::unique_ptr<TensorEvaluator> far = evaluator(blocks.far);
  for (const auto& [here, there] : periodic_fields(requirement, model.problem()))
    for (int k = 0; k <= requirement.periodic->order; ++k) {
      const MultiIndex a = times(requirement.periodic->coordinate, k);
      out.push_back(near->derivative(make_leaf(Expression::Kind::field, here), a) -
                    far->derivative(make_leaf(Expression::Kind::field, there), a));
    }
  return out;
}

BlockPair with_far_end(Block near, const Requirement& requirement, const Problem& problem) {
  if (!requirement.periodic) return {std::move(near), {}};
  const std::int64_t i = requirement.periodic->coordinate, d = near.x.shape()[1];
  const Tensor upper =
      full({}, problem.coordinates[std::size_t(i)].upper, near.x.dtype(), near.x.device());
  std::vector<Tensor> x;
  if (i > 0) x.push_back(slice(near.x, 1, 0, i));
  x.push_back(max(slice(near.x, 1, i, i + 1), upper));  // upper: the near end is below it
  if (i + 1 < d) x.push_back(slice(near.x, 1, i + 1, d));
  Block far = near;
  far.x = concat(x, 1);
  far.weights = {};  // the near ones do
  return {std::move(near), std::move(far)};
}

}  // namespace pinn
