#pragma once
#include <map>
#include <memory>

#include "autograd/core/parallel.h"
#include "solvers/residual/traced_points.h"

namespace pinn {

/// Formulas of a model's fields - values, derivatives, residuals - compiled when first asked for,
/// then evaluated at any points in float64 and in memory that does not grow with their number.
class Formulas {
 public:
  /// The model must outlive it.
  Formulas(const Model& model, std::vector<ExpressionPtr> formulas, Device device = Device::cpu);
  ~Formulas();

  /// [formula][point]
  std::vector<std::vector<double>> operator()(std::span<const double> p, const PointSet& points,
                                              ThreadPool& pool);

 private:
  void compile(const PointWidths& widths);

  const Model& model_;
  std::vector<ExpressionPtr> formulas_;
  Device device_;
  PointWidths widths_;
  std::unique_ptr<Executor> executor_;
};

/// The same op by op on tensors: what the compiled formulas are held against.
std::vector<std::vector<double>> evaluate_eagerly(const Model& model, std::span<const double> p,
                                                  const PointSet& points,
                                                  const std::vector<ExpressionPtr>& formulas);

}  // namespace pinn
