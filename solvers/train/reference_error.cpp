#include "solvers/train/reference_error.h"

#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "data/reference/reference.h"
#include "solvers/problem/build.h"
#include "solvers/problem/evaluate.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/train.h"

namespace pinn {
namespace {

void subtract_mean(std::vector<double>& v) {
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / double(v.size());
  for (double& x : v) x -= mean;
}

/// Points all over the domain, for an output that has no grid.
PointSet spread_points(const Problem& problem) {
  std::vector<Interval> box;
  for (const Coordinate& c : problem.coordinates) box.push_back({c.lower, c.upper});
  Points points = draw_points(*make_box(box), {.count = 8192}, 0, 0, 0);
  return {points.count, std::move(points.x), {}, {}, {}};
}

}  // namespace

ReferenceError::ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                               std::shared_ptr<StepCache> cache)
    : up_to_constant_(run.reference.gauge == "mean") {
  if (!run.reference.file.empty())
    read_file(run);
  else
    evaluate_exact(run);
  if (up_to_constant_)
    for (std::vector<double>& v : values_) subtract_mean(v);
  std::vector<ExpressionPtr> formulas;
  for (const int f : fields_) formulas.push_back(make_leaf(Expression::Kind::field, f));
  found_.emplace(std::move(model), std::move(formulas), std::move(cache), device_of(run).device);
}

void ReferenceError::read_file(const Run& run) {
  const Reference reference = load_reference(run.reference.file);
  std::vector<std::string> names;
  for (const Coordinate& c : run.problem.coordinates) names.push_back(c.name);
  points_.x = reference.points(names);
  points_.count = reference.count();
  bound_ = reference.bound;
  for (std::size_t f = 0; f < run.problem.fields.size(); ++f) {
    const auto found = reference.fields.find(run.problem.fields[f].name);
    if (found == reference.fields.end()) continue;
    fields_.push_back(int(f));
    values_.push_back(found->second);
  }
  if (fields_.empty())
    throw ConfigError({"the reference file has none of the problem's fields", run.reference.file,
                       "name its arrays as the fields are named"});
}

void ReferenceError::evaluate_exact(const Run& run) {
  const std::size_t d = run.problem.coordinates.size();
  for (std::size_t f = 0; f < run.reference.exact.size(); ++f)
    if (run.reference.exact[f]) fields_.push_back(int(f));
  if (fields_.empty()) return;
  points_ = run.output.grid.empty() ? spread_points(run.problem)
                                    : grid_points(grid_axes(run.problem, run.output.grid));
  for (const int f : fields_) {
    const Evaluator exact(*run.reference.exact[std::size_t(f)]);
    std::vector<double>& values = values_.emplace_back();
    for (std::size_t i = 0; i < points_.count; ++i)
      values.push_back(exact({.coordinates = std::span(points_.x).subspan(i * d, d)}));
  }
}

std::vector<double> ReferenceError::operator()(std::span<const double> p, ThreadPool& pool) {
  std::vector<std::vector<double>> found = (*found_)(p, points_, pool);
  std::vector<double> errors;
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    if (up_to_constant_) subtract_mean(found[k]);
    errors.push_back(relative_l2(found[k], values_[k]));
  }
  return errors;
}

}  // namespace pinn
