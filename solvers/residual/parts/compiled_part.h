#pragma once
#include <map>

#include "autograd/core/spare.h"
#include "solvers/residual/parts/part.h"
#include "solvers/residual/step/step_cache.h"

namespace pinn {

/// A part whose sweeps are programs. A kind is traced and planned when it is first asked for. Where
/// the device keeps points, the loss and its gradient are steps there (resident_points.cpp).
class CompiledPart : public LossPart {
 public:
  /// options.cache is there.
  explicit CompiledPart(PartOptions options)
      : options_(std::move(options)),
        model_(*options_.model),
        keeps_points_(keeps_points(options_.device)) {}

  void set_points(PointSet points) override;
  void set_point_weights(std::span<const double> weights) override;
  void set_weights(std::span<const double> weights) override {
    options_.weights.assign(weights.begin(), weights.end());
  }
  void set_directions(std::span<const double> vectors) override {
    directions_.assign(vectors.begin(), vectors.end());
  }
  bool sums_itself(Sweep kind) const override { return keeps_points_ && is_loss(kind); }
  void set_tree(Sweep kind, std::shared_ptr<const SumTree> tree) override {
    trees_[kind] = std::move(tree);
  }
  bool may_descend() const override { return keeps_points_; }
  DescentPart descent_part() override;
  std::size_t points() const override { return points_.count; }
  std::size_t weights() const override { return points_.weights.size(); }
  SweepSize size(Sweep kind) override;
  void prepare(Sweep kind, std::span<const double> p, std::span<const double> direction) override;
  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override;
  void finish(std::span<double> sums, std::span<double> squares, std::span<double> result) override;
  double factors(std::size_t term, std::size_t begin, std::size_t end,
                 const FactorUser& use) override;

 private:
  /// Working memory of a thread.
  struct Scratch {
    std::unique_ptr<Executor::Workspace> memory;
    std::vector<RowArray> rows;
    std::vector<double*> places;
    std::vector<const void*> lanes;  ///< of all outputs
    std::vector<RowFactor> factors;
  };
  /// A sweep that is ready to run.
  struct PreparedSweep {
    std::shared_ptr<const CompiledSweep> compiled;
    std::unique_ptr<Executor> executor;
    PlanReport report;
    BoundInputs inputs;
    KnownArrays known;   ///< of the points that are there
    bool knows = false;  ///< whether it is

    const Program& program() const { return executor->program(); }
    const TracedSweep& traced() const { return compiled->traced; }
    auto scratch() {
      return scratches.borrow([&] { return Scratch{executor->workspace(), {}, {}, {}, {}}; });
    }
    Spare<Scratch> scratches;
  };

  PreparedSweep& ready(Sweep kind, std::size_t term = 0);
  PreparedSweep& with_points(Sweep kind, std::span<const double> p);
  void must_be_given(Sweep kind) const;
  std::size_t piece() const;
  /// Binds the inputs of a sweep.
  void bind(PreparedSweep& r, std::span<const double> p, std::span<const double> direction);
  void read(PreparedSweep& r, std::span<double> sums, std::span<double> squares,
            std::span<double> result) {
    read_sums(*r.executor, r.traced(), model_, sums, squares, result, part_);
  }

  PartOptions options_;
  const Model& model_;
  PointSet points_;
  std::map<std::pair<Sweep, std::size_t>, PreparedSweep> ready_;
  Sweep kind_ = Sweep::value;
  std::vector<PreparedSweep*> now_;  ///< that was prepared; of the Jacobian one per term
  PointWidths widths_;
  std::vector<double> scales_, part_, directions_;

  // Trees along which a device that keeps points sums them, and those of whose points some are
  // there, along which.
  const bool keeps_points_;
  std::map<Sweep, std::shared_ptr<const SumTree>> trees_;
  std::map<const PreparedSweep*, std::shared_ptr<const SumTree>> resident_;
};

}  // namespace pinn
