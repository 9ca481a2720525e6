#include "data/geometry/implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/files/table.h"

namespace pinn {
namespace {

class CloudSampler : public Sampler {
 public:
  explicit CloudSampler(Cloud cloud) : cloud_(std::move(cloud)) {}

  int dimension() const override { return cloud_.dimension; }
  int numbers() const override { return 1; }
  double whole() const override { return 1; }
  bool keeps_all() const override { return true; }
  std::optional<Panels> panels() const override { return {}; }
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override {
    const std::size_t count = cloud_.count(), d = std::size_t(cloud_.dimension);
    const std::size_t i = std::min(std::size_t(cube[0] * double(count)), count - 1);
    std::copy_n(cloud_.points.begin() + std::ptrdiff_t(i * d), x.size(), x.begin());
    std::copy_n(cloud_.normals.begin() + std::ptrdiff_t(i * d), n.size(), n.begin());
    return true;
  }

 private:
  const Cloud cloud_;
};

class CloudShape : public SpatialShape {
 public:
  explicit CloudShape(Cloud cloud)
      : points_(cloud.points), normals_(cloud.normals), sampler_(cloud_sampler(std::move(cloud))) {
    const std::size_t d = std::size_t(sampler_->dimension());
    bounds_.assign(d, {INFINITY, -INFINITY});
    for (std::size_t i = 0; i < points_.size(); ++i) {
      Interval& b = bounds_[i % d];
      b = {std::min(b.lower, points_[i]), std::max(b.upper, points_[i])};
    }
  }

  int dimension() const override { return sampler_->dimension(); }
  std::vector<Interval> bounds() const override { return bounds_; }
  bool inside(std::span<const double> x) const override {
    double size = 0;
    for (const Interval& i : bounds_) size = std::max(size, i.upper - i.lower);
    return gap(nearest(x), x) <= 1e-9 * size;
  }
  DistanceKind distance_kind() const override { return DistanceKind::none; }
  double distance(std::span<const double>) const override {
    throw InternalError({"a cloud of points was asked for a distance", "data/geometry/cloud.cpp",
                         "ask distance_kind() first"});
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    std::copy_n(normals_.begin() + std::ptrdiff_t(nearest(x)), n.size(), n.begin());
  }
  std::shared_ptr<const Sampler> interior() const override {
    throw ConfigError({"a cloud of points has no inside", "", "it is a boundary only"});
  }
  std::vector<std::shared_ptr<const Sampler>> surface() const override { return {sampler_}; }

 private:
  double gap(std::size_t first, std::span<const double> x) const {
    double square = 0;
    for (std::size_t k = 0; k < x.size(); ++k) square += std::pow(points_[first + k] - x[k], 2);
    return std::sqrt(square);
  }
  /// Index of the first number of the nearest point.
  std::size_t nearest(std::span<const double> x) const {
    std::size_t best = 0;
    for (std::size_t i = 0; i < points_.size(); i += x.size())
      if (gap(i, x) < gap(best, x)) best = i;
    return best;
  }

  const std::vector<double> points_, normals_;
  const std::shared_ptr<const Sampler> sampler_;
  std::vector<Interval> bounds_;
};

/// Brings the normal of point i to unit length.
void normalize(std::span<double> n, std::size_t i, const std::string& path) {
  double largest = 0, square = 0;
  for (const double c : n) largest = std::max(largest, std::fabs(c));
  if (largest == 0)
    throw ConfigError({fmt::format("the normal of point {} is zero", i + 1), path,
                       "give each point the direction that leads out of the body"});
  for (double& c : n) c /= largest, square += c * c;
  for (double& c : n) c /= std::sqrt(square);
}

}  // namespace

Cloud read_cloud(const std::string& path, const std::vector<std::string>& coordinates,
                 const std::vector<std::string>& normals) {
  const std::size_t d = coordinates.size();
  if (d == 0 || normals.size() != d)
    throw ConfigError(
        {fmt::format("a cloud has {} columns of normals for {} coordinates", normals.size(), d),
         "normals", "name one column for each coordinate of space"});
  std::vector<std::string> names = coordinates;
  names.insert(names.end(), normals.begin(), normals.end());
  const Table table = read_table(path, names);
  Cloud cloud{int(d), {}, {}};
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t k = 0; k < d; ++k) cloud.points.push_back(table.columns[k][i]);
    for (std::size_t k = 0; k < d; ++k) cloud.normals.push_back(table.columns[d + k][i]);
    normalize({cloud.normals.end() - std::ptrdiff_t(d), cloud.normals.end()}, i, path);
  }
  return cloud;
}

ShapePtr make_cloud(Cloud cloud) { return std::make_shared<CloudShape>(std::move(cloud)); }

std::shared_ptr<const Sampler> cloud_sampler(Cloud cloud) {
  return std::make_shared<CloudSampler>(std::move(cloud));
}

}  // namespace pinn
