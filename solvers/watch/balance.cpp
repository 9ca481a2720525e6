#include "solvers/watch/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

constexpr double noticeable = 0.03;  ///< of the terms
/// Share of the terms: with less a field is right to about a hundredth (docs/warnings.md has
/// figures).
constexpr double worth_telling = 5e-3;
constexpr double progress = 0.01;  ///< of the residual that training began with

double root_mean_square(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum / double(v.size()));
}

/// Size that has to balance among a residual's terms, of these sizes.
double to_balance(const std::vector<ExpressionPtr>& terms, std::vector<double> sizes) {
  double known = 0;
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (!dependence(*terms[k]).fields) known = std::max(known, sizes[k]);
  std::sort(sizes.rbegin(), sizes.rend());
  return std::max(known, sizes.size() > 1 ? sizes[1] : 0);
}

}  // namespace

std::vector<Balance> balances(const Run& run, const std::shared_ptr<const Model>& model,
                              std::span<const double> p, ThreadPool& pool,
                              const std::shared_ptr<StepCache>& cache) {
  std::vector<Balance> all;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    if (run.problem.requirements[r].data) continue;          // noise is no small part of them
    if (is_integral(run.problem.requirements[r])) continue;  // one number
    const PointSet points = held_out_points(run, r);
    for (const Residual& residual : run.problem.requirements[r].residuals) {
      const std::vector<ExpressionPtr> terms = summands(residual.expression);
      std::vector<ExpressionPtr> formulas = terms;
      formulas.push_back(residual.expression);
      std::vector<double> sizes;
      for (const auto& values :
           Formulas(model, formulas, cache, device_of(run).device)(p, points, pool))
        sizes.push_back(root_mean_square(values));
      const double size = sizes.back();
      sizes.pop_back();
      all.push_back({residual.name, size, to_balance(terms, sizes)});
    }
  }
  return all;
}

bool is_worth_telling(const Balance& now, const Balance& first) {
  const double size = now.terms > 0 ? now.terms : first.residual;
  return size == 0 || now.residual > worth_telling * size;
}

bool is_estimated_wrong(const Trust& trust) {
  constexpr double wrong = 0.01;
  return std::ranges::any_of(trust.estimates.fields, [](const EstimatedError& e) {
    return !e.zero && e.relative >= wrong;
  });
}

Warnings unbalanced(const std::vector<Balance>& result, const std::vector<Balance>& first) {
  Warnings warnings;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const auto& [name, residual, terms] = result[k];
    if (terms == 0 || residual <= noticeable * terms || residual <= progress * first[k].residual)
      continue;
    warnings.push_back(
        {fmt::format("'{}' is not solved: its residual is {:.1e}, the terms that have to balance "
                     "are {:.1e}",
                     name, residual, terms),
         "the result, at held-out points",
         "train on; look for terms and coordinates that are far from 1, or weigh this one more"});
  }
  return warnings;
}

}  // namespace pinn
