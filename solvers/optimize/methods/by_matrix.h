#pragma once
#include <Eigen/Core>

#include "solvers/optimize/methods/first_order.h"

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

/// About the nearest matrix with orthonormal rows (or columns, where it has fewer): five iterations
///
///     X <- a X + b X X^T X + c (X X^T)^2 X,   (a, b, c) = (3.4445, -4.7750, 2.0315),
///
/// from m / |m|_F. Singular vectors stay; a singular value above 1/500 of |m|_F comes to lie
/// between 0.68 and 1.21. Of zeros it is zeros.
///
///   cost    20 s^2 l + 10 s^3 flops for sides s <= l
///   source  Jordan et al. (2024), Muon: an optimizer for hidden layers in neural networks
Eigen::MatrixXd newton_schulz(const Eigen::MatrixXd& m);

}  // namespace pinn
