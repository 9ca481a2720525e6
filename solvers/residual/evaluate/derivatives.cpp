#include "solvers/residual/evaluate/forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "autograd/core/stats.h"
#include "autograd/core/storage.h"
#include "autograd/tape/engine.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/evaluate/residuals.h"

namespace pinn {
namespace {

/// A few points inside the domain, all different; only shapes matter here.
PointSet probe_points(const Problem& problem, const Requirement& requirement, std::size_t count) {
  PointSet points;
  points.count = count;
  const std::size_t columns =
      requirement.data ? requirement.data->columns.size() : requirement.handed;
  for (std::size_t p = 0; p < count; ++p) {
    const double share = (double(p) + 0.5) / double(count);
    for (const Coordinate& c : problem.coordinates)
      points.x.push_back(c.lower + share * (c.upper - c.lower));
    for (std::size_t k = 0; k < problem.coordinates.size(); ++k) points.normals.push_back(0);
    for (std::size_t k = 0; k < columns; ++k) points.columns.push_back(share);
  }
  return points;
}

/// The products since it was made; it goes, also for an error, without a trace in the counters.
class CountedProducts {
 public:
  CountedProducts() {
    stats().recording = true;
    stats().product_log.clear();
  }
  ~CountedProducts() { stats() = before_; }
  CountedProducts(const CountedProducts&) = delete;

  double multiplications() const {
    double total = 0;
    for (const ProductSize& product : stats().product_log)
      total += double(product.m) * double(product.n) * double(product.k);
    return total;
  }

 private:
  const Stats before_ = stats();
};

double products_per_point(const Model& model, const Requirement& asked, Derivatives way) {
  const Requirement requirement = integrands_of(asked);
  const std::size_t count = 2;
  const PointSet points = probe_points(model.problem(), requirement, count);
  Block near = make_block(points, 0, count, DType::float64);
  near.fixed = fixed_tensors(model, DType::float64);
  BlockPair blocks = with_far_end(std::move(near), requirement, model.problem());
  const std::vector<double> p = model.initial_parameters(0);
  std::vector<Tensor> parameters =
      block_tensors(from_values(p, {std::int64_t(p.size())}), model.blocks());
  for (Tensor& t : parameters) t.set_requires_grad();

  const CountedProducts counted;
  const ChannelPlan plan = plan_channels(requirement, model.problem());
  Tensor loss = full({}, 0);
  for (const Tensor& r : residuals(model, requirement, way, plan, blocks, parameters))
    loss = loss + sum(square(r));
  if (loss.requires_grad()) grad({loss}, parameters, {}, {.allow_unused = true});
  return counted.multiplications() / double(count);
}

/// One for a pass that a first derivative takes, two for one of second order upon it, and so on:
/// the Laplacian of the Laplacian in 32 coordinates takes 10 000, and half a gigabyte.
constexpr double most_work_of_passes = 10'000;

double work_of_passes(const Needs& needs) {
  std::set<Need> passes;
  double work = 0;
  for (Need need : needs)
    while (order(need.index) > 0 && passes.insert(need).second) {
      work += std::exp2(order(need.index) - 1);
      const auto last = std::find_if(need.index.rbegin(), need.index.rend(),
                                     [](std::uint8_t n) { return n > 0; });
      --*last;
    }
  return work;
}

}  // namespace

JetTablePtr table_for(const Needs& needs) {
  std::vector<MultiIndex> singles{MultiIndex{}};
  for (const Need& need : needs) singles.push_back(need.index);
  return jet_table(singles);
}

ProductCount count_products(const Model& model, const Requirement& requirement) {
  if (const std::vector<Requirement> pieces = pieces_of(requirement); !pieces.empty()) {
    ProductCount mean;
    for (const Requirement& piece : pieces) {
      const ProductCount own = count_products(model, piece);
      mean.taylor += own.taylor / double(pieces.size());
      mean.reverse += own.reverse / double(pieces.size());
    }
    return mean;
  }
  const bool many = work_of_passes(needs(requirement, model.problem())) > most_work_of_passes;
  const ProductCount count{products_per_point(model, requirement, Derivatives::taylor),
                           many ? std::numeric_limits<double>::infinity()
                                : products_per_point(model, requirement, Derivatives::reverse)};
  release_free_memory();  // of tensors for two points
  return count;
}

}  // namespace pinn
