#pragma once
#include <optional>

#include "solvers/residual/formulas.h"
#include "solvers/train/run.h"

namespace pinn {

/// How far a model is from the reference: the relative L2 error of each field that has one, over
/// the reference file's points, or for exact formulas over the output grid.
class ReferenceError {
 public:
  /// Formulas are compiled in `cache`. Errors: FileError when the file is not a reference,
  /// ConfigError when it has other coordinates.
  ReferenceError(const Run& run, std::shared_ptr<const Model> model,
                 std::shared_ptr<StepCache> cache);

  bool known() const { return !fields_.empty(); }
  const std::vector<int>& fields() const { return fields_; }
  /// One per entry of fields().
  std::vector<double> operator()(std::span<const double> p, ThreadPool& pool);
  /// The bound on the reference's own error; 0 for an exact formula.
  double bound() const { return bound_; }

 private:
  void read_file(const Run& run);
  void evaluate_exact(const Run& run);

  std::vector<int> fields_;
  std::optional<Formulas> found_;  ///< the fields as the model has them
  PointSet points_;
  std::vector<std::vector<double>> values_;
  bool up_to_constant_;
  double bound_ = 0;
};

}  // namespace pinn
