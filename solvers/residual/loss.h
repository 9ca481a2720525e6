#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "autograd/core/descent.h"
#include "autograd/core/least_squares.h"
#include "autograd/core/numbers.h"
#include "autograd/core/parallel.h"
#include "autograd/core/spare.h"
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/crew.h"
#include "solvers/residual/reduction.h"
#include "solvers/residual/residuals.h"

namespace pinn {

class StepCache;
class AllGather;
struct SumTree;

/// Number type of a step, and how it computes. One Derivatives per requirement.
struct LossOptions {
  DType dtype = DType::float64;
  std::vector<Derivatives> derivatives;
  bool compiled = true;     ///< traced and planned once, or op by op on tensors
  SavedOptions saved = {};  ///< for the backward pass
  std::size_t block = 0;    ///< points, rounded up to a multiple of 16; 0: as the plan has it
  /// Points that a GPU sums up before they can be shared out, at most; 0: all. Where all parts are
  /// one piece each rank evaluates them itself.
  std::size_t piece_points = std::size_t(1) << 17;
  /// Exchange of the sums of ranks that keep points on devices; null: through the host.
  std::shared_ptr<AllGather> gather = {};
  std::shared_ptr<StepCache> cache = {};  ///< of compiled steps, for several losses; null: its own
  Device device = Device::cpu;            ///< where the parts compute
  Products products = Products::exact;    ///< of compiled steps in float32
  int directions = 0;  ///< along which Laplacians are estimated (forms.h); 0: they are exact
  Crew crew = {};      ///< all ranks ask the same of their losses, in the same order
};

class LossPart;
struct PartOptions;
struct RowFactor;
class Gram;
struct RowDesks;
/// Uses factors of rows, which are there until it returns.
using FactorUser = std::function<void(std::span<const RowFactor> factors)>;
enum class Sweep : unsigned char;

/// The loss of a problem at parameters p: L = sum_r w_r mean_i a_i r(x_i)^2 over all residuals r;
/// the weights a_i of points are 1 unless the points bring some.
///
/// Points are cut into blocks that fit the cache, blocks into chunks, which a fixed tree adds up in
/// float64 (reduction.h). Blocks and chunks follow from the problem alone, so the numbers are the
/// same for any number of threads and ranks, and on every rank. Memory does not grow with the
/// number of points.
///
/// As least squares its rows are R = sqrt(w_r / points_r * a_i) r(x_i), term by term and point by
/// point.
///
/// A requirement in pieces (solvers/problem/pieces.h) has a part of its own for each: a point goes
/// to the part of the piece that it lies in, and rows follow the pieces, within one the order of
/// the points.
class Loss : public LeastSquares {
 public:
  Loss(std::shared_ptr<const Model> model, const LossOptions& options, ThreadPool& pool);
  ~Loss() override;

  /// Gives requirement `r` its points; all need some before the first value. Errors: ConfigError
  /// for none; ShapeError for weights that do not fit.
  void set_points(std::size_t r, PointSet points);
  /// Takes the points of requirement `r` away, to make room for others.
  void drop_points(std::size_t r);

  const std::vector<LossTerm>& terms() const { return terms_; }
  ThreadPool& threads() { return pool_; }
  std::size_t points() const;
  std::size_t points(std::size_t r) const;  ///< of requirement r
  std::size_t rows(std::size_t r) const;    ///< of each of its terms: as many, but one of integrals
  /// How many weights the points of requirement r came with.
  std::size_t point_weights(std::size_t r) const;

  /// Other weights w of the terms, and of requirement `r` other weights a of its points, which came
  /// with as many. Nothing is traced again. Errors: ShapeError for another number of weights.
  void set_weights(std::span<const double> weights);
  void set_point_weights(std::size_t r, std::span<const double> weights);

  /// The unit vectors that Laplacians are estimated along from now on, [directions, coordinates];
  /// needed before the first value where the options ask for directions.
  void set_directions(std::span<const double> vectors);

  struct Result {
    double total = 0;
    std::vector<double> terms;  ///< means of a_i r_i^2, in the order of terms()
  };
  Result value(std::span<const double> p);
  /// Also writes dL/dp.
  Result value_and_gradient(std::span<const double> p, std::span<double> gradient);

  /// The optimizer on the device where the loss is evaluated, with the points and weights of now;
  /// null where there is none. It lives until others come.
  Descent* descent();
  /// Counts moves of the descent as work.
  void count_moves(std::size_t moves);

  /// Work of all evaluations since the loss was made.
  struct Work {
    double points = 0;         ///< visited, each time
    double product_flops = 0;  ///< operations in matrix products; NaN when unknown (op by op)
  };
  const Work& work() const { return work_; }

  std::size_t rows() const override;
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

  /// The largest |r(x_i)| of each term, NaN for one of weight 0; a point's own weight a_i counts as
  /// its root.
  std::vector<double> largest(std::span<const double> p);

 private:
  /// A kind of sweep over a requirement's points of now.
  struct Running {
    std::size_t block = 1;  ///< points
    double cost = 1;        ///< of a point
    std::unique_ptr<Reduction> reduction;
    std::shared_ptr<const SumTree> tree;  ///< of a GPU that has pieces
  };
  /// Inputs and outputs of an evaluation; empty where it has none. By terms, rows or parameters.
  struct Call {
    Sweep kind;
    std::span<const double> p, direction;
    std::span<double> squares, result, rows;
  };

  /// Requirement and piece of a part, and the place of its points among those of the requirement.
  struct Share {
    std::size_t requirement = 0, piece = 0;
    std::size_t first = 0;               ///< point, in the order of the pieces
    std::vector<std::size_t> from = {};  ///< the points as they were given; empty: all, in order
  };

  /// Rows of J that are made together: those of one term of a part at points of one block.
  struct RowBlock {
    std::size_t part, term, begin, end;  ///< points
    std::size_t first_row, first_tile = 0;
  };

  void row_blocks();
  void rows_of_term(const RowBlock& asked, double* rows);
  template <class T>
  void all_rows(std::span<const double> p, std::size_t most, const Eater<T>& eat);
  void use_factors(const RowBlock& block, const FactorUser& use);
  void count_factors();
  std::vector<std::vector<RowFactor>> layouts();
  Result loss(Sweep kind, std::span<const double> p, std::span<double> gradient);
  void evaluate(const Call& call);
  void run_tasks(const Call& call, int first, int last);
  void run_task(const Call& call, int task);
  void find_tasks(Sweep kind);
  bool are_in_pieces() const;
  bool is_shared() const;
  void tell_trees(Sweep kind);
  void run_on_ranks(const Call& call);
  std::vector<std::size_t> shares_of_ranks() const;
  std::pair<std::size_t, std::size_t> points_of(std::size_t part, int first, int last) const;
  std::vector<std::span<double>> made_by(const Call& call, int first, int last);
  std::span<double> rows_to_write(const Call& call, std::size_t part);
  Running& running(Sweep kind, std::size_t r);
  void forget_points();
  void share_points(std::size_t r, const PointSet& points);
  void count_rows();
  void count(double evaluations, Sweep kind);
  void must_have_points() const;
  void add_part(PartOptions options, bool compiled, const std::vector<LossTerm>& terms);
  void weigh(std::size_t r);
  void add_squares(const Call& call, std::size_t part);
  /// Rows of a part [terms, points] to or from their places among all of its requirement.
  template <class Move> void move_rows(std::size_t part, const Move& move) const;
  bool has_pieces(std::size_t r) const { return first_part_[r + 1] - first_part_[r] > 1; }
  std::size_t terms_in(std::size_t r) const { return first_term_[r + 1] - first_term_[r]; }
  std::size_t terms_of_part(std::size_t i) const { return terms_in(shares_[i].requirement); }
  /// The first row of a term of a part.
  std::size_t first_row(std::size_t part, std::size_t term) const;
  std::span<double> rows_of(const Call& call, std::size_t part) const;

  std::shared_ptr<const Model> model_;
  const DType dtype_;
  const bool pieces_count_;  ///< whether parts of one piece each are not worth sharing out
  ThreadPool& pool_;
  const Crew crew_;
  std::vector<LossTerm> terms_;
  std::vector<std::unique_ptr<LossPart>> parts_;
  std::vector<Share> shares_;            ///< of each part
  std::vector<std::size_t> first_part_;  ///< of each requirement, and the end
  std::vector<std::size_t> first_term_;  ///< likewise
  std::vector<std::size_t> first_row_;   ///< likewise, with the points that there are
  std::unique_ptr<Descent> descent_;     ///< uses the parts
  std::map<std::pair<Sweep, std::size_t>, Running> running_;
  std::vector<int> first_task_;          ///< of each part in the evaluation that runs, and the end
  std::vector<Running*> now_;            ///< of each part; null: it has no points
  std::vector<RowBlock> row_blocks_;     ///< of all rows
  std::vector<std::size_t> row_tiles_;   ///< the first row of each tile of the Gram matrix
  std::unique_ptr<Gram> gram_;           ///< with the memory of the latest
  std::unique_ptr<RowDesks> row_desks_;  ///< what threads write rows with
  std::atomic<double> factor_points_ = 0, factor_flops_ = 0;  ///< that are not in work_ yet
  std::vector<double> scratch_, squares_;
  std::vector<std::vector<double>> piece_rows_;  ///< of parts whose rows do not stand together
  Work work_;
};

}  // namespace pinn
