#include "tests/data/geometry/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pinn::test {
namespace {

/// So many that a standard deviation is at most 1e-3, of what is of size 1.
int samples_of(const SpatialShape& shape) {
  return int(std::clamp(std::pow(500 * shape.interior()->whole(), 2), 2e4, 1e5));
}

std::string differ(const std::string& what, Estimate a, Estimate b, double scale) {
  const double sigma = std::hypot(a.sigma, b.sigma);
  if (!(std::fabs(a.value - b.value) <= 5 * sigma + 1e-12 * scale))
    return fmt::format("{}: {} and {}, with a standard deviation of {}", what, a.value, b.value,
                       sigma);
  return "";
}

/// A polynomial field of degree three with random coefficients: F_i = sum_m c_im x^m.
struct Field {
  struct Term {
    std::vector<int> powers;
    std::vector<double> factors;  ///< by component
    double value(std::span<const double> x, std::size_t less) const {
      double product = 1;
      for (std::size_t c = 0; c < x.size(); ++c)
        for (int k = c == less; k < powers[c]; ++k) product *= x[c];
      return product;
    }
  };
  std::vector<Term> terms;

  Field(int dimension, const Random& random) {
    for (int t = 0; t < 4 + 2 * dimension; ++t) {
      Term term{std::vector<int>(dimension), {}};
      for (int k = 0; k < t % 4; ++k) ++term.powers[int(random.uniform(100 * t + k) * dimension)];
      for (int c = 0; c < dimension; ++c)
        term.factors.push_back(2 * random.uniform(100 * t + 50 + c) - 1);
      terms.push_back(term);
    }
  }
  double flow(std::span<const double> x, std::span<const double> n) const {
    double sum = 0;
    for (const Term& term : terms) {
      double along = 0;
      for (std::size_t c = 0; c < x.size(); ++c) along += term.factors[c] * n[c];
      sum += along * term.value(x, x.size());
    }
    return sum;
  }
  double divergence(std::span<const double> x) const {
    double sum = 0;
    for (const Term& term : terms)
      for (std::size_t c = 0; c < x.size(); ++c)
        if (term.powers[c] > 0) sum += term.factors[c] * term.powers[c] * term.value(x, c);
    return sum;
  }
};

/// The element of volume or area of a sampler's map by central differences: the root of the
/// determinant of J^T J. Negative where the map has a seam in between.
double element(const Sampler& sampler, const std::vector<double>& cube, double step) {
  const std::size_t m = cube.size(), d = std::size_t(sampler.dimension());
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> low = cube, high = cube, a(d), b(d), n(d), n2(d);
    low[k] -= step;
    high[k] += step;
    sampler.sample(low, a, n);
    sampler.sample(high, b, n2);
    std::vector<double> column(d);
    for (std::size_t c = 0; c < d; ++c) column[c] = (b[c] - a[c]) / (2 * step);
    columns.push_back(column);
  }
  double volume = 1;
  for (std::size_t k = 0; k < m; ++k) {
    double square = 0;
    for (double c : columns[k]) square += c * c;
    volume *= std::sqrt(square);
    for (std::size_t later = k + 1; later < m && square > 0; ++later) {
      double along = 0;
      for (std::size_t c = 0; c < d; ++c) along += columns[k][c] * columns[later][c];
      for (std::size_t c = 0; c < d; ++c) columns[later][c] -= along / square * columns[k][c];
    }
  }
  return volume;
}

}  // namespace

std::string inner_moments(const SpatialShape& shape, const Random& random) {
  const int d = std::min(shape.dimension(), 3), samples = samples_of(shape);
  const std::size_t moments = std::size_t(1 + d + d * (d + 1) / 2);
  const Function f = [&](std::span<const double> x, auto, std::span<double> values) {
    std::size_t next = 0;
    values[next++] = 1;
    for (int i = 0; i < d; ++i) {
      values[next++] = x[i];
      for (int j = 0; j <= i; ++j) values[next++] = x[i] * x[j];
    }
  };
  const auto drawn = integrals(*shape.interior(), moments, f, samples, random.child(1));
  const auto expected = box_integrals(shape, moments, f, samples, random.child(2));
  for (std::size_t k = 0; k < moments; ++k) {
    const std::string wrong = differ(fmt::format("moment {}", k), drawn[k], expected[k], 1);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string divergence(const SpatialShape& shape, const Random& random) {
  const auto interior = shape.interior();
  const auto surface = shape.surface();
  const int samples = samples_of(shape);
  double total = 0;
  for (const auto& piece : surface) total += piece->whole();
  const Field field(shape.dimension(), random.child(1));
  const Function inner = [&](auto x, auto, auto values) { values[0] = field.divergence(x); };
  const Function outer = [&](auto x, auto n, auto values) { values[0] = field.flow(x, n); };
  const Estimate within = integrals(*interior, 1, inner, samples, random.child(10))[0];
  Estimate through;
  for (std::size_t k = 0; k < surface.size(); ++k) {
    const int share = int(samples * surface[k]->whole() / total) + 1000;
    const Estimate part = integrals(*surface[k], 1, outer, share, random.child(20 + k))[0];
    through = {through.value + part.value, std::hypot(through.sigma, part.sigma)};
  }
  return differ("divergence and flow", within, through, 1);
}

std::string even_density(const SpatialShape& shape, const Random& random) {
  auto all = shape.surface();
  all.push_back(shape.interior());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Sampler& sampler = *all[k];
    if (sampler.numbers() == 0) continue;
    int odd = 0;
    constexpr int tries = 100;
    double wrong = 0;
    for (int t = 0; t < tries; ++t) {
      std::vector<double> cube(sampler.numbers());
      for (std::size_t c = 0; c < cube.size(); ++c)
        cube[c] = 0.01 + 0.98 * random.child(k).uniform(100 * t + c);
      const double found = element(sampler, cube, 1e-6);
      if (std::fabs(found - sampler.whole()) > 1e-4 * sampler.whole()) ++odd, wrong = found;
    }
    if (odd > 5)  // seams between the parts of a map
      return fmt::format("piece {} of {}: candidates cover {} there, {} in all, at {} of {} places",
                         k, all.size(), wrong, sampler.whole(), odd, tries);
  }
  return "";
}

}  // namespace pinn::test
