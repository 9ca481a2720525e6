#pragma once
#include <array>
#include <complex>

#include "tests/solvers/optimize/problems.h"

namespace pinn {

/// The problem of moves/problem.py: two fields of a network 2-4-2, an unknown, an equation and two
/// conditions with weights 2, 0.3 and 1.5, at so many points each.
struct WeightedFields : CountedSquares {
  static constexpr std::size_t w1 = 0, b1 = 8, w2 = 12, b2 = 20, k = 22, all = 23;
  struct Point {
    double x, y, scale;
    int term;
  };
  std::vector<Point> points;

  explicit WeightedFields(const std::array<int, 3>& counts) : CountedSquares(all) {
    constexpr double weights[] = {2, 0.3, 1.5};
    for (int term = 0; term < 3; ++term)
      for (int n = 0; n < counts[std::size_t(term)]; ++n) {
        const double i = double(points.size());
        points.push_back({2 * std::fmod(0.37 + 0.618 * i, 1) - 1,
                          2 * std::fmod(0.11 + 0.711 * i, 1) - 1,
                          std::sqrt(weights[term] / counts[std::size_t(term)]), term});
      }
  }
  static std::vector<ParameterMatrix> matrices() {
    return {{w1, 2, 4}, {b1, 1, 4}, {w2, 4, 2}, {b2, 1, 2}, {k, 1, 1}};
  }

  std::size_t rows() const override { return points.size(); }
  void write_rows(std::span<const double> p, std::span<double> r, std::span<double> j) override {
    for (std::size_t i = 0; i < rows(); ++i) {
      const Row<double> row = row_of(points[i], p);
      r[i] = row.r;
      write(points[i], row, j.data() + i * all);
    }
  }
  double evaluate(std::span<const double> p, std::span<double> g) override {
    double loss = 0;
    for (const Point& at : points) loss += std::norm(row_of(at, p).r);
    std::ranges::copy(gradient(p), g.begin());
    return loss;
  }
  /// By a complex step of the gradient, which has no rounding but its own.
  void hessian_times(std::span<const double> p, std::span<const double> v,
                     std::span<double> product) override {
    constexpr double h = 1e-30;
    std::vector<std::complex<double>> there;
    for (std::size_t i = 0; i < all; ++i) there.emplace_back(p[i], h * v[i]);
    const auto g = gradient(std::span<const std::complex<double>>(there));
    for (std::size_t i = 0; i < all; ++i) product[i] = g[i].imag() / h;
  }
  std::vector<KroneckerFactors> kronecker(std::span<const double> p) override {
    std::vector<KroneckerFactors> factors;
    for (int term = 0; term < 3; ++term)
      for (const ParameterMatrix& m : matrices()) {
        if (m.offset == k && term > 0) continue;
        factors.push_back({m.offset, m.rows, m.columns, term == 0, {}, {}});
        add_up(factors.back(), term, p);
      }
    return factors;
  }

 private:
  /// r, its derivatives by k, by both fields and before tanh, and what tanh gives.
  template <class T> struct Row {
    T r, by_k;
    std::array<T, 2> by_out;
    std::array<T, 4> by_z, h;
  };

  template <class T> static Row<T> row_of(const Point& at, std::span<const T> p) {
    Row<T> row;
    T u = p[b2], v = p[b2 + 1];
    for (std::size_t j = 0; j < 4; ++j) {
      row.h[j] = std::tanh(at.x * p[w1 + j] + at.y * p[w1 + 4 + j] + p[b1 + j]);
      u += row.h[j] * p[w2 + 2 * j], v += row.h[j] * p[w2 + 2 * j + 1];
    }
    const double s = at.scale;
    if (at.term == 0)
      row.r = s * (u * v + p[k] * u - at.x * std::sin(2 * at.y)), row.by_k = s * u,
      row.by_out = {s * (v + p[k]), s * u};
    else if (at.term == 1)
      row.r = s * (u + v / 2. - at.x * at.x), row.by_k = 0, row.by_out = {s, s / 2};
    else
      row.r = s * (v - std::cos(at.x * at.y)), row.by_k = 0, row.by_out = {0, s};
    for (std::size_t j = 0; j < 4; ++j)
      row.by_z[j] = (row.by_out[0] * p[w2 + 2 * j] + row.by_out[1] * p[w2 + 2 * j + 1]) *
                    (1. - row.h[j] * row.h[j]);
    return row;
  }

  /// A row of J.
  template <class T> static void write(const Point& at, const Row<T>& row, T* j) {
    for (std::size_t a = 0; a < 4; ++a) {
      j[w1 + a] = at.x * row.by_z[a], j[w1 + 4 + a] = at.y * row.by_z[a];
      j[b1 + a] = row.by_z[a];
      for (std::size_t c = 0; c < 2; ++c) j[w2 + 2 * a + c] = row.h[a] * row.by_out[c];
    }
    for (std::size_t c = 0; c < 2; ++c) j[b2 + c] = row.by_out[c];
    j[k] = row.by_k;
  }

  template <class T> std::vector<T> gradient(std::span<const T> p) const {
    std::vector<T> g(all), j(all);
    for (const Point& at : points) {
      const Row<T> row = row_of(at, p);
      write(at, row, j.data());
      for (std::size_t i = 0; i < all; ++i) g[i] += 2. * row.r * j[i];
    }
    return g;
  }

  /// The mean of x x^T over the rows of a term, and the sum of g g^T.
  void add_up(KroneckerFactors& to, int term, std::span<const double> p) const {
    to.a.resize(to.m * to.m), to.g.resize(to.n * to.n);
    const double count = double(std::ranges::count(points, term, &Point::term));
    for (const Point& at : points) {
      if (at.term != term) continue;
      const Row<double> row = row_of(at, p);
      const std::vector<double> x = inputs(to.offset, at, row), g = outputs(to.offset, row);
      for (std::size_t i = 0; i < to.a.size(); ++i) to.a[i] += x[i / to.m] * x[i % to.m] / count;
      for (std::size_t i = 0; i < to.g.size(); ++i) to.g[i] += g[i / to.n] * g[i % to.n];
    }
  }
  static std::vector<double> inputs(std::size_t offset, const Point& at, const Row<double>& row) {
    if (offset == w1) return {at.x, at.y};
    if (offset == w2) return {row.h.begin(), row.h.end()};
    return {1};
  }
  static std::vector<double> outputs(std::size_t offset, const Row<double>& row) {
    if (offset == k) return {row.by_k};
    if (offset < w2) return {row.by_z.begin(), row.by_z.end()};
    return {row.by_out.begin(), row.by_out.end()};
  }
};

}  // namespace pinn
