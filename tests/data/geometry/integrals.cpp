#include <algorithm>
#include <cmath>

#include "tests/data/geometry/laws.h"

namespace pinn::test {
namespace {

/// Mean and standard deviation of the mean, times a measure.
class Mean {
 public:
  void add(double value) {
    ++count_;
    const double change = value - mean_;
    mean_ += change / count_;
    squares_ += change * (value - mean_);
  }
  Estimate times(double measure) const {
    return {measure * mean_, measure * std::sqrt(squares_ / (count_ * (count_ - 1)))};
  }

 private:
  double count_ = 0, mean_ = 0, squares_ = 0;
};

/// Uniform numbers by place: SplitMix64, for there are many of them (Steele, Lea, Flood 2014).
class Fill {
 public:
  explicit Fill(const Random& random) {
    const auto words = random.bits(0);
    key_ = std::uint64_t{words[0]} << 32 | words[1];
  }
  void operator()(std::span<double> cube, std::uint64_t index) const {
    for (std::size_t c = 0; c < cube.size(); ++c) {
      std::uint64_t z = key_ + (index * cube.size() + c + 1) * 0x9e3779b97f4a7c15;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      cube[c] = (double((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
    }
  }

 private:
  std::uint64_t key_;
};

}  // namespace

Estimates integrals(const Sampler& sampler, std::size_t values, const Function& f, int count,
                    const Random& random) {
  std::vector<double> cube(sampler.numbers()), x(sampler.dimension()), n(x.size()), here(values);
  if (cube.empty()) count = 2;
  const Fill fill(random);
  std::vector<Mean> means(values);
  for (int k = 0; k < count; ++k) {
    fill(cube, k);
    std::fill(here.begin(), here.end(), 0.0);
    if (sampler.sample(cube, x, n)) f(x, n, here);
    for (std::size_t v = 0; v < values; ++v) means[v].add(here[v]);
  }
  Estimates all;
  for (const Mean& mean : means) all.push_back(mean.times(sampler.whole()));
  return all;
}

Estimates box_integrals(const SpatialShape& shape, std::size_t values, const Function& f, int count,
                        const Random& random) {
  const auto box = shape.bounds();
  std::vector<double> x(box.size()), here(values);
  const Fill fill(random);
  double measure = 1;
  for (const Interval& i : box) measure *= i.upper - i.lower;
  std::vector<Mean> means(values);
  for (int k = 0; k < count; ++k) {
    fill(x, k);
    for (std::size_t c = 0; c < x.size(); ++c)
      x[c] = box[c].lower + x[c] * (box[c].upper - box[c].lower);
    std::fill(here.begin(), here.end(), 0.0);
    if (shape.inside(x)) f(x, {}, here);
    for (std::size_t v = 0; v < values; ++v) means[v].add(here[v]);
  }
  Estimates all;
  for (const Mean& mean : means) all.push_back(mean.times(measure));
  return all;
}

std::vector<std::vector<double>> points_around(const SpatialShape& shape, double share, int count,
                                               const Random& random) {
  const auto box = shape.bounds();
  const Fill fill(random);
  std::vector<std::vector<double>> points(count, std::vector<double>(box.size()));
  for (int k = 0; k < count; ++k) {
    fill(points[k], k);
    for (std::size_t c = 0; c < box.size(); ++c) {
      const double size = box[c].upper - box[c].lower;
      points[k][c] = box[c].lower - share * size + points[k][c] * (1 + 2 * share) * size;
    }
  }
  return points;
}

SurfacePoint draw_point(const Sampler& sampler, const Random& random) {
  SurfacePoint point{std::vector<double>(sampler.dimension()),
                     std::vector<double>(sampler.dimension())};
  std::vector<double> cube(sampler.numbers());
  const Fill fill(random);
  for (int k = 0; k < 1000; ++k) {
    fill(cube, k);
    if (sampler.sample(cube, point.x, point.n)) return point;
  }
  return {};
}

double size_of(const SpatialShape& shape) {
  double size = 0;
  for (const Interval& i : shape.bounds()) size = std::max(size, i.upper - i.lower);
  return size;
}

}  // namespace pinn::test
