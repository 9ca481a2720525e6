#pragma once
#include <memory>
#include <span>

#include "autograd/core/parallel.h"
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/residuals.h"

namespace pinn {

/// What a step computes in, and how. One Derivatives per requirement.
struct LossOptions {
  DType dtype = DType::float64;
  std::vector<Derivatives> derivatives;
  bool compiled = true;     ///< traced and planned once; otherwise op by op on the tape
  SavedOptions saved = {};  ///< for the backward pass, op by op: a planned step saves nothing
  std::size_t block =
      0;  ///< points per block, rounded up to a multiple of 16; 0: as the plan has it
};

class LossPart;

/// The loss of a problem at parameters p: L = sum_r w_r mean_i r(x_i)^2 over all residuals r.
///
/// Points are cut into blocks that fit the cache, blocks into at most 16 chunks; a chunk sums in
/// its own float64 buffers, and a fixed tree adds the chunks. Blocks and chunks follow from the
/// problem alone, so the numbers are the same for any number of threads.
class Loss {
 public:
  Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool);
  ~Loss();

  /// Gives requirement `r` its points; all need some before the first value.
  void set_points(std::size_t r, const PointSet& points);

  const std::vector<LossTerm>& terms() const { return terms_; }
  std::size_t points() const;

  struct Result {
    double total = 0;
    std::vector<double> terms;  ///< mean squares without weights, in the order of terms()
  };
  Result value(std::span<const double> p);
  /// Also writes dL/dp.
  Result value_and_gradient(std::span<const double> p, std::span<double> gradient);

 private:
  /// Blocks first ... last - 1 of a requirement, and what they contribute.
  struct Piece {
    std::size_t requirement = 0, first = 0, last = 0;
    std::vector<double> sums;
  };
  using Chunk = std::vector<Piece>;

  Result run(std::span<const double> p, std::span<double> gradient);
  void cut_chunks();

  std::shared_ptr<const Model> model_;
  ThreadPool& pool_;
  std::vector<LossTerm> terms_;
  std::vector<std::unique_ptr<LossPart>> parts_;
  std::vector<std::size_t> first_term_;  ///< of each part, and the end
  std::vector<Chunk> chunks_;
};

}  // namespace pinn
