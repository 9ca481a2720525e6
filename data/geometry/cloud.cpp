#include "data/geometry/cloud.h"

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

std::shared_ptr<const Sampler> cloud_sampler(Cloud cloud) {
  return std::make_shared<CloudSampler>(std::move(cloud));
}

}  // namespace pinn
