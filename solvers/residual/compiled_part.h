#pragma once
#include <map>

#include "autograd/core/spare.h"
#include "solvers/residual/step_cache.h"

namespace pinn {

/// A part whose sweeps are programs. A kind is traced and planned when it is first asked for.
class CompiledPart : public LossPart {
 public:
  /// options.cache is there.
  explicit CompiledPart(PartOptions options)
      : options_(std::move(options)), model_(*options_.model) {}

  void set_points(PointSet points) override;
  void set_point_weights(std::span<const double> weights) override;
  void set_weights(std::span<const double> weights) override {
    options_.weights.assign(weights.begin(), weights.end());
  }
  void set_directions(std::span<const double> vectors) override {
    directions_.assign(vectors.begin(), vectors.end());
  }
  std::size_t points() const override { return points_.count; }
  std::size_t weights() const override { return points_.weights.size(); }
  SweepSize size(Sweep kind) override;
  void prepare(Sweep kind, std::span<const double> p, std::span<const double> direction) override;
  void run(std::size_t begin, std::size_t end, std::span<double> sums,
           std::span<double> rows) override;
  void finish(std::span<double> sums, std::span<double> squares, std::span<double> result) override;
  double factors(std::size_t term, std::size_t begin, std::size_t end,
                 const FactorUser& use) override;

 protected:
  /// Working memory of a thread.
  struct Desk {
    std::unique_ptr<Executor::Workspace> memory;
    std::vector<RowArray> rows;
    std::vector<double*> places;
    std::vector<const void*> lanes;  ///< of all outputs
    std::vector<RowFactor> factors;
  };
  /// A sweep that is ready to run.
  struct Ready {
    std::shared_ptr<const CompiledSweep> compiled;
    std::unique_ptr<Executor> executor;
    PlanReport report;
    BoundInputs inputs;
    KnownArrays known;   ///< of the points that are there
    bool knows = false;  ///< whether it is

    const Program& program() const { return executor->program(); }
    const TracedSweep& traced() const { return compiled->traced; }
    auto desk() {
      return desks.borrow([&] { return Desk{executor->workspace(), {}, {}, {}, {}}; });
    }
    Spare<Desk> desks;
  };

  virtual std::unique_ptr<Executor> make(const Program& program) const {
    return cpu::make_executor(program, options_.products);
  }
  Ready& ready(Sweep kind, std::size_t term = 0);
  /// Binds the inputs of a sweep.
  void bind(Ready& r, std::span<const double> p, std::span<const double> direction);
  void read(Ready& r, std::span<double> sums, std::span<double> squares, std::span<double> result) {
    read_sums(*r.executor, r.traced(), model_, sums, squares, result, part_);
  }

  PartOptions options_;
  const Model& model_;
  PointSet points_;
  std::map<std::pair<Sweep, std::size_t>, Ready> ready_;
  Sweep kind_ = Sweep::value;
  std::vector<Ready*> now_;  ///< that was prepared; of the Jacobian one per term

 private:
  PointWidths widths_;
  std::vector<double> scales_, part_, directions_;
};

/// A compiled part whose points stay on a GPU: a step is one captured graph, begun by prepare and
/// waited for by run.
std::unique_ptr<LossPart> gpu_part(PartOptions options);

}  // namespace pinn
