#pragma once
#include <memory>
#include <span>

#include "autograd/core/descent.h"
#include "autograd/core/numbers.h"
#include "autograd/core/parallel.h"
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/residuals.h"

namespace pinn {

class StepCache;

/// What a step computes in, and how. One Derivatives per requirement.
struct LossOptions {
  DType dtype = DType::float64;
  std::vector<Derivatives> derivatives;
  bool compiled = true;     ///< traced and planned once, or op by op on tensors
  SavedOptions saved = {};  ///< for the backward pass
  std::size_t block = 0;    ///< points, rounded up to a multiple of 16; 0: as the plan has it
  std::shared_ptr<StepCache> cache = {};  ///< of compiled steps, for several losses; null: its own
  Device device = Device::cpu;            ///< where the parts compute
  Products products = Products::exact;    ///< of compiled steps in float32
};

class LossPart;
enum class ProductKind : unsigned char;

/// The loss of a problem at parameters p: L = sum_r w_r mean_i a_i r(x_i)^2 over all residuals r;
/// the weights a_i of points are 1 unless the points bring some.
///
/// Points are cut into blocks that fit the cache, blocks into at most 16 chunks; a chunk sums in
/// its own float64 buffers, and a fixed tree adds the chunks. Blocks and chunks follow from the
/// problem alone, so the numbers are the same for any number of threads.
class Loss {
 public:
  Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool);
  ~Loss();

  /// Gives requirement `r` its points; all need some before the first value. Errors: ConfigError
  /// for none; ShapeError for weights that do not fit.
  void set_points(std::size_t r, PointSet points);
  /// Takes the points of requirement `r` away, to make room for others.
  void drop_points(std::size_t r);

  const std::vector<LossTerm>& terms() const { return terms_; }
  std::size_t points() const;

  struct Result {
    double total = 0;
    std::vector<double> terms;  ///< means of a_i r_i^2, in the order of terms()
  };
  Result value(std::span<const double> p);
  /// Also writes dL/dp.
  Result value_and_gradient(std::span<const double> p, std::span<double> gradient);

  /// Who moves parameters where the loss is evaluated, with the points of now; null where nobody
  /// does. It lives until other points come.
  Descent* descent();
  /// Counts moves of the descent as work.
  void count_moves(std::size_t moves);

  /// What all evaluations came to, since the loss was made.
  struct Work {
    double points = 0;         ///< visited, each time
    double product_flops = 0;  ///< operations in matrix products; NaN when unknown (op by op)
  };
  const Work& work() const { return work_; }

  // For second-order methods, all with the rows R = sqrt(w_r / points_r * a_i) r(x_i), term by term
  // and point by point: L = |R|^2, dL/dp = 2 J^T R with J = dR/dp. Numbers do not depend on the
  // number of threads, and memory not on that of points.

  /// Points times terms, added up over the requirements.
  std::size_t rows() const;
  /// R [rows]
  void residual(std::span<const double> p, std::span<double> r);
  /// The largest |r(x_i)| of each term, NaN for one of weight 0; a point's own weight a_i counts as
  /// its root.
  std::vector<double> largest(std::span<const double> p);
  /// Rows first ... first + count - 1 of J, to `rows` [count, parameters]: ask for a few thousand
  /// at a time.
  void jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                     std::span<double> rows);
  /// J v [rows], J^T w [parameters]
  void jacobian_times(std::span<const double> p, std::span<const double> v, std::span<double> rows);
  void transposed_times(std::span<const double> p, std::span<const double> w,
                        std::span<double> product);
  /// H v [parameters] with the Hessian H of L: forward over reverse.
  void hessian_times(std::span<const double> p, std::span<const double> v,
                     std::span<double> product);

 private:
  /// Blocks first ... last - 1 of a requirement, and what they contribute.
  struct Piece {
    std::size_t requirement = 0, first = 0, last = 0;
    std::vector<double> sums;
  };
  using Chunk = std::vector<Piece>;

  Result run(std::span<const double> p, std::span<double> gradient);
  void count(double evaluations, bool with_gradient);
  void cut_chunks();
  void must_have_points() const;
  void rows_of_parts(ProductKind product, std::span<const double> p, std::span<const double> v,
                     std::span<double> rows);

  std::shared_ptr<const Model> model_;
  ThreadPool& pool_;
  std::vector<LossTerm> terms_;
  std::vector<std::unique_ptr<LossPart>> parts_;
  std::vector<std::size_t> first_term_;  ///< of each part, and the end
  std::unique_ptr<Descent> descent_;     ///< uses the parts
  std::vector<Chunk> chunks_;
  Work work_;
};

}  // namespace pinn
