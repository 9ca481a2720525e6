#include "data/sampling/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "autograd/core/error.h"
#include "data/sampling/density.h"
#include "data/sampling/draw.h"
#include "data/sampling/sequence.h"

namespace pinn {
namespace {

void check(const Region& region, const SamplingOptions& options) {
  if (options.count < 1)
    throw ConfigError(
        {fmt::format("{} points were asked for", options.count), "points", "ask for at least 1"});
  if (options.density && options.method == "grid")
    throw ConfigError({"a grid is as dense everywhere", "density", "choose another method"});
  for (const Region* part : region.parts())
    if (const int numbers = part->sampler().numbers() + (options.density ? 1 : 0);
        options.method == "sobol" && numbers > sobol_dimensions)
      throw ConfigError({fmt::format("sobol points have at most {} dimensions, the region has {}",
                                     sobol_dimensions, numbers),
                         "method = \"sobol\"", "choose \"halton\" or \"lhs\""});
}

/// The points of one part; by a density with weights, of the mean 1.
struct DrawnPart {
  Drawn points;
  std::vector<double> weights = {};
};
DrawnPart drawn_part(const Region& part, const SamplingOptions& options, int count,
                     const Random& random, bool normals,
                     const std::optional<BoundedDensity>& density) {
  const Sampler& all = part.sampler();
  if (!density || all.numbers() == 0) return {draw(all, options.method, count, random, normals)};
  DrawnPart drawn{draw(DenseSampler(all, *density), options.method, count, random, normals)};
  drawn.weights = density->weights(drawn.points.x, drawn.points.count);
  return drawn;
}

/// Moves where it can: there may be millions.
void append(Points& points, Drawn part) {
  const auto add = [](std::vector<double>& to, std::vector<double>& from) {
    if (to.empty()) return to.swap(from);
    to.insert(to.end(), from.begin(), from.end());
  };
  add(points.x, part.x);
  add(points.normals, part.normals);
  points.count += part.count;
}

}  // namespace

std::vector<int> split_by_measure(int count, const std::vector<double>& measures) {
  const double total = std::accumulate(measures.begin(), measures.end(), 0.0);
  std::vector<int> shares;
  std::vector<double> remainders;
  for (double measure : measures) {
    const double exact = count * (measure / total);
    shares.push_back(static_cast<int>(exact));
    remainders.push_back(exact - shares.back());
  }
  int left = count - std::accumulate(shares.begin(), shares.end(), 0);
  std::vector<std::size_t> order(measures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t k = 0; left > 0; --left) ++shares[order[k++]];

  for (int& share : shares) {
    if (share > 0) continue;
    int& largest = *std::max_element(shares.begin(), shares.end());
    if (largest > 1) --largest;  // else there are more parts than points
    share = 1;
  }
  return shares;
}

Points draw_points(const Region& region, const SamplingOptions& options, std::uint64_t seed,
                   std::uint64_t stream, std::uint32_t draw) {
  if (options.given) return *options.given;
  check(region, options);
  std::optional<BoundedDensity> density;
  if (options.density) density.emplace(options.density, region);
  const std::vector<const Region*> parts = region.parts();
  std::vector<double> measures, masses;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    measures.push_back(parts[k]->measure());
    masses.push_back(measures[k] * (density ? density->means()[k] : 1));
  }
  const std::vector<int> counts = split_by_measure(options.count, masses);

  Points points;
  points.coordinates = region.coordinates();
  points.measure = region.measure();
  const Random random{seed, stream, draw};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    DrawnPart part =
        drawn_part(*parts[k], options, counts[k], random.child(k), region.has_normal(), density);
    part.weights.resize(density ? part.points.count : 0, 1);
    // Each part counts by its measure, whatever number of points it has.
    for (const double w : part.weights)
      points.weights.push_back(w * measures[k] / double(part.points.count));
    append(points, std::move(part.points));
  }
  const double all = std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
  for (double& w : points.weights) w *= double(points.count) / all;
  return points;
}

}  // namespace pinn
