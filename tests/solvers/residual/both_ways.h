#pragma once
#include <cmath>
#include <optional>

#include "tests/larger.h"
#include "tests/solvers/residual/problems.h"

/// A loss computed twice: by the compiled step, and op by op on tensors, which is what it means.
namespace pinn::test {

/// A problem with points for each requirement, and how its loss is to be computed.
struct LossCase {
  std::shared_ptr<const Model> model;
  std::vector<PointSet> points;
  LossOptions options;

  Result at(std::span<const double> p, bool compiled, int threads = 1) const;
};

/// Point i of a set.
inline PointSet point(const PointSet& all, std::size_t i) {
  const auto row = [&](const std::vector<double>& values) {
    const std::size_t width = values.size() / all.count;
    const auto first = values.begin() + std::ptrdiff_t(i * width);
    return std::vector<double>(first, first + std::ptrdiff_t(width));
  };
  return {1, row(all.x), row(all.normals), row(all.columns), row(all.weights)};
}

/// The mean over a few points of each requirement of the size of the gradient there.
inline std::vector<double> sizes_of_gradient(const LossCase& c, std::span<const double> p) {
  constexpr std::size_t few = 12;
  std::vector<double> sizes(p.size());
  for (std::size_t n = 0; n < few; ++n) {
    LossCase one = c;
    for (PointSet& set : one.points) set = point(set, n * set.count / few);
    one.options.dtype = DType::float64;
    const std::vector<double> g = one.at(p, false).gradient;
    for (std::size_t i = 0; i < p.size(); ++i) sizes[i] += std::fabs(g[i]) / few;
  }
  return sizes;
}

/// Relative size of a number over its scale; 0 over 0 is no distance, and what is not finite is far
/// from all.
inline double relative(double difference, double scale) {
  if (!std::isfinite(difference) || !std::isfinite(scale)) return INFINITY;
  return difference == 0 ? 0 : difference / scale;
}

inline Result LossCase::at(std::span<const double> p, bool compiled, int threads) const {
  ThreadPool pool(threads);
  LossOptions chosen = options;
  chosen.compiled = compiled;
  Loss loss(model, chosen, pool);
  for (std::size_t r = 0; r < points.size(); ++r) loss.set_points(r, points[r]);
  std::vector<double> g(p.size());
  const Loss::Result value = loss.value_and_gradient(p, g);
  return {value, g};
}

/// How far loss and gradient `a` are from `b`, both at p, relative to the sum of the magnitudes of
/// what each point adds: the largest of total, terms and blocks of the gradient. Where `before` is
/// given, what cancels in a residual is taken to be as large as that term was.
inline double distance_of(const LossCase& c, std::span<const double> p, const Result& a,
                          const Result& b, const std::optional<Loss::Result>& before = {}) {
  const auto cancelled = [&](double now, double then) {
    return std::sqrt(now * std::max(now, then));
  };
  double most = relative(std::fabs(a.loss.total - b.loss.total),
                         cancelled(b.loss.total, before ? before->total : 0));
  for (std::size_t k = 0; k < b.loss.terms.size(); ++k)
    most = larger(most, relative(std::fabs(a.loss.terms[k] - b.loss.terms[k]),
                                 cancelled(b.loss.terms[k], before ? before->terms[k] : 0)));
  const std::vector<double> sizes = sizes_of_gradient(c, p);
  const double grown =
      before ? std::sqrt(std::max(1.0, before->total / std::max(b.loss.total, 1e-300))) : 1;
  for (const ParameterBlock& block : c.model->blocks()) {
    double difference = 0, scale = 0;
    for (std::int64_t i = block.offset; i < block.offset + block.shape.numel(); ++i) {
      difference += std::fabs(a.gradient[std::size_t(i)] - b.gradient[std::size_t(i)]);
      scale += std::max(sizes[std::size_t(i)], std::fabs(b.gradient[std::size_t(i)]));
    }
    most = larger(most, relative(difference, scale * grown));
  }
  return most;
}

/// The same of the compiled loss and that op by op.
inline double distance_both_ways(const LossCase& c, std::span<const double> p,
                                 const std::optional<Loss::Result>& before = {}) {
  return distance_of(c, p, c.at(p, true), c.at(p, false), before);
}

}  // namespace pinn::test
