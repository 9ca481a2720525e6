#include "solvers/points/point_sets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/random.h"
#include "data/files/table.h"
#include "data/sampling/quadrature.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/point_formula.h"
#include "solvers/residual/points.h"

namespace pinn {
namespace {

/// Brings the columns that are handed to the residuals at points that are no data.
void bring_columns(PointSet& points, const Run& run, std::size_t r) {
  if (r < run.handed.size() && run.handed[r]) points.columns = run.handed[r](points.x);
}

/// The weights that formulas of the problem give each point: one, or one per residual where they
/// differ; empty where there is no formula.
std::vector<double> weights_by_formula(const Requirement& r, std::span<const double> x,
                                       std::size_t count) {
  std::vector<const PointFormula*> formulas;
  for (const Residual& residual : r.residuals) formulas.push_back(residual.weight_at.get());
  if (r.residuals.empty()) formulas.push_back(r.weight_at.get());
  if (std::ranges::all_of(formulas, [&](const auto* f) { return f == formulas[0]; }))
    formulas.resize(1);
  std::vector<double> weights;
  if (formulas == std::vector<const PointFormula*>{nullptr}) return weights;
  const std::size_t d = x.size() / std::max<std::size_t>(count, 1);
  for (std::size_t i = 0; i < count; ++i)
    for (const PointFormula* f : formulas) weights.push_back(f ? (*f)(x.subspan(i * d, d)) : 1);
  return weights;
}

/// The nodes of a requirement of integrals, with the weights of their rule; or of one with about
/// `times` as many along each coordinate.
PointSet nodes_of(const Run& run, std::size_t r, double times = 1) {
  const Requirement& requirement = run.problem.requirements[r];
  const Region& region = *requirement.region;
  Quadrature rule = has_panels(region)
                        ? gauss_quadrature(region, int(std::ceil(times * requirement.quadrature)))
                        : quadrature(region, std::size_t(times * run.sampling[r].count));
  return {rule.count, std::move(rule.x), std::move(rule.normals), {}, std::move(rule.weights)};
}

/// Completes points with what belongs to them beside their places.
PointSet complete(PointSet set, const Run& run, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  set = in_order_of_pieces(std::move(set), requirement);
  if (!requirement.data) bring_columns(set, run, r);
  set.weights =
      both_weights(set.count, set.weights, weights_by_formula(requirement, set.x, set.count));
  return set;
}

PointSet drawn(const Run& run, std::size_t r, const SamplingOptions& options,
               const std::string& purpose, std::uint32_t draw) {
  const Requirement& requirement = run.problem.requirements[r];
  Points points = draw_points(*requirement.region, options, run.options.seed,
                              stream(requirement.name, purpose), draw);
  return complete(
      {points.count, std::move(points.x), std::move(points.normals), {}, std::move(points.weights)},
      run, r);
}

}  // namespace

PointSet points_of(const Run& run, std::size_t r, const std::string& purpose, std::uint32_t draw) {
  const Requirement& requirement = run.problem.requirements[r];
  if (requirement.data)
    return complete({requirement.data->count,
                     requirement.data->rows,
                     {},
                     requirement.data->values,
                     requirement.data->weights},
                    run, r);
  if (is_integral(requirement)) return nodes_of(run, r);
  return drawn(run, r, run.sampling[r], purpose, draw);
}

PointSet candidates_of(const Run& run, std::size_t r, int count, std::uint32_t draw) {
  SamplingOptions options = run.sampling[r];
  options.count = count;
  options.method = "uniform";
  options.density = nullptr;
  options.given = nullptr;
  return drawn(run, r, options, "candidates", draw);
}

PointSet points_in_use(const Run& run, std::size_t r, const Draw& draw) {
  PointSet points =
      draw.x.empty()
          ? points_of(run, r, "points", draw.count)
          : complete({draw.x.size() / run.problem.coordinates.size(), draw.x, draw.normals, {}, {}},
                     run, r);
  points.weights = both_weights(points.count, points.weights, draw.weights);
  return points;
}

std::vector<double> both_weights(std::size_t count, const std::vector<double>& a,
                                 const std::vector<double>& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  const std::size_t of_a = a.size() / count, of_b = b.size() / count, most = std::max(of_a, of_b);
  std::vector<double> both;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < most; ++k)
      both.push_back(a[i * of_a + (of_a > 1 ? k : 0)] * b[i * of_b + (of_b > 1 ? k : 0)]);
  return both;
}

PointSet sample_points(const Run& run, std::size_t r) {
  if (const auto& data = run.problem.requirements[r].data) {
    const auto first = [&](const std::vector<double>& rows) {
      const std::size_t width = data->count == 0 ? 0 : rows.size() / data->count;
      return std::vector<double>(rows.begin(), rows.begin() + std::ptrdiff_t(width));
    };
    return complete({1, first(data->rows), {}, first(data->values), first(data->weights)}, run, r);
  }
  if (is_integral(run.problem.requirements[r])) return nodes_of(run, r);
  SamplingOptions options = run.sampling[r];
  options.count = 1;
  return drawn(run, r, options, "points", 0);
}

std::size_t point_count(const Run& run, std::size_t r) {
  const Requirement& q = run.problem.requirements[r];
  if (q.data) return q.data->count;
  const bool given = (q.region && q.region->dimension() == 0) || is_integral(q) ||
                     run.sampling[r].method == "grid";
  return given ? points_of(run, r, "points", 0).count : std::size_t(run.sampling[r].count);
}

PointSet fresh_points(const Run& run, std::size_t r, int count, std::uint32_t draw) {
  if (run.problem.requirements[r].data) return points_of(run, r, "fresh points", 0);
  if (is_integral(run.problem.requirements[r])) return nodes_of(run, r);
  SamplingOptions options = run.sampling[r];
  options.count = count;
  options.method = "sobol";
  options.given = nullptr;
  return drawn(run, r, options, "fresh points", draw);
}

PointSet held_out_points(const Run& run, std::size_t r) {
  constexpr double finer = 1.5;
  if (run.problem.requirements[r].data) return points_of(run, r, "held-out points", 0);
  if (is_integral(run.problem.requirements[r])) return nodes_of(run, r, finer);
  SamplingOptions options = run.sampling[r];
  options.count = std::max(200, options.count);
  options.method = "sobol";
  options.given = nullptr;
  return drawn(run, r, options, "held-out points", 0);
}

PointSet file_points(const Problem& problem, const std::string& path) {
  const Table table = read_table(path, coordinate_names(problem));
  PointSet points;
  points.count = table.rows;
  for (std::size_t n = 0; n < table.rows; ++n)
    for (const std::vector<double>& column : table.columns) points.x.push_back(column[n]);
  return points;
}

std::vector<double> directions_for(const Run& run, int count, std::int64_t step) {
  const Random random{run.options.seed, stream("run", "directions"), std::uint32_t(step)};
  std::vector<int> space = space_coordinates(run.problem);
  std::vector<double> vectors;
  for (std::size_t k = 0; k < std::min(std::size_t(count), space.size()); ++k) {
    const std::size_t left = space.size() - k;  // Fisher and Yates
    std::swap(space[k], space[k + std::size_t(random.uniform(k) * double(left))]);
    std::vector<double> vector(run.problem.coordinates.size(), 0);
    vector[std::size_t(space[k])] = 1;
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  return vectors;
}

std::vector<std::vector<double>> grid_axes(const Problem& problem,
                                           const std::vector<GridAxis>& grid) {
  std::vector<std::vector<double>> axes;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const auto [count, place] = grid[i];
    const Coordinate& c = problem.coordinates[i];
    std::vector<double>& axis = axes.emplace_back();
    if (place) axis.push_back(*place);
    for (int k = 0; k < count && !place; ++k) {
      const double share = count == 1 ? 0.5 : double(k) / (count - 1);
      axis.push_back(c.lower + share * (c.upper - c.lower));
    }
  }
  return axes;
}

PointSet grid_points(const std::vector<std::vector<double>>& axes, std::size_t begin,
                     std::size_t end) {
  std::size_t total = 1;
  for (const std::vector<double>& axis : axes) total *= axis.size();
  end = std::min(end, total);
  PointSet points;
  points.count = end - begin;
  points.x.reserve(points.count * axes.size());
  for (std::size_t n = begin; n < end; ++n) {
    std::size_t rest = n, inner = total;
    for (const std::vector<double>& axis : axes) {
      inner /= axis.size();
      points.x.push_back(axis[rest / inner]);
      rest %= inner;
    }
  }
  return points;
}

Batches::Batches(PointSet points, std::size_t size, const Random& random)
    : points_(std::move(points)), batches_((points_.count + size - 1) / size), random_(random) {}

PointSet Batches::at(std::int64_t step) {
  take_order(std::uint32_t(std::size_t(step) / batches_));
  const std::size_t i = std::size_t(step) % batches_;
  const std::size_t begin = points_.count * i / batches_, end = points_.count * (i + 1) / batches_;
  PointSet batch;
  batch.count = end - begin;
  for (const auto array :
       {&PointSet::x, &PointSet::normals, &PointSet::columns, &PointSet::weights}) {
    const std::vector<double>& all = points_.*array;
    const std::size_t width = all.size() / points_.count;
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = all.begin() + std::ptrdiff_t(order_[k] * width);
      (batch.*array).insert((batch.*array).end(), row, row + std::ptrdiff_t(width));
    }
  }
  return batch;
}

void Batches::take_order(std::uint32_t number) {
  if (!order_.empty() && random_.draw == number) return;
  random_.draw = number;
  std::vector<double> keys;
  for (std::size_t i = 0; i < points_.count; ++i) keys.push_back(random_.uniform(i));
  order_.resize(points_.count);
  std::iota(order_.begin(), order_.end(), std::size_t(0));
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
}

}  // namespace pinn
