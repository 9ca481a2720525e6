#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/residual/points.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/results/results.h"
#include "solvers/state/run.h"

namespace pinn {

/// Known part of the solution: some quantities at points that stand for the domain.
struct Known {
  std::vector<std::string> names;           ///< of the quantities
  std::vector<ExpressionPtr> quantities;    ///< as the model has them
  std::vector<std::vector<double>> values;  ///< [quantity][point]
  PointSet points;
  std::vector<double> weights;  ///< per point, the share of the domain; their sum is 1
  /// With a gauge: points of one group agree in all other coordinates; means are taken over it.
  std::vector<std::size_t> groups;
  std::size_t group_count = 0;
};

/// Nodes of a file as they are, formulas at points of their own (point_sets.h), which do not
/// depend on the output.
///
///   errors   ConfigError when a formula is not finite at some point, or a gauge leaves nothing
Known known_of(const Run& run);

/// "x = 0.01, t = 0.99": a point of them, from 0.
std::string place(const Known& known, const Problem& problem, std::size_t point);

/// How far a model is from the reference, in each quantity that has one. A gauge takes the means
/// over its coordinates out of both before.
class ReferenceError {
 public:
  /// Formulas of the model are compiled in `cache`. Errors: those of known_of.
  ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                 std::shared_ptr<StepCache> cache);

  bool known() const { return !known_.names.empty(); }
  /// Names of the quantities that are compared.
  const std::vector<std::string>& names() const { return known_.names; }
  /// One per name.
  std::vector<Distance> operator()(std::span<const double> p, ThreadPool& pool);

  /// The same for what has been found of the quantities at the points: [quantity][point].
  std::vector<Distance> distances(std::vector<std::vector<double>> found) const;
  const std::vector<ExpressionPtr>& quantities() const { return known_.quantities; }
  const PointSet& points() const { return known_.points; }

 private:
  void take_means_out(std::vector<double>& values) const;
  double root_mean_square(const std::vector<double>& values) const;
  Distance distance(std::size_t k, std::vector<double> off) const;

  std::shared_ptr<const Model> model_;
  Known known_;
  std::vector<bool> gauged_;   ///< per quantity: its means are not known
  std::vector<double> sizes_;  ///< root mean squares; 0: so small that it is rounding
  std::optional<Formulas> found_;
};

}  // namespace pinn
