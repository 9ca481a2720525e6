#include "solvers/results/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "data/geometry/shape.h"
#include "solvers/problem/evaluate.h"
#include "solvers/results/results.h"

namespace pinn {
namespace {

using FunctionalKind = Functional::Kind;

constexpr std::size_t rules = 1 + std::tuple_size_v<decltype(Quadrature::coarser)>;

/// Values of a functional by the rule, and by each of the coarser ones.
using FunctionalRules = std::array<double, rules>;

FunctionalRules by_all(double value) {
  FunctionalRules taken;
  taken.fill(value);
  return taken;
}

double sign_of(FunctionalKind kind) { return kind == FunctionalKind::max ? 1 : -1; }

/// The number of the largest value; that of one which is no number, where there is any.
std::size_t extreme(const std::vector<double>& values, double sign) {
  std::size_t best = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    if (std::isnan(values[n]))
      return n;
    else if (sign * values[n] > sign * values[best])
      best = n;
  return best;
}

/// Finds the extreme near a node: the best of a cube around it, which shrinks where that is the
/// node itself.
class Climb {
 public:
  Climb(const Quadrature& rule, std::size_t node, double sign) : sign_(sign) {
    const auto after = std::ranges::find_if(
        rule.parts, [&](const Quadrature::Part& part) { return part.first > node; });
    const Quadrature::Part& part = *std::prev(after);
    set_ = &part.region->sampler();
    has_normals_ = !rule.normals.empty();
    const std::size_t d = std::size_t(set_->numbers());
    const auto first = part.cube.begin() + std::ptrdiff_t((node - part.first) * d);
    at_.assign(first, first + std::ptrdiff_t(d));
  }

  double extreme(const std::function<std::vector<double>(const PointSet&)>& values, double best) {
    constexpr int most_steps = 60;
    constexpr double begin = 0.02, end = 1e-9;
    double reach = begin;
    for (int k = 0; k < most_steps && reach > end && !at_.empty(); ++k) {
      const auto [cubes, points] = around(reach);
      const std::vector<double> found = values(points);
      if (found.empty()) break;
      const std::size_t n = pinn::extreme(found, sign_);
      if (!(sign_ * found[n] > sign_ * best)) {
        reach /= 3;
        continue;
      }
      best = found[n];
      at_ = cubes[n];
    }
    return best;
  }

 private:
  struct Around {
    std::vector<std::vector<double>> cubes;
    PointSet points;
  };

  /// Up to four numbers every combination of one step back, none, one forward; else one step along
  /// each.
  Around around(double reach) const {
    const std::size_t d = at_.size(), all = d <= 4 ? std::size_t(std::pow(3, d)) : 2 * d;
    Around found;
    for (std::size_t i = 0; i < all; ++i) {
      std::vector<double> cube = at_;
      std::size_t rest = i;
      for (std::size_t k = 0; k < d; ++k, rest /= 3) {
        const double step = d <= 4 ? double(rest % 3) - 1 : i / 2 == k ? (i % 2 ? 1.0 : -1.0) : 0;
        cube[k] = std::clamp(cube[k] + reach * step, 1e-15, 1 - 1e-15);
      }
      std::vector<double> x(std::size_t(set_->dimension())), n(has_normals_ ? x.size() : 0);
      if (cube == at_ || !set_->sample(cube, x, n)) continue;
      found.points.x.insert(found.points.x.end(), x.begin(), x.end());
      found.points.normals.insert(found.points.normals.end(), n.begin(), n.end());
      ++found.points.count;
      found.cubes.push_back(std::move(cube));
    }
    return found;
  }

  const double sign_;
  const Sampler* set_ = nullptr;
  bool has_normals_ = false;
  std::vector<double> at_;
};

/// The functionals of one value.
class FunctionalEvaluator {
 public:
  FunctionalEvaluator(const Run& run, const OutputValue& value, const Quadrature& rule,
                      const std::vector<TrainedNetwork>& networks, ThreadPool& pool,
                      const std::shared_ptr<StepCache>& cache)
      : value_(value), rule_(rule), pool_(pool) {
    std::vector<ExpressionPtr> formulas;
    for (const Functional& f : value.formula.functionals) formulas.push_back(f.of);
    if (!formulas.empty()) formulas_.emplace(run, networks, std::move(formulas), cache);
  }

  std::vector<FunctionalRules> all() {
    std::vector<std::vector<double>> values;
    if (rule_.count > 0) values = (*formulas_)({rule_.count, rule_.x, rule_.normals, {}}, pool_);
    std::vector<FunctionalRules> found;
    for (std::size_t k = 0; k < value_.formula.functionals.size(); ++k)
      found.push_back(taken(k, values));
    return found;
  }

 private:
  FunctionalRules taken(std::size_t k, const std::vector<std::vector<double>>& values) {
    const Functional& f = value_.formula.functionals[k];
    if (f.kind == FunctionalKind::at) {
      const std::vector<double> no_normal(rule_.normals.empty() ? 0 : f.point.size());
      return by_all((*formulas_)({1, f.point, no_normal, {}}, pool_)[k][0]);
    }
    if (f.kind == FunctionalKind::max || f.kind == FunctionalKind::min)
      return by_all(extreme_of(k, values[k], sign_of(f.kind)));
    FunctionalRules taken = integrals(values[k]);
    if (f.kind == FunctionalKind::integral) return taken;
    taken[0] /= measure(rule_.weights);
    for (std::size_t r = 1; r < rules; ++r) taken[r] /= measure(rule_.coarser[r - 1]);
    return taken;
  }

  /// By all rules; the same where they differ by rounding.
  FunctionalRules integrals(const std::vector<double>& values) const {
    constexpr double rounding = 1e-12;
    double size = 0;
    for (std::size_t n = 0; n < rule_.count; ++n) size += rule_.weights[n] * std::fabs(values[n]);
    FunctionalRules taken = by_all(rule_.sum(values, rule_.weights));
    for (std::size_t r = 1; r < rules; ++r) {
      const double coarse = rule_.sum(values, rule_.coarser[r - 1]);
      if (!(std::fabs(taken[0] - coarse) <= rounding * size)) taken[r] = coarse;
    }
    return taken;
  }

  double measure(const std::vector<double>& weights) const {
    double sum = 0;
    for (const double w : weights) sum += w;
    return sum;
  }

  double extreme_of(std::size_t k, const std::vector<double>& values, double sign) {
    const std::size_t node = extreme(values, sign);
    if (std::isnan(values[node])) return values[node];
    return Climb(rule_, node, sign)
        .extreme(
            [&](const PointSet& points) {
              return points.count == 0 ? std::vector<double>() : (*formulas_)(points, pool_)[k];
            },
            values[node]);
  }

  const OutputValue& value_;
  const Quadrature& rule_;
  ThreadPool& pool_;
  std::optional<RunFormulas> formulas_;
};

/// Value that the functionals make together.
double made(const ValueFormula& formula, const std::vector<FunctionalRules>& taken,
            std::size_t rule, const std::vector<double>& unknowns) {
  std::vector<double> columns;
  for (const FunctionalRules& one : taken) columns.push_back(one[rule]);
  return evaluate(*formula.formula, {.unknowns = unknowns, .columns = columns});
}

void compare(FoundValue& found, const std::vector<ReferenceValue>& references) {
  for (const ReferenceValue& reference : references) {
    if (reference.name != found.name) continue;
    const double off = std::fabs(found.value - reference.value);
    found.absolute = reference.value == 0;
    found.error = found.absolute ? off : off / std::fabs(reference.value);
  }
}

}  // namespace

bool has_reference(const Run& run, const std::string& value) {
  return std::ranges::any_of(run.reference.values,
                             [&](const ReferenceValue& r) { return r.name == value; });
}

ValueMeter::ValueMeter(const Run& run, std::size_t nodes) : run_(run) {
  for (const OutputValue& value : run.output.values)
    rules_.push_back(value.region ? quadrature(*value.region, nodes) : Quadrature());
}

std::vector<FoundValue> ValueMeter::operator()(const std::vector<TrainedNetwork>& networks,
                                               ThreadPool& pool,
                                               const std::shared_ptr<StepCache>& cache) const {
  const TrainedNetwork& last = networks.back();
  const std::vector<double> unknowns = last.model->unknown_values(last.parameters);
  std::vector<FoundValue> all;
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    const OutputValue& value = run_.output.values[k];
    const std::vector<FunctionalRules> taken =
        FunctionalEvaluator(run_, value, rules_[k], networks, pool, cache).all();
    FoundValue found{.name = value.name, .value = made(value.formula, taken, 0, unknowns)};
    for (std::size_t r = 1; r < rules; ++r)
      found.quadrature = std::max(found.quadrature,
                                  std::fabs(found.value - made(value.formula, taken, r, unknowns)));
    compare(found, run_.reference.values);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace pinn
