#include "data/sampling/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/core/error.h"
#include "data/sampling/draw.h"
#include "data/sampling/sequence.h"

namespace pinn {
namespace {

void check(const Region& region, const SamplingOptions& options) {
  if (options.count < 1)
    throw ConfigError(
        {fmt::format("{} points were asked for", options.count), "points", "ask for at least 1"});
  for (const Region* part : region.parts())
    if (const int numbers = part->sampler().numbers();
        options.method == "sobol" && numbers > sobol_dimensions)
      throw ConfigError({fmt::format("sobol points have at most {} dimensions, the region has {}",
                                     sobol_dimensions, numbers),
                         "method = \"sobol\"", "choose \"halton\" or \"lhs\""});
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
  check(region, options);
  const std::vector<const Region*> parts = region.parts();
  std::vector<double> measures;
  for (const Region* part : parts) measures.push_back(part->measure());
  const std::vector<int> counts = split_by_measure(options.count, measures);

  Points points;
  points.coordinates = region.coordinates();
  points.measure = region.measure();
  const Random random{seed, stream, draw};
  for (std::size_t k = 0; k < parts.size(); ++k)
    append(points, pinn::draw(parts[k]->sampler(), options.method, counts[k], random.child(k),
                              region.has_normal()));
  return points;
}

}  // namespace pinn
