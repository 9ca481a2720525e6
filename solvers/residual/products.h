#pragma once
#include <memory>
#include <span>

#include "autograd/tape/batch.h"
#include "solvers/residual/part.h"

/// What second-order methods ask of a requirement's share of the loss. With the residual's rows
///
///   R = sqrt(w / points * a) r        (w: of the term, a: of the point)
///
/// term by term and point by point, the loss is |R|^2, its gradient 2 J^T R, and J = dR / dp.
namespace pinn {

enum class ProductKind : unsigned char {
  residual,          ///< R
  jacobian,          ///< rows of J
  jacobian_times,    ///< J v
  transposed_times,  ///< J^T w
  hessian_times,     ///< H v, with H the second derivative of the loss
};

/// Whether a product has one number per row; otherwise one per parameter.
inline bool gives_rows(ProductKind product) {
  return product == ProductKind::residual || product == ProductKind::jacobian_times;
}

/// Products of one part, block by block over its points; threads share the blocks out.
class PartProducts {
 public:
  virtual ~PartProducts() = default;

  /// Once per product, before its points: the parameters; and v [parameters] or w [rows], where the
  /// product has one.
  virtual void prepare(ProductKind product, std::span<const double> p,
                       std::span<const double> direction) = 0;

  // Of the product that was prepared.
  virtual std::size_t block() const = 0;  ///< points per block
  virtual std::size_t sums() const = 0;   ///< how many numbers its blocks add up

  /// Blocks that begin at point `begin` and end before point `end`: adds to `sums`; writes its rows
  /// into `rows`, the rows of the whole part.
  virtual void run(std::size_t begin, std::size_t end, std::span<double> sums,
                   std::span<double> rows) = 0;
  /// Once all blocks are summed: adds to `result` [parameters].
  virtual void finish(std::span<double> sums, std::span<double> result) = 0;

  /// Rows of J of one term at points begin ... end - 1, any that lie in one block, to `rows`
  /// [end - begin, parameters].
  virtual void run_jacobian(std::size_t term, std::size_t begin, std::size_t end,
                            std::span<double> rows) = 0;
};

/// The blocks must outlive it, and stay the same.
std::unique_ptr<PartProducts> eager_products(const PartOptions& options, const ChannelPlan& plan,
                                             std::vector<BlockPair>& blocks);
/// The points must outlive it, and may change in all but their widths.
std::unique_ptr<PartProducts> compiled_products(const PartOptions& options, const PointSet& points);

/// sqrt(w / points) of each term.
std::vector<double> row_roots(const PartOptions& options, std::size_t points);

/// A block of points, as tensors that hold numbers or are traced: the definition of every product.
class BlockProducts {
 public:
  /// `roots`: one per term, as row_roots gives them.
  BlockProducts(const PartOptions& options, const ChannelPlan& plan, BlockPair& block,
                std::vector<Tensor> parameters, const Tensor& roots);

  /// One tensor per term, [points]; undefined where it is zero.
  std::vector<Tensor> residual() const;
  std::vector<Tensor> jacobian_times(const std::vector<Tensor>& v) const;
  /// One tensor per parameter block; undefined where it is zero. w: one per term, [points].
  std::vector<Tensor> transposed_times(const std::vector<Tensor>& w) const;
  std::vector<Tensor> hessian_times(const std::vector<Tensor>& v) const;
  /// The rows of one term by each parameter block, before outer products are formed.
  std::vector<Batch> jacobian(std::size_t term) const;

 private:
  Tensor root(std::size_t term) const;
  std::vector<Tensor> rows(const std::vector<Tensor>& parameters) const;
  std::vector<Tensor> unscaled(const std::vector<Tensor>& parameters) const;
  std::vector<Tensor> followed() const;
  std::vector<Tensor> duals(const std::vector<Tensor>& v) const;

  const PartOptions& options_;
  const ChannelPlan& plan_;
  BlockPair& block_;
  std::vector<Tensor> parameters_;
  Tensor roots_;
};

/// What the rows of J get from one parameter block, as arrays of numbers, one row per point: the
/// block's elements, or an outer product sum_c x_c g_c^T.
struct RowPart {
  std::int64_t offset = 0;  ///< of the parameter block
  std::size_t channels = 1, k = 0, n = 0;
  std::span<const double> x,
      g;  ///< [points, channels, k] and [points, channels, n]; no g: elements
};
/// Adds what the parts give at their point `i` to a row of J.
void add_to_row(std::span<const RowPart> parts, std::size_t i, std::span<double> row);

}  // namespace pinn
