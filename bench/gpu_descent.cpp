#include "bench/clock.h"
#include "bench/net_step.h"
#include "bench/tensors.h"
#include "bench/workloads.h"
#include "solvers/train/loss_objective.h"

namespace pinn::bench {
namespace {

constexpr long moves = 10;  // as many as there are from one record of a run to the next

OptimizerOptions adam() {
  OptimizerOptions options;
  options.clip = 1;
  return options;
}

/// The compiled step with the products that are asked for.
Way way_of(const Options& options) {
  Way way = compiled;
  if (options.products == "3xtf32") way.products = Products::tf32x3;
  return way;
}

/// A network in training by Adam.
class Training {
 public:
  Training(const NetStep& step, const Options& options)
      : loss_(step.loss(options.dtype, way_of(options), pool_, options.device)),
        objective_(*loss_),
        optimizer_(make_optimizer(adam(), step.parameters.size())),
        p_(from_values(step.parameters, {std::int64_t(step.parameters.size())})) {}

  /// The host asks for each gradient and moves the parameters.
  void move_asked() {
    for (long k = 0; k < moves; ++k) optimizer_->advance(p_, memory_, objective_);
  }
  /// The parameters are moved where the gradient is made, if anybody does that.
  void move_at_once() {
    for (long made = 0; made < moves;)
      made += optimizer_->advance_many(p_, memory_, objective_, moves - made, 0).count;
  }
  std::vector<double> parameters() const { return p_.values(); }

 private:
  ThreadPool pool_{1};
  std::unique_ptr<Loss> loss_;
  LossObjective objective_;
  std::unique_ptr<Optimizer> optimizer_;
  Tensor p_;
  OptimizerMemory memory_;
};

Row row(const std::string& name, const NetStep& step, const Options& options,
        void (Training::*move)()) {
  Row row;
  row.name = name;
  row.facts.add("moves", moves).add("parameters", step.parameters.size());
  row.act = [training = std::make_shared<Training>(step, options), move] { ((*training).*move)(); };
  return row;
}

}  // namespace

void gpu_descent(const Options& options, Journal& journal) {
  const NetStep step(burgers, options.width_or(20), options.layers_or(8), options.points_or(10000));
  Training asked(step, options), at_once(step, options);
  asked.move_asked();
  at_once.move_at_once();
  journal.validate("parameters moved at once away from those moved one by one",
                   distance(at_once.parameters(), asked.parameters()), 1e-9);
  measure({row("asked", step, options, &Training::move_asked),
           row("at-once", step, options, &Training::move_at_once)},
          options, journal);
}

}  // namespace pinn::bench
