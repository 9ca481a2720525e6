#include "solvers/watch/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/optimize/kinds.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/results/results.h"
#include "solvers/state/choices.h"

namespace pinn {

namespace {

/// A promise that an error breaks, or that something is not a number `there`.
Report broken_promise(const std::string& name, const std::string& kind, double error,
                      double promised, const std::string& there) {
  const std::string subject = fmt::format("the promise for {} is broken: ", name);
  const std::string where = "[reference] error." + name;
  if (!std::isfinite(error))
    return {subject + "it is not a finite number" + there, where,
            "look in [network.output], [problem.define] and there for a division by 0, and for "
            "roots, logarithms, powers and atan2 that meet 0 or negative numbers; move the place "
            "by a little, as in (x + 1e-9)"};
  return {
      subject + fmt::format("its {} error is {:.2e}, promised is {:.2e}", kind, error, promised),
      where, "train longer, with more points or a larger network, or promise less"};
}

}  // namespace

Warnings broken_promises(const Run& run, const std::vector<Distance>& errors) {
  Warnings found;
  for (const ReferenceQuantity& quantity : run.reference.quantities) {
    const std::string& name = quantity.name;
    const double promise = quantity.error;
    if (std::isnan(promise)) continue;
    const auto error = std::find_if(errors.begin(), errors.end(), [&](const Distance& measured) {
      return measured.name == name;
    });
    if (error == errors.end())
      found.push_back({fmt::format("nobody knows whether the promise for {} is kept: the reference "
                                   "does not have it",
                                   name),
                       "[reference] error." + name,
                       fmt::format("add {} to the reference, or promise nothing", name)});
    else if (!(error->l2 <= promise))
      found.push_back(broken_promise(name, error->absolute ? "absolute L2" : "relative L2",
                                     error->l2, promise, " at " + error->where));
  }
  return found;
}

Warnings broken_promises(const Run& run, const std::vector<FoundValue>& values) {
  Warnings found;
  for (const ReferenceValue& promised : run.reference.values)
    for (const FoundValue& value : values) {
      if (value.name != promised.name || std::isnan(promised.error)) continue;
      if (value.error <= promised.error) continue;
      found.push_back(broken_promise(value.name, value.absolute ? "absolute" : "relative",
                                     value.error, promised.error, ""));
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
      if (!r.data || !r.data->sigma_known() || r.data->count < enough || !(chi_square < small))
        continue;
      warnings.push_back(
          {fmt::format("'{}' is fitted far below the noise of its data: chi-square per point is "
                       "{:.2g}, and {} lets about 1 be expected",
                       t.name, chi_square,
                       r.data->sigma == 1 ? "the column of sigmas"
                                          : fmt::format("sigma = {:g}", r.data->sigma)),
           r.data->file,
           "the network may have learned the noise: give it fewer parameters, or the equations "
           "more weight; or make sigma smaller, if the data are better than it says"});
    }
  return warnings;
}

namespace {

/// True if all values are about 0. Of no values nothing is known: a part may be so thin that no
/// point of it was found.
bool vanish(const std::vector<double>& values) {
  return !values.empty() &&
         std::ranges::all_of(values, [](double v) { return std::fabs(v) <= 1e-12; });
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

/// True if constant fields satisfy all that is asked, and the network can give them.
bool will_do(const std::vector<double>& constants, const Problem& problem,
             const std::vector<double>& unknowns) {
  const auto everywhere = interior(problem);
  std::vector<ExpressionPtr> fields;
  for (std::size_t f = 0; f < constants.size(); ++f) {
    fields.push_back(make_number(constants[f]));
    const ExpressionPtr& output = problem.outputs[f];  // which makes 0 of 0, or nobody knows
    if (output && contains(*output, Expression::Kind::before)) return false;  // as with `handed`
    if (output &&
        (constants[f] != 0 ||
         !vanish(values_on(*everywhere, *substitute_fields(output, {}, make_number(0)), unknowns))))
      return false;
  }
  for (const Requirement& r : problem.requirements) {
    if (r.handed > 0) return false;  // it asks for what a window of time before came to
    if (is_integral(r)) return false;
    for (const Residual& residual : r.residuals) {
      const ExpressionPtr e = substitute_fields(residual.expression, fields);
      if (r.data && !vanish(values_at_data(*r.data, *e, unknowns))) return false;
      if (!r.region) continue;
      for (const Region* part : r.region->parts())
        if (!vanish(values_on(*part, *e, unknowns))) return false;
    }
  }
  return true;
}

/// Range of a field, and the middle of it.
struct Spread {
  double range = 0, middle = 0;
};

std::vector<Spread> spreads(Formulas& fields, std::span<const double> p, const PointSet& points,
                            ThreadPool& pool) {
  std::vector<Spread> found;
  for (const std::vector<double>& values : fields(p, points, pool)) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    found.push_back({*most - *least, (*most + *least) / 2});
  }
  return found;
}

/// The round number that a flat field is near to: training meets none to the last digit.
double constant_near(double middle, double flat) {
  return std::fabs(middle) <= flat ? 0 : std::stod(fmt::format("{:.1e}", middle));
}

std::string constants_text(const Problem& problem, const std::vector<double>& constants) {
  std::string text;
  for (std::size_t f = 0; f < constants.size(); ++f)
    text += fmt::format("{}{} = {:g}", f > 0 ? ", " : "", problem.fields[f].name, constants[f]);
  return text;
}

}  // namespace

Warnings trivial_solution(const Run& run, const std::shared_ptr<const Model>& model,
                          std::span<const double> p, ThreadPool& pool,
                          std::shared_ptr<StepCache> cache, bool solved) {
  constexpr double left = 1e-2;  // of what a field varied by before training
  std::vector<ExpressionPtr> formulas;
  for (std::size_t f = 0; f < run.problem.fields.size(); ++f)
    formulas.push_back(make_leaf(Expression::Kind::field, int(f)));
  Formulas fields(model, std::move(formulas), std::move(cache), device_of(run).device);
  Points drawn = draw_points(*interior(run.problem), {.count = 500}, run.options.seed,
                             stream("advice", "trivial solution"), 0);
  const PointSet points{drawn.count, std::move(drawn.x), {}, {}, {}};
  const std::vector<Spread> before =
      spreads(fields, model->initial_parameters(run.options.seed), points, pool);
  const std::vector<Spread> now = spreads(fields, p, points, pool);
  std::vector<double> constants;
  for (std::size_t f = 0; f < now.size(); ++f) {
    if (!(now[f].range <= left * before[f].range)) return {};
    constants.push_back(constant_near(now[f].middle, left * before[f].range));
  }
  const std::string& name = run.problem.fields[0].name;
  const std::string flat = fmt::format("{} varies by {:.1e}, by {:.1e} before training", name,
                                       now[0].range, before[0].range);
  const std::string is = constants_text(run.problem, constants);
  if (will_do(constants, run.problem, model->unknown_values(p)))
    return {{"training found the trivial solution: " + flat + ", and " + is +
                 " satisfies all that the file asks",
             "the equations and conditions",
             fmt::format("ask for another solution: a [[condition]] that gives {} somewhere, "
                         "[[data]], or a size in [network.output]",
                         name)}};
  if (solved) return {};
  return {{"training made every field constant, and the file asks for more: " + flat +
               ", near to " + is,
           "the result",
           "give the conditions and data more weight, or write them into [network.output]; train "
           "with another seed or a smaller rate"}};
}

Warnings bad_beginning(const TrainResult& ended, const std::string& window) {
  constexpr double bad = 0.1;
  std::string why = ended.warnings.empty() ? "" : "there are warnings about it";
  for (const EstimatedError& e : ended.trust.estimates.fields)
    if (why.empty() && !e.zero && e.relative >= bad)
      why = fmt::format("the estimated error of {} is {}{:.1e}", e.field,
                        e.at_least ? "at least " : "", e.relative);
  if (why.empty()) return {};
  return {{"the next window starts from a bad end: " + why + ", and all later ones inherit that",
           window, "give the stages more steps, or take more windows"}};
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
  if (!d.powers.empty()) return d.powers[0].fix + ": " + d.powers[0].what;
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
