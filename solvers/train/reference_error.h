#pragma once
#include <optional>

#include "solvers/residual/formulas.h"
#include "solvers/train/distance.h"
#include "solvers/train/formula_points.h"
#include "solvers/train/run.h"

namespace pinn {

/// How far a model is from the reference, in each quantity that has one. A file is compared at its
/// own nodes: along an evenly spaced axis all count the same, along others each for its share of
/// it (trapezoidal rule). Formulas are compared at points of their own (formula_points.h), which
/// do not depend on the output. A gauge takes the mean over its coordinates out of both before.
class ReferenceError {
 public:
  /// What the model has is compiled in `cache`. Errors: FileError when the file is not a reference,
  /// ConfigError when it has other coordinates, or a formula is not finite at some point.
  ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                 std::shared_ptr<StepCache> cache);

  bool known() const { return !names_.empty(); }
  /// Of the quantities that are compared.
  const std::vector<std::string>& names() const { return names_; }
  /// One per name.
  std::vector<Distance> operator()(std::span<const double> p, ThreadPool& pool);
  /// The bound on the reference's own error; 0 for an exact formula.
  double bound() const { return bound_; }

 private:
  void read_file(const Run& run);
  void evaluate_formulas(const Run& run);
  void find_groups(const Run& run);
  void take_means_out(std::vector<double>& values) const;
  double root_mean_square(const std::vector<double>& values) const;
  Distance distance(std::size_t k, const std::vector<double>& found) const;
  std::string place(std::size_t point) const;

  std::vector<std::string> names_, coordinates_;
  std::vector<ExpressionPtr> quantities_;    ///< as the model has them
  std::vector<std::vector<double>> values_;  ///< [quantity][point], of the reference
  std::vector<double> sizes_;        ///< their root mean squares; 0: so small that it is rounding
  std::vector<bool> gauged_;         ///< per quantity: the means are unknown
  std::vector<std::size_t> groups_;  ///< per point: the means are those of its group
  std::size_t group_count_ = 1;
  PointSet points_;
  std::vector<double> weights_;  ///< per point; their sum is 1
  std::optional<Formulas> found_;
  double bound_ = 0;
};

}  // namespace pinn
