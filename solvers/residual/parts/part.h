#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "solvers/residual/step/part_options.h"

namespace pinn {

/// Size and cost of a kind of sweep at the points that a part has.
struct SweepSize {
  std::size_t block = 1;  ///< points that are worked on together
  std::size_t sums = 0;   ///< numbers that its blocks add up
  double product_flops = std::numeric_limits<double>::quiet_NaN();  ///< per point; NaN: unknown
};

/// Uses factors of rows, which are there until it returns.
using FactorUser = std::function<void(std::span<const RowFactor> factors)>;

/// One requirement's share of the loss and its rows. Points are worked on in blocks, which threads
/// share out.
class LossPart {
 public:
  virtual ~LossPart() = default;

  /// Takes new points instead of those it has.
  virtual void set_points(PointSet points) = 0;
  /// Other weights for the points it has, which came with as many.
  virtual void set_point_weights(std::span<const double> weights) = 0;
  /// Other weights of its terms.
  virtual void set_weights(std::span<const double> weights) = 0;
  virtual std::size_t points() const = 0;
  /// How many rows each of its terms has.
  virtual std::size_t rows() const { return points(); }
  /// How many weights its points came with.
  virtual std::size_t weights() const = 0;
  /// The unit vectors that its Laplacians are estimated along, [directions, coordinates]; to be
  /// given where the options ask for directions.
  virtual void set_directions(std::span<const double> /*vectors*/) {}

  /// True if it makes all sums of a kind by itself, those of other ranks included; then `run` only
  /// waits for them.
  virtual bool sums_itself(Sweep /*kind*/) const { return false; }
  /// Along which tree it does, from the next `prepare` on; null: all points at once.
  virtual void set_tree(Sweep /*kind*/, std::shared_ptr<const SumTree> /*tree*/) {}
  /// True if a device keeps its points, where an optimizer may use its step.
  virtual bool may_descend() const { return false; }
  /// Its step with the gradient, where it may.
  virtual DescentPart descent_part() { return {}; }

  virtual SweepSize size(Sweep kind) = 0;
  /// Once per evaluation, before its blocks: the parameters; v [parameters] or w [rows], where the
  /// kind has one.
  virtual void prepare(Sweep kind, std::span<const double> p,
                       std::span<const double> direction) = 0;
  /// The blocks from point `begin`, where one begins, to point `end`: adds to `sums`; writes its
  /// rows into `rows`, [terms, points].
  virtual void run(std::size_t begin, std::size_t end, std::span<double> sums,
                   std::span<double> rows) = 0;
  /// Once all blocks are summed: writes the squares, one per term, if the kind has any; adds to
  /// `result` [parameters].
  virtual void finish(std::span<double> sums, std::span<double> squares,
                      std::span<double> result) = 0;
  /// The same of a kind that gives rows: writes those that are known only then.
  virtual void finish_rows(std::span<double> /*sums*/, std::span<double> /*rows*/) {}
  /// The rows of J of one term at points begin ... end - 1, any that lie in one block, as factors
  /// in the part's number type go to `use`. The operations in products that they took; NaN:
  /// unknown.
  virtual double factors(std::size_t term, std::size_t begin, std::size_t end,
                         const FactorUser& use) = 0;
};

/// Numbers of integrals over all points (integral_part.cpp), each part made by one of the makers
/// below.
using PartMaker = std::unique_ptr<LossPart> (*)(PartOptions options);
std::unique_ptr<LossPart> integral_part(PartOptions options, PartMaker make);

/// Runs op by op on the tape: the definition of what a step computes.
std::unique_ptr<LossPart> eager_part(PartOptions options);
/// Traces and plans each kind of sweep once, or finds it in the cache, then runs it block by block;
/// or on a device that keeps points, all at once.
std::unique_ptr<LossPart> compiled_part(PartOptions options);

/// The optimizer on the device where all these parts are evaluated, with their points of now; null
/// unless they are compiled and one keeps points.
std::unique_ptr<Descent> descent_of(std::span<LossPart* const> parts, const Model& model);

}  // namespace pinn
