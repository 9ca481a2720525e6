#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/aligned.h"
#include "autograd/core/least_squares.h"
#include "autograd/core/parallel.h"
#include "autograd/core/spare.h"
#include "solvers/residual/loss/evaluation.h"

namespace pinn {

/// Writer of rows of J of one thread, and room for those that are used up at once.
template <class T> struct RowScratch {
  std::unique_ptr<RowWriter<T>> writer = make_row_writer<T>();
  Aligned<T> rows;
};

/// Those of all threads.
struct RowScratches {
  template <class T> Spare<RowScratch<T>>& of() {
    if constexpr (sizeof(T) == sizeof(float))
      return of_float32;
    else
      return of_float64;
  }
  Spare<RowScratch<double>> of_float64;
  Spare<RowScratch<float>> of_float32;
};

/// A loss as least squares, which second-order methods ask. Its rows are
/// R = sqrt(w_r / points_r * a_i) r(x_i), term by term and point by point.
class LossSquares : public LeastSquares {
 public:
  LossSquares(PartTable& parts, Evaluation& evaluation, DType dtype)
      : parts_(parts), evaluation_(evaluation), dtype_(dtype) {}

  std::size_t rows() const override { return parts_.rows(); }
  void residual(std::span<const double> p, std::span<double> r) override;
  void jacobian(std::span<const double> p, std::size_t most, const Eater<double>& eat) override;
  void jacobian(std::span<const double> p, std::size_t most, const Eater<float>& eat) override;
  void jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                     std::span<double> rows) override;
  void jacobian_times(std::span<const double> p, std::span<const double> v,
                      std::span<double> rows) override;
  void transposed_times(std::span<const double> p, std::span<const double> w,
                        std::span<double> product) override;
  void hessian_times(std::span<const double> p, std::span<const double> v,
                     std::span<double> product) override;
  void gram(std::span<const double> p, std::span<double> k) override;
  std::vector<KroneckerFactors> kronecker(std::span<const double> p) override;

  /// Other points: the memory of the latest Gram matrix goes.
  void forget_points() { gram_.reset(); }

 private:
  /// Rows of J that are made together: those of one term of a part at points of one block.
  struct RowBlock {
    std::size_t part, term, begin, end;  ///< points
    std::size_t first_row, first_tile = 0;
  };

  void prepare_jacobian(std::span<const double> p);
  void row_blocks();
  void rows_of_term(const RowBlock& asked, double* rows);
  template <class T>
  void all_rows(std::span<const double> p, std::size_t most, const Eater<T>& eat);
  void use_factors(const RowBlock& block, const FactorUser& use);
  void count_factors();
  std::vector<std::vector<RowFactor>> layouts();
  void find_tiles();
  void put_tiles();
  void multiply_tiles(std::size_t first, std::size_t last, std::span<double> k);

  PartTable& parts_;
  Evaluation& evaluation_;
  const DType dtype_;
  std::vector<RowBlock> row_blocks_;    ///< of all rows
  std::vector<std::size_t> row_tiles_;  ///< the first row of each tile of the Gram matrix
  std::unique_ptr<Gram> gram_;          ///< with the memory of the latest
  RowScratches row_scratches_;          ///< what threads write rows with
  std::atomic<double> factor_points_ = 0, factor_flops_ = 0;  ///< that are not counted yet
};

}  // namespace pinn
