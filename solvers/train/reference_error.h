#pragma once
#include <optional>

#include "solvers/residual/formulas.h"
#include "solvers/train/distance.h"
#include "solvers/train/known.h"

namespace pinn {

/// How far a model is from the reference, in each quantity that has one. A gauge takes the means
/// over its coordinates out of both before.
class ReferenceError {
 public:
  /// What the model has is compiled in `cache`. Errors: those of known_of.
  ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                 std::shared_ptr<StepCache> cache);

  bool known() const { return !known_.names.empty(); }
  /// Of the quantities that are compared.
  const std::vector<std::string>& names() const { return known_.names; }
  /// One per name.
  std::vector<Distance> operator()(std::span<const double> p, ThreadPool& pool);

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
