#include "solvers/trust/standard_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/tape/engine.h"
#include "solvers/optimize/dense/normal_equations.h"
#include "solvers/residual/model.h"
#include "solvers/trust/fit.h"

namespace pinn {
namespace {

constexpr std::size_t most_by_matrices = 3000;  ///< five matrices of P^2 numbers take 360 MB
constexpr double most_work = 2e12;              ///< operations: minutes of a core
constexpr double first_ridge = 1e-12, last_ridge = 1e-6;
constexpr double heavier = 100;  ///< times the weights of all that is no data
constexpr double fitted = 0.25;  ///< parameters that the data determine, per point

/// The derivatives of the unknowns' values by the parameters that store them.
std::vector<double> unknown_slopes(const Problem& problem, std::span<const double> p) {
  std::vector<double> slopes;
  std::size_t at = p.size() - problem.unknowns.size();
  for (const Unknown& u : problem.unknowns) {
    const Tensor r = full({1}, p[at++]).set_requires_grad();
    slopes.push_back(grad({unknown_value(u, r)}, {r}).front().item());
  }
  return slopes;
}

/// The factorization of A for the network's parameters, then `unknowns`.
Cholesky factorized(const NormalEquations& a, std::size_t unknowns) {
  std::vector<double> ridge(a.size());
  for (double r = first_ridge;; r *= 10) {
    std::fill(ridge.begin(), ridge.end() - std::ptrdiff_t(unknowns), r);
    Cholesky factor(a, ridge);
    if (factor.exists() || r >= last_ridge) return factor;
  }
}

/// A Gauss-Newton step of the unknowns alone.
std::vector<double> step(const Cholesky& a, std::span<const double> gradient,
                         const std::vector<double>& slopes) {
  std::vector<double> moved = a.solve(gradient);
  moved.erase(moved.begin(), moved.end() - std::ptrdiff_t(slopes.size()));
  for (std::size_t k = 0; k < slopes.size(); ++k) moved[k] *= -slopes[k];
  return moved;
}

/// All that is asked about one result.
class Inquiry {
 public:
  Inquiry(Fit& fit, const Model& model, std::span<const double> p)
      : problem_(model.problem()),
        fit_(fit),
        slopes_(unknown_slopes(model.problem(), p)),
        rest_(p.size()) {
    for (const TermRows& t : fit.terms()) {
      if (t.data) fit.add(t, data_.emplace_back(p.size()));
      if (!t.data && t.weight > 0) fit.add(t, rest_);
    }
  }

  WarnedErrors answer() {
    const NormalEquations all = sum(1);
    const Cholesky a = factorized(all, slopes_.size());
    WarnedErrors answer;
    for (const Unknown& u : problem_.unknowns) answer.errors.names.push_back(u.name);
    answer.errors.values.assign(slopes_.size(), std::nan(""));
    if (!a.exists()) return answer;
    answer.errors.noise = noise(a);
    const std::vector<double> variances = variances_of_rows(answer.errors.noise);
    const std::vector<double> curvatures = all.diagonal();
    for (std::size_t k = 0; k < slopes_.size(); ++k)
      if (curvatures[at(k)] > 0) answer.errors.values[k] = standard_error(a, k, variances);
    const std::vector<double> as_it_is = step(a, all.gradient(), slopes_);
    add(answer.warnings, fitted_noise(answer.errors));
    if (answer.warnings.empty()) add(answer.warnings, pulled(answer.errors, as_it_is));
    add(answer.warnings, unsettled(answer.errors, as_it_is));
    return answer;
  }

 private:
  static void add(Warnings& to, const Warnings& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  /// Place of unknown k among the parameters.
  std::size_t at(std::size_t k) const { return rest_.size() - slopes_.size() + k; }

  /// The normal equations of the loss in which all that is no data weighs so many times as much.
  NormalEquations sum(double weight) const {
    NormalEquations all(rest_.size());
    all.add(rest_, weight);
    for (const NormalEquations& own : data_) all.add(own, 1);
    return all;
  }

  std::vector<DataNoise> noise(const Cholesky& a) const {
    std::vector<DataNoise> found;
    for (const TermRows& t : fit_.terms()) {
      if (!t.data) continue;
      DataNoise& noise =
          found.emplace_back(DataNoise{t.name, t.sigma, 0, a.trace_with(data_[found.size()])});
      if (t.sigma_known) continue;
      noise.freedom = double(t.scales.size() - std::size_t(std::ranges::count(t.scales, 0.0))) -
                      noise.determined;
      double squares = 0;
      const std::span<const double> rows = fit_.residuals(t);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (t.scales[i] > 0) squares += std::pow(rows[i] / t.scales[i], 2);
      noise.deviation = std::sqrt(squares / std::max(1.0, noise.freedom));
    }
    return found;
  }

  /// Variance of the noise in each row; 0 where there is none.
  std::vector<double> variances_of_rows(const std::vector<DataNoise>& noise) const {
    std::vector<double> all(fit_.rows());
    std::size_t term = 0;
    for (const TermRows& t : fit_.terms()) {
      if (!t.data) continue;
      const double deviation = noise[term++].deviation / t.sigma;  // of the residual
      for (std::size_t i = 0; i < t.scales.size(); ++i)
        all[t.first + i] = std::pow(t.scales[i] * deviation, 2);
    }
    return all;
  }

  double standard_error(const Cholesky& a, std::size_t k, const std::vector<double>& variances) {
    std::vector<double> unit(rest_.size());
    unit[at(k)] = 1;
    const std::vector<double> answers = fit_.times(a.solve(unit));  // of the rows: J A^-1 e
    double variance = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
      variance += variances[i] * answers[i] * answers[i];
    return std::fabs(slopes_[k]) * std::sqrt(variance);
  }

  Warnings fitted_noise(const StandardErrors& errors) const {
    std::size_t term = 0;
    for (const TermRows& t : fit_.terms()) {
      if (!t.data) continue;
      const DataNoise& noise = errors.noise[term++];
      if (!(noise.determined > fitted * double(t.scales.size()))) continue;
      return {{fmt::format("the noise of '{}' is fitted: its {} points determine {:.0f} parameters "
                           "of the network, so the unknowns may be off by far more than their "
                           "standard errors",
                           t.name, t.scales.size(), noise.determined),
               "the result",
               "weigh the equations more, 100 times or so, until the data determine few; or take "
               "a smaller network"}};
    }
    return {};
  }

  /// The unknown that a step moves farthest, in standard errors; none if by less than one.
  std::optional<std::size_t> farthest(const StandardErrors& errors,
                                      const std::vector<double>& moves) const {
    std::optional<std::size_t> found;
    double most = 1;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const double share = std::fabs(moves[k]) / errors.values[k];
      if (!(share > most)) continue;
      most = share;
      found = k;
    }
    return found;
  }

  /// The term whose greater weight moves unknown k most.
  const TermRows& mover(const Cholesky& heavy, std::size_t k) {
    const TermRows* found = nullptr;
    double most = -1;
    for (const TermRows& t : fit_.terms()) {
      if (t.data || t.weight == 0) continue;
      const double moved = std::fabs(step(heavy, fit_.gradient(t), slopes_)[k]);
      if (moved > most) found = &t;
      most = std::max(most, moved);
    }
    return *found;
  }

  Warnings pulled(const StandardErrors& errors, const std::vector<double>& as_it_is) {
    const NormalEquations all = sum(heavier);
    const Cholesky heavy = factorized(all, slopes_.size());
    if (!heavy.exists()) return {};
    std::vector<double> moved = step(heavy, all.gradient(), slopes_);
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] -= as_it_is[k];
    const std::optional<std::size_t> k = farthest(errors, moved);
    if (!k) return {};
    const TermRows& term = mover(heavy, *k);
    return {{fmt::format("the weights decide {0}: a Gauss-Newton step with all but the data "
                         "weighted {1:g} times as much moves it by {2:.1e}, and its standard error "
                         "is {3:.1e}",
                         problem_.unknowns[*k].name, heavier, moved[*k], errors.values[*k]),
             "the result",
             fmt::format("give '{}' the weight {:g} or more (now {:g})", term.name,
                         heavier * term.weight, term.weight)}};
  }

  Warnings unsettled(const StandardErrors& errors, const std::vector<double>& as_it_is) const {
    const std::optional<std::size_t> k = farthest(errors, as_it_is);
    if (!k) return {};
    return {{fmt::format("{} has not settled: one more Gauss-Newton step moves it by {:.1e}, and "
                         "its standard error is {:.1e}",
                         problem_.unknowns[*k].name, as_it_is[*k], errors.values[*k]),
             "the result", "train longer"}};
  }

  const Problem& problem_;
  Fit& fit_;
  const std::vector<double> slopes_;
  NormalEquations rest_;
  std::vector<NormalEquations> data_;  ///< per term
};

std::string too_much(std::size_t parameters, std::size_t rows) {
  if (parameters > most_by_matrices)
    return fmt::format("the network has {} parameters, and at most {} can be asked", parameters,
                       most_by_matrices);
  if (double(rows) * double(parameters) * double(parameters) > most_work)
    return fmt::format("{} points and {} parameters would take too long", rows, parameters);
  return "";
}

}  // namespace

WarnedErrors standard_errors(const Run& run, const std::shared_ptr<const Model>& model,
                             std::span<const double> p, const TrainState& state,
                             const LossOptions& options, ThreadPool& pool) {
  const Problem& problem = run.problem;
  const bool has_data = std::ranges::any_of(
      problem.requirements, [](const Requirement& r) { return r.data.has_value(); });
  if (problem.unknowns.empty()) return {};
  if (!has_data) return {.errors = {.absent = "there are no [[data]], whose noise they are of"}};
  Fit fit(run, model, p, state, options, pool);
  if (std::string why = too_much(p.size(), fit.rows()); !why.empty())
    return {.errors = {.absent = std::move(why)}};
  return Inquiry(fit, *model, p).answer();
}

}  // namespace pinn
