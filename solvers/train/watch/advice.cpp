#include "solvers/train/watch/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/formulas.h"
#include "solvers/train/plan.h"

namespace pinn {

Warnings broken_promises(const Run& run, const std::vector<Distance>& errors) {
  Warnings found;
  for (const ReferenceQuantity& quantity : run.reference.quantities) {
    const std::string& name = quantity.name;
    const double promise = quantity.error;
    if (std::isnan(promise)) continue;
    const std::string where = "[reference] error." + name;
    const auto error = std::find_if(errors.begin(), errors.end(), [&](const Distance& measured) {
      return measured.name == name;
    });
    if (error == errors.end())
      found.push_back({fmt::format("nobody knows whether the promise for {} is kept: the reference "
                                   "does not have it",
                                   name),
                       where, fmt::format("add {} to the reference, or promise nothing", name)});
    else if (!(error->l2 <= promise))
      found.push_back(
          {fmt::format("the promise for {} is broken: its {} L2 error is {:.2e}, "
                       "promised is {:.2e}",
                       name, error->absolute ? "absolute" : "relative", error->l2, promise),
           where, "train longer, with more points or a larger network, or promise less"});
  }
  return found;
}

Warnings learned_noise(const Run& run, const Loss::Result& found) {
  constexpr std::size_t enough = 20;  // of noise alone one in 3000 is as small as this, or less
  constexpr double small = 0.25;
  Warnings warnings;
  std::size_t term = 0;
  for (const Requirement& r : run.problem.requirements)
    for (const LossTerm& t : terms_of(r, run.problem)) {
      const double chi_square = found.terms.at(term++);
      if (!r.data || r.data->sigma == 1 || r.data->count < enough || !(chi_square < small))
        continue;
      warnings.push_back(
          {fmt::format("'{}' is fitted far below the noise of its data: chi-square per point is "
                       "{:.2g}, and sigma = {:g} lets about 1 be expected",
                       t.name, chi_square, r.data->sigma),
           r.data->file,
           "the network may have learned the noise: give it fewer parameters, or the equations "
           "more weight; or make sigma smaller, if the data are better than it says"});
    }
  return warnings;
}

namespace {

bool vanish(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::fabs(v) <= 1e-12; });
}

/// A residual at its data, the fields already being formulas.
std::vector<double> values_at_data(const DataSet& data, const Expression& residual,
                                   const std::vector<double>& unknowns) {
  const Evaluator value(residual);
  const std::size_t d = data.rows.size() / data.count, columns = data.columns.size();
  std::vector<double> values;
  for (std::size_t n = 0; n < data.count; ++n)
    values.push_back(value({.coordinates = std::span(data.rows).subspan(n * d, d),
                            .unknowns = unknowns,
                            .columns = std::span(data.values).subspan(n * columns, columns)}));
  return values;
}

/// Whether fields that are 0 everywhere satisfy all that is asked, and the network can give them.
bool zero_will_do(const Problem& problem, const std::vector<double>& unknowns) {
  const ExpressionPtr zero = make_number(0);
  const auto everywhere = interior(problem);
  for (const ExpressionPtr& output : problem.outputs)
    if (output && contains(*output, Expression::Kind::before)) return false;  // likewise
  for (const ExpressionPtr& output : problem.outputs)
    if (output && !vanish(values_on(*everywhere, *substitute_fields(output, {}, zero), unknowns)))
      return false;
  const std::vector<ExpressionPtr> zeros(problem.fields.size(), zero);
  for (const Requirement& r : problem.requirements) {
    if (r.handed > 0) return false;  // it asks for what a window of time before came to
    for (const Residual& residual : r.residuals) {
      const ExpressionPtr e = substitute_fields(residual.expression, zeros);
      if (r.data && !vanish(values_at_data(*r.data, *e, unknowns))) return false;
      if (!r.region) continue;
      for (const Region* part : r.region->parts())
        if (!vanish(values_on(*part, *e, unknowns))) return false;
    }
  }
  return true;
}

/// From the smallest to the largest value of each field.
std::vector<double> ranges(Formulas& fields, std::span<const double> p, const PointSet& points,
                           ThreadPool& pool) {
  std::vector<double> found;
  for (const std::vector<double>& values : fields(p, points, pool)) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    found.push_back(*most - *least);
  }
  return found;
}

}  // namespace

Warnings trivial_solution(const Run& run, const std::shared_ptr<const Model>& model,
                          std::span<const double> p, ThreadPool& pool,
                          std::shared_ptr<StepCache> cache) {
  constexpr double left = 1e-2;  // of what a field varied by before training
  if (!zero_will_do(run.problem, model->unknown_values(p))) return {};
  std::vector<ExpressionPtr> formulas;
  for (std::size_t f = 0; f < run.problem.fields.size(); ++f)
    formulas.push_back(make_leaf(Expression::Kind::field, int(f)));
  Formulas fields(model, std::move(formulas), std::move(cache), device_of(run).device);
  Points drawn = draw_points(*interior(run.problem), {.count = 500}, run.options.seed,
                             stream("advice", "trivial solution"), 0);
  const PointSet points{drawn.count, std::move(drawn.x), {}, {}, {}};
  const std::vector<double> before =
      ranges(fields, model->initial_parameters(run.options.seed), points, pool);
  const std::vector<double> now = ranges(fields, p, points, pool);
  for (std::size_t f = 0; f < now.size(); ++f)
    if (!(now[f] <= left * before[f])) return {};
  const std::string& name = run.problem.fields[0].name;
  return {{fmt::format("training found the trivial solution: {0} varies by {1:.1e}, by {2:.1e} "
                       "before training, and {0} = 0 satisfies all that the file asks",
                       name, now[0], before[0]),
           "the equations and conditions",
           fmt::format("ask for a solution that is not 0: a [[condition]] that gives {} somewhere, "
                       "[[data]], or a size in [network.output]",
                       name)}};
}

namespace {

/// Without the sign that some processors give it.
std::string name_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

std::string subject(const Divergence& d) {
  for (std::size_t k = 0; k < d.loss.terms.size(); ++k)
    if (!std::isfinite(d.loss.terms[k]))
      return fmt::format("the loss became {} at step {}, in requirement '{}'",
                         name_of(d.loss.terms[k]), d.step, d.terms[k].name);
  if (!std::isfinite(d.loss.total))
    return fmt::format("the loss became {} at step {}", name_of(d.loss.total), d.step);
  return fmt::format("the gradient of the loss is no longer finite at step {}", d.step);
}

std::string remedy(const Divergence& d) {
  if (d.step == 0)
    return "look in that residual for a division by 0 and for roots or logarithms that meet 0 or "
           "negative numbers";
  if (!optimizer_kind(d.optimizer.kind).has_rate)
    return fmt::format("resume with a shorter stage, --set stage.{}.steps=N, or redraw more points",
                       d.stage + 1);
  return fmt::format(
      "resume from it with a smaller step, --set stage.{0}.rate={1:g} (now {2:g}), or with --set "
      "stage.{0}.clip=1.0",
      d.stage + 1, d.optimizer.rate / 10, d.optimizer.rate);
}

}  // namespace

Report report(const Divergence& d) {
  return {subject(d),
          d.saved.empty() ? "the last finite state could not be saved"
                          : "last finite state: " + d.saved,
          remedy(d)};
}

}  // namespace pinn
