#include "data/sampling/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/core/error.h"
#include "data/sampling/sequence.h"

namespace pinn {
namespace {

using Sequence = std::vector<double> (*)(int count, int dimension, const Random&);

struct Method {
  const char* name;
  Sequence sequence;
};

constexpr Method methods[] = {
    {"uniform", uniform_points},
    {"grid", grid_points},
    {"lhs", lhs_points},
    {"halton", halton_points},
    {"hammersley", hammersley_points},
    {"sobol", sobol_points},
};

Sequence find_sequence(const std::string& name) {
  std::string names;
  for (const Method& m : methods) {
    if (name == m.name) return m.sequence;
    names += names.empty() ? m.name : fmt::format(", {}", m.name);
  }
  throw ConfigError(
      {fmt::format("there is no sampling method '{}'", name), "method", "choose one of " + names});
}

void check(const Region& region, const SamplingOptions& options) {
  if (options.count < 1)
    throw ConfigError(
        {fmt::format("{} points were asked for", options.count), "points", "ask for at least 1"});
  if (options.method == "sobol" && region.dimension() > sobol_dimensions)
    throw ConfigError({fmt::format("sobol points have at most {} dimensions, the region has {}",
                                   sobol_dimensions, region.dimension()),
                       "method = \"sobol\"", "choose \"halton\" or \"lhs\""});
}

/// Appends the points of one part that stand for those of its cube, [count, dimension], in the
/// cube's memory where they fit there.
void append(Points& points, const Region& part, std::vector<double> cube, bool normals) {
  const std::size_t d = part.dimension(), c = part.coordinates();
  const std::size_t count = d == 0 ? 1 : cube.size() / d;
  const std::size_t first = points.x.size();
  const bool fits = first == 0 && d == c;
  if (fits)
    points.x = std::move(cube);
  else
    points.x.resize(first + count * c);
  const double* from = fits ? points.x.data() : cube.data();
  std::vector<double> x(c), n(c);
  for (std::size_t i = 0; i < count; ++i) {
    part.map({from + i * d, d}, x);
    std::copy(x.begin(), x.end(), points.x.begin() + std::ptrdiff_t(first + i * c));
    if (!normals) continue;
    part.normal(x, n);
    points.normals.insert(points.normals.end(), n.begin(), n.end());
  }
  points.count += count;
}

}  // namespace

std::vector<std::string> sampling_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods) names.push_back(m.name);
  return names;
}

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
  const Sequence sequence = find_sequence(options.method);
  check(region, options);
  const std::vector<const Region*> parts = region.parts();
  std::vector<double> measures;
  for (const Region* part : parts) measures.push_back(part->measure());
  const std::vector<int> counts = split_by_measure(options.count, measures);

  Points points;
  points.coordinates = region.coordinates();
  points.measure = region.measure();
  const Random random{seed, stream, draw};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const int d = parts[k]->dimension();
    append(points, *parts[k],
           d == 0 ? std::vector<double>{} : sequence(counts[k], d, random.child(k)),
           region.has_normal());
  }
  return points;
}

}  // namespace pinn
