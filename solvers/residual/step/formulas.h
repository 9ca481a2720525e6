#pragma once
#include <map>
#include <memory>

#include "autograd/core/parallel.h"
#include "solvers/problem/pieces.h"
#include "solvers/residual/step/step_cache.h"

namespace pinn {

/// Formulas of a model's fields - values, derivatives, residuals - compiled when first asked for,
/// then evaluated at any points in float64 and in memory that does not grow with their number. What
/// means something else in every region is evaluated in each at the points there.
class Formulas {
 public:
  /// A null cache: its own.
  Formulas(std::shared_ptr<const Model> model, std::vector<ExpressionPtr> formulas,
           std::shared_ptr<StepCache> cache = {}, Device device = Device::cpu);
  ~Formulas();

  /// [formula][point]
  std::vector<std::vector<double>> operator()(std::span<const double> p, const PointSet& points,
                                              ThreadPool& pool);

 private:
  void compile(const PointWidths& widths);
  std::vector<std::vector<double>> in_pieces(std::span<const double> p, const PointSet& points,
                                             ThreadPool& pool);

  std::shared_ptr<const Model> model_;
  std::vector<ExpressionPtr> formulas_;
  std::shared_ptr<StepCache> cache_;
  Device device_;
  PointWidths widths_;
  std::shared_ptr<const CompiledFormulas> compiled_;
  std::unique_ptr<Executor> executor_;
  BoundInputs inputs_;
  std::vector<PartitionPtr> partitions_;  ///< by which formulas are cut at their roots
  std::map<std::size_t, std::unique_ptr<Formulas>> pieces_;
};

/// Formulas traced for points that bring such arrays, in float64.
TracedFormulas trace_formulas(const Model& model, const std::vector<ExpressionPtr>& formulas,
                              const PointWidths& widths);

/// The same op by op on tensors: what the compiled formulas are held against.
std::vector<std::vector<double>> evaluate_eagerly(const Model& model, std::span<const double> p,
                                                  const PointSet& points,
                                                  const std::vector<ExpressionPtr>& formulas);

/// As trace_formulas (formulas.h), with nothing taken out as known rows: the graph computes all of
/// it from the points.
TracedFormulas trace_whole_formulas(const Model& model, const std::vector<ExpressionPtr>& formulas,
                                    const PointWidths& widths);

}  // namespace pinn
