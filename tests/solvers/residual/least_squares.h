#pragma once
#include <iterator>
#include <numeric>

#include "tests/solvers/residual/both_ways.h"

namespace pinn::test {

/// How far the members of a sum of squares are from each other, each as a share of the largest
/// number that it is about: K from J J^T, formed from rows; J v, J^T w and the gradient 2 J^T R
/// from rows, and |R|^2 from the loss; w . J v from J^T w . v; H v from a difference of gradients.
struct Disagreement {
  double gram = 0, products = 0, gradient = 0, adjoint = 0, hessian = 0;
};

class LeastSquaresCase {
 public:
  LeastSquaresCase(const LossCase& c, std::vector<double> p)
      : pool_(2), loss_(c.model, c.options, pool_), p_(std::move(p)) {
    for (std::size_t r = 0; r < c.points.size(); ++r) loss_.set_points(r, c.points[r]);
  }

  Disagreement disagreement() {
    const std::size_t rows = loss_.squares().rows(), n = p_.size();
    std::vector<double> r(rows), j(rows * n), k(rows * rows), g(n), jv(rows), jtw(n), hv(n);
    const std::vector<double> v = direction(n), w = direction(rows);
    loss_.squares().residual(p_, r);
    loss_.squares().jacobian_rows(p_, 0, rows, j);
    loss_.squares().gram(p_, k);
    loss_.squares().jacobian_times(p_, v, jv);
    loss_.squares().transposed_times(p_, w, jtw);
    loss_.squares().hessian_times(p_, v, hv);
    const double total = loss_.value_and_gradient(p_, g).total;

    std::vector<double> from_rows(rows * rows), j_times_v(rows), w_times_j(n), twice(n);
    double squares = 0;
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b <= a; ++b)
        from_rows[a * rows + b] = from_rows[b * rows + a] = dot(row(j, a), row(j, b));
      j_times_v[a] = dot(row(j, a), v);
      squares += r[a] * r[a];
      for (std::size_t i = 0; i < n; ++i) {
        w_times_j[i] += w[a] * j[a * n + i];
        twice[i] += 2 * r[a] * j[a * n + i];
      }
    }
    const double size = std::sqrt(dot(w, w) * dot(jv, jv));
    return {apart(k, from_rows), larger(apart(jv, j_times_v), apart(jtw, w_times_j)),
            larger(apart(g, twice), relative(std::fabs(total - squares), squares)),
            relative(std::fabs(dot(w, jv) - dot(jtw, v)), size), apart(hv, slope_along(v))};
  }

 private:
  /// Numbers of no particular pattern between -1 and 1.
  static std::vector<double> direction(std::size_t count) {
    std::vector<double> v;
    for (std::size_t i = 0; i < count; ++i) v.push_back(2 * std::fmod(0.618 * double(i), 1) - 1);
    return v;
  }
  std::span<const double> row(const std::vector<double>& j, std::size_t a) const {
    return std::span(j).subspan(a * p_.size(), p_.size());
  }
  /// By eight sums that do not wait for each other: nearly all of the time goes here.
  static double dot(std::span<const double> a, std::span<const double> b) {
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= a.size(); i += 8)
      for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
    return std::accumulate(std::begin(sums), std::end(sums), 0.0);
  }
  static double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      most = larger(most, std::fabs(b[i]));
      apart = larger(apart, std::fabs(a[i] - b[i]));
    }
    return relative(apart, most);
  }
  /// Slope of the gradient along v, by a difference of fourth order.
  std::vector<double> slope_along(const std::vector<double>& v) {
    const double h = 1e-4;
    std::vector<double> slope(p_.size()), g(p_.size());
    for (const auto& [step, factor] :
         {std::pair(2 * h, -1.0), std::pair(h, 8.0), std::pair(-h, -8.0), std::pair(-2 * h, 1.0)}) {
      std::vector<double> to = p_;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += step * v[i];
      loss_.value_and_gradient(to, g);
      for (std::size_t i = 0; i < g.size(); ++i) slope[i] += factor * g[i] / (12 * h);
    }
    return slope;
  }

  ThreadPool pool_;
  Loss loss_;
  std::vector<double> p_;
};

}  // namespace pinn::test
