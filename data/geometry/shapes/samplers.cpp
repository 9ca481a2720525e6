#include "data/geometry/samplers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pinn::shapes {
namespace {

class Mapped : public Sampler {
 public:
  Mapped(int dimension, int numbers, double whole, Map map, Sampler::Panels panels)
      : dimension_(dimension),
        numbers_(numbers),
        whole_(whole),
        map_(std::move(map)),
        panels_(std::move(panels)) {}
  int dimension() const override { return dimension_; }
  int numbers() const override { return numbers_; }
  double whole() const override { return whole_; }
  bool keeps_all() const override { return true; }
  std::optional<Panels> panels() const override {
    return panels_.empty() ? Sampler::panels() : panels_;
  }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    map_(cube, x, n);
    return true;
  }

 private:
  const int dimension_, numbers_;
  const double whole_;
  const Map map_;
  const Panels panels_;  ///< empty: as those of any map
};

class Refusing : public Sampler {
 public:
  Refusing(int dimension, double whole, double measure, Trial trial)
      : dimension_(dimension), whole_(whole), measure_(measure), trial_(std::move(trial)) {}
  int dimension() const override { return dimension_; }
  int numbers() const override { return dimension_; }
  double whole() const override { return whole_; }
  bool keeps_all() const override { return false; }
  double measure() const override { return measure_; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    return trial_(cube, x, n);
  }

 private:
  const int dimension_;
  const double whole_, measure_;
  const Trial trial_;
};

double norm(const std::vector<double>& a) {
  double sum = 0;
  for (double c : a) sum += c * c;
  return std::sqrt(sum);
}

/// Length, area or volume of what one, two or more edges span, by Gram and Schmidt.
double spanned(std::vector<std::vector<double>> edges) {
  double measure = 1;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const double size = norm(edges[k]);
    measure *= size;
    for (std::size_t later = k + 1; later < edges.size(); ++later) {
      double along = 0;
      for (std::size_t c = 0; c < edges[k].size(); ++c) along += edges[k][c] * edges[later][c];
      for (std::size_t c = 0; c < edges[k].size(); ++c)
        edges[later][c] -= along / (size * size) * edges[k][c];
    }
  }
  return measure;
}

}  // namespace

SamplerPtr interior_map(int dimension, double whole, Map map, Sampler::Panels panels) {
  return std::make_shared<Mapped>(dimension, dimension, whole, std::move(map), std::move(panels));
}

SamplerPtr surface_map(int dimension, double whole, Map map, Sampler::Panels panels) {
  return std::make_shared<Mapped>(dimension, dimension - 1, whole, std::move(map),
                                  std::move(panels));
}

SamplerPtr interior_trial(int dimension, double whole, double measure, Trial trial) {
  return std::make_shared<Refusing>(dimension, whole, measure, std::move(trial));
}

SamplerPtr point_piece(double at, double normal) {
  return surface_map(1, 1, [=](std::span<const double>, std::span<double> x, std::span<double> n) {
    x[0] = at;
    if (!n.empty()) n[0] = normal;
  });
}

SamplerPtr box_interior(std::vector<Interval> bounds) {
  double whole = 1;
  for (const Interval& i : bounds) whole *= i.upper - i.lower;
  const int dimension = int(bounds.size());
  return interior_map(
      dimension, whole,
      [bounds = std::move(bounds)](std::span<const double> cube, std::span<double> x,
                                   std::span<double>) {
        for (std::size_t k = 0; k < bounds.size(); ++k)
          x[k] = bounds[k].lower + cube[k] * (bounds[k].upper - bounds[k].lower);
      },
      Sampler::Panels(std::size_t(dimension), {{0, 1}}));
}

SamplerPtr flat_piece(std::vector<double> origin, std::vector<std::vector<double>> edges,
                      std::vector<double> normal) {
  const double whole = spanned(edges);
  const int dimension = int(origin.size());
  return surface_map(
      dimension, whole,
      [origin = std::move(origin), edges = std::move(edges), normal = std::move(normal)](
          std::span<const double> cube, std::span<double> x, std::span<double> n) {
        for (std::size_t c = 0; c < x.size(); ++c) {
          x[c] = origin[c];
          for (std::size_t k = 0; k < edges.size(); ++k) x[c] += cube[k] * edges[k][c];
        }
        if (!n.empty()) std::copy(normal.begin(), normal.end(), n.begin());
      },
      Sampler::Panels(std::size_t(dimension) - 1, {{0, 1}}));
}

void sphere_direction(std::span<const double> cube, std::span<double> n) {
  double left = 1;  // of the sum of squares
  std::size_t at = 0, used = 0;
  for (std::size_t d = n.size(); d > 0; d = n.size() - at) {
    double pair = left, turn = 0;
    if (d == 3) {
      const double height = 2 * cube[used++] - 1;
      pair = left * (1 - height) * (1 + height);
      n[at + 2] = std::sqrt(left) * height;
    } else if (d > 3) {
      const double rest = std::pow(cube[used++], 2.0 / double(d - 2));
      pair = left * (1 - rest);
      left *= rest;
    }
    turn = 2 * std::numbers::pi * cube[used++];
    n[at] = std::sqrt(pair) * std::cos(turn);
    n[at + 1] = std::sqrt(pair) * std::sin(turn);
    at += d == 3 ? 3 : 2;
  }
}

double sphere_measure(int dimension) {
  return 2 * std::exp(0.5 * dimension * std::log(std::numbers::pi) - std::lgamma(0.5 * dimension));
}

std::pair<std::size_t, double> share_of(const std::vector<double>& sums, double u) {
  const double at = u * sums.back();
  const auto next = std::upper_bound(sums.begin(), sums.end() - 1, at);
  const std::size_t k = std::size_t(next - sums.begin());
  const double before = k == 0 ? 0 : sums[k - 1], share = sums[k] - before;
  const double smallest = std::nextafter(0.0, 1.0), largest = std::nextafter(1.0, 0.0);
  return {k, std::clamp((at - before) / share, smallest, largest)};
}

double gap(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

}  // namespace pinn::shapes
