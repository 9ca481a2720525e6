#include "data/sampling/quadrature.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "data/geometry/measure.h"
#include "data/geometry/shape.h"
#include "data/sampling/sequence.h"

namespace pinn {
namespace {

/// A node of the rule on (0, 1) and its weights.
struct Node {
  double at, fine, coarse;
};

constexpr std::size_t rule_size = 15;

std::array<Node, rule_size> rule() {
  constexpr std::array<double, 8> nodes = {
      0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
      0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
      0.586087235467691130294144691693813, 0.405845151377397166906606412076961,
      0.207784955007898467600689403773245, 0};
  constexpr std::array<double, 8> kronrod = {
      0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
      0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
      0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
      0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
  constexpr std::array<double, 4> gauss = {
      0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
      0.381830050505118944950369775133975, 0.417959183673469387755102040816327};
  std::array<Node, rule_size> all{};
  for (std::size_t k = 0; k < rule_size; ++k) {
    const std::size_t i = std::min(k, rule_size - 1 - k);  // from the ends inward
    const double x = k < 7 ? -nodes[i] : nodes[i];
    all[k] = {(1 + x) / 2, kronrod[i] / 2, i % 2 == 1 ? gauss[i / 2] / 2 : 0};
  }
  return all;
}

/// The panels cut into about so many in all, each at least once.
std::vector<Interval> cut(const std::vector<Interval>& panels, double count) {
  double length = 0;
  for (const Interval& i : panels) length += i.upper - i.lower;
  std::vector<Interval> all;
  for (const Interval& i : panels) {
    const int pieces = std::max(1, int((i.upper - i.lower) / length * count));
    for (int k = 0; k < pieces; ++k)
      all.push_back({std::lerp(i.lower, i.upper, double(k) / pieces),
                     std::lerp(i.lower, i.upper, double(k + 1) / pieces)});
  }
  return all;
}

/// The composite rule along one number.
std::vector<Node> nodes_along(const std::vector<Interval>& panels, double count) {
  static const std::array<Node, rule_size> own = rule();
  std::vector<Node> all;
  for (const auto& [lower, upper] : cut(panels, count))
    for (const Node& node : own)
      all.push_back({std::lerp(lower, upper, node.at), node.fine * (upper - lower),
                     node.coarse * (upper - lower)});
  return all;
}

/// Gauss and Legendre's rule along one number, on each panel.
std::vector<Node> gauss_along(const std::vector<Interval>& panels, int points) {
  std::vector<Node> all;
  for (const Interval& panel : panels)
    for (const auto& [x, weight] : gauss_points(points, panel)) all.push_back({x, weight, weight});
  return all;
}

class Builder {
 public:
  explicit Builder(const Region& region) : normals_(region.has_normal()) {}

  void add_all(const Region& region, std::size_t nodes) {
    for (const Region* part : region.parts()) add(*part, nodes / region.parts().size());
  }
  void add_gauss(const Region& region, int points) {
    for (const Region* part : region.parts()) {
      found.parts.push_back({part, found.count, {}});
      std::vector<std::vector<Node>> along;
      const Sampler::Panels all = part->sampler().panels().value();
      for (const std::vector<Interval>& panels : all) along.push_back(gauss_along(panels, points));
      add_products(part->sampler(), along);
    }
  }
  Quadrature found;

 private:
  void add(const Region& part, std::size_t nodes) {
    found.parts.push_back({&part, found.count, {}});
    const auto panels = part.sampler().panels();
    if (!panels || !add_products(part.sampler(), *panels, nodes)) add_sequence(part, nodes);
  }

  /// Every combination of nodes along the numbers; false where these were too many.
  bool add_products(const Sampler& set, const Sampler::Panels& panels, std::size_t nodes) {
    constexpr double most_panels = 256;  // along one number
    const std::size_t d = panels.size();
    const double count = std::min(
        std::pow(double(nodes), 1 / double(std::max<std::size_t>(d, 1))) / rule_size, most_panels);
    if (d > 4) return false;
    std::vector<std::vector<Node>> along;
    std::size_t total = 1;
    for (const std::vector<Interval>& intervals : panels) {
      along.push_back(nodes_along(intervals, count));
      total *= along.back().size();
    }
    if (total > std::max<std::size_t>(2 * nodes, 4096)) return false;
    add_products(set, along);
    return true;
  }

  /// Every combination of nodes along the numbers.
  void add_products(const Sampler& set, const std::vector<std::vector<Node>>& along) {
    const std::size_t d = along.size();
    std::size_t total = 1;
    for (const std::vector<Node>& nodes : along) total *= nodes.size();
    std::vector<double> cube(d);
    for (std::size_t n = 0; n < total; ++n) {
      double fine = set.whole(), coarse = set.whole();
      std::size_t rest = n;
      for (std::size_t k = d; k-- > 0; rest /= along[k].size()) {
        const Node& node = along[k][rest % along[k].size()];
        cube[k] = node.at;
        fine *= node.fine;
        coarse *= node.coarse;
      }
      add_node(set, cube, fine);
      for (std::vector<double>& rule : found.coarser) rule.resize(found.count, coarse);
    }
  }

  void add_sequence(const Region& part, std::size_t nodes) {
    const Sampler& set = part.sampler();
    const int d = set.numbers();
    std::size_t count = 2;
    while (2 * count <= nodes || count < 4) count *= 2;
    const Random random{.seed = 0, .stream = stream("quadrature", "points")};
    const std::vector<double> cube = d <= sobol_dimensions ? sobol_points(int(count), d, random)
                                                           : halton_points(int(count), d, random);
    const std::size_t first = found.count;
    std::array<std::size_t, 5> ends{first};  // of the quarters
    for (std::size_t n = 0; n < count; ++n) {
      add_node(set, std::span(cube).subspan(n * std::size_t(d), std::size_t(d)), 1);
      ends[4 * n / count + 1] = found.count;
    }
    const auto weight = [&](std::size_t kept, std::size_t tried) {
      const double measure = set.measure();
      return measure > 0 ? measure / double(kept) : set.whole() / double(tried);
    };
    std::fill(found.weights.begin() + std::ptrdiff_t(first), found.weights.end(),
              weight(ends[4] - first, count));
    for (std::size_t q = 0; q < 4; ++q) {
      std::vector<double>& rule = found.coarser[q];
      rule.resize(ends[q], 0);
      rule.resize(ends[q + 1], weight(ends[q + 1] - ends[q], count / 4));
      rule.resize(found.count, 0);
    }
  }

  void add_node(const Sampler& set, std::span<const double> cube, double weight) {
    std::vector<double> x(std::size_t(set.dimension())), n(normals_ ? x.size() : 0);
    if (!set.sample(cube, x, n)) return;
    found.x.insert(found.x.end(), x.begin(), x.end());
    found.normals.insert(found.normals.end(), n.begin(), n.end());
    found.weights.push_back(weight);
    auto& of_part = found.parts.back().cube;
    of_part.insert(of_part.end(), cube.begin(), cube.end());
    ++found.count;
  }

  const bool normals_;
};

}  // namespace

double Quadrature::sum(std::span<const double> values, const std::vector<double>& of) const {
  double sum = 0;
  for (std::size_t n = 0; n < count; ++n)
    if (of[n] != 0) sum += of[n] * values[n];
  return sum;
}

Quadrature quadrature(const Region& region, std::size_t nodes) {
  Builder builder(region);
  builder.add_all(region, nodes);
  return std::move(builder.found);
}

bool has_panels(const Region& region) {
  return std::ranges::all_of(
      region.parts(), [](const Region* part) { return part->sampler().panels().has_value(); });
}

double gauss_nodes(const Region& region, int points) {
  double all = 0;
  for (const Region* part : region.parts()) {
    double of_part = 1;
    const Sampler::Panels all_panels = part->sampler().panels().value();
    for (const std::vector<Interval>& panels : all_panels)
      of_part *= double(panels.size()) * points;
    all += of_part;
  }
  return all;
}

Quadrature gauss_quadrature(const Region& region, int points) {
  Builder builder(region);
  builder.add_gauss(region, points);
  return std::move(builder.found);
}

}  // namespace pinn
