#pragma once
#include <Eigen/Core>

#include "solvers/optimize/first_order.h"

namespace pinn {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<RowMajor>;

/// Methods that see weight matrices as such: those of several rows and columns move by a rule of
/// their own, which threads share out; biases, layers with one output and numbers by AdamW.
///
/// memory: "first" [P], "second" [P], "previous" [P], as of adam; a rule may use the first two for
/// its matrices.
class ByMatrix : public FirstOrder {
 public:
  ByMatrix(const OptimizerOptions& options, const TrainedSize& size);

  /// Those of a vector of parameters.
  static std::vector<ParameterMatrix> matrices_of(const TrainedSize& size);

 protected:
  const std::vector<ParameterMatrix>& matrices() const { return matrices_; }
  std::map<std::string, Shape> remembers(std::int64_t parameters) const override;

 private:
  /// Moves matrix number k, w; its tensors are there. Others move at the same time.
  virtual void move(std::size_t k, MatrixMap w, const MatrixMap& gradient,
                    const OptimizerMemory& memory) const = 0;
  void step(Tensor& p, const Tensor& gradient, OptimizerMemory& memory,
            ThreadPool* threads) const override;

  std::vector<ParameterMatrix> matrices_, rest_;
};

/// A matrix among the values of a tensor [P].
MatrixMap matrix(const Tensor& values, const ParameterMatrix& at);

}  // namespace pinn
