#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solvers/points/point_sets.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/tables.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/watch/advice.h"

namespace pinn {
namespace {

/// Requests of a formula to tables that mind where they are asked.
std::vector<const Expression*> requests(const Expression& formula) {
  std::vector<const Expression*> all;
  for (const Expression* e : in_order(formula))
    if (e->kind == Expression::Kind::lookup && e->table->options().outside == Outside::error)
      all.push_back(e);
  return all;
}

/// How often each input of a table is asked for beyond its range, and how far it went.
struct Beyond {
  std::size_t points = 0;
  std::size_t input = 0;  ///< of one of them
  double value = 0;       ///< ... the farthest
};

double distance(const std::vector<double>& range, double x) {
  return std::max(range[0] - x, x - range[1]);
}

Beyond count(const TableFunction& table, const std::vector<std::vector<double>>& arguments) {
  const auto ranges = table.ranges();
  Beyond found;
  std::vector<double> x(arguments.size());
  for (std::size_t p = 0; p < arguments[0].size(); ++p) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = arguments[i][p];
    const int outside = table.outside(x);
    if (outside < 0) continue;
    const std::size_t i = std::size_t(outside);
    if (found.points == 0 ||
        (i == found.input && distance(ranges[i], x[i]) > distance(ranges[i], found.value)))
      found = {found.points, i, x[i]};
    ++found.points;
  }
  return found;
}

}  // namespace

Warnings beyond_tables(const Run& run, const std::shared_ptr<const Model>& model,
                       std::span<const double> p, ThreadPool& pool,
                       const std::shared_ptr<StepCache>& cache) {
  Warnings warnings;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    for (const Residual& residual : run.problem.requirements[r].residuals) {
      std::set<std::string> told;
      for (const Expression* e : requests(*residual.expression)) {
        const PointSet points = points_of(run, r, "points", 0);
        const Beyond beyond = count(*e->table, Formulas(model, e->inputs, cache)(p, points, pool));
        if (beyond.points == 0 || !told.insert(e->name).second) continue;
        const std::vector<double> range = e->table->ranges()[beyond.input];
        const std::string& input = e->table->options().inputs[beyond.input];
        warnings.push_back(
            {fmt::format("'{}' was asked for beyond its range at {} of {} points: {} is {:.4g} at "
                         "one of them, and the table knows it from {:.4g} to {:.4g}; its value at "
                         "the edge was taken",
                         e->name, beyond.points, points.count, input, beyond.value, range[0],
                         range[1]),
             fmt::format("residual '{}'", residual.name),
             "give the table a wider range, or write outside = \"clamp\" where that is meant"});
      }
    }
  return warnings;
}

}  // namespace pinn
