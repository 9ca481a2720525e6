#include <algorithm>

#include "bench/net_step.h"
#include "bench/tensors.h"
#include "bench/workloads.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/train/loss_objective.h"

namespace pinn::bench {
namespace {

constexpr const char* kinds[] = {"levenberg_marquardt", "natural_gradient"};

/// A whole step of a second-order method, from the same parameters and without memory each time.
class FirstStep {
 public:
  FirstStep(const NetStep& step, const std::string& kind, const Way& way, int threads)
      : pool_(threads),
        loss_(step.loss(DType::float64, way, pool_)),
        start_(step.parameters),
        p_(empty({std::int64_t(start_.size())})) {
    OptimizerOptions options;
    options.kind = kind;
    optimizer_ =
        make_optimizer(options, {.parameters = start_.size(), .rows = loss_->squares().rows()});
  }
  void take() {
    std::ranges::copy(start_, p_.data<double>().begin());
    OptimizerMemory memory;
    LossObjective objective(*loss_);
    move_ = optimizer_->advance(p_, memory, objective);
  }
  std::vector<double> parameters() const { return p_.values(); }
  const Move& move() const { return move_; }

 private:
  ThreadPool pool_;
  std::unique_ptr<Loss> loss_;
  const std::vector<double> start_;
  Tensor p_;
  std::unique_ptr<Optimizer> optimizer_;
  Move move_;
};

/// As others spell it: levenberg-marquardt.
std::string spelled(std::string kind) {
  std::ranges::replace(kind, '_', '-');
  return kind;
}

}  // namespace

void second_order(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(20), layers = options.layers_or(3),
                     count = options.points_or(4000);
  const NetStep step(burgers, width, layers, count);
  if (options.only_write)
    write_arrays(options.folder, "input", {{"parameters", step.parameters}, {"x", step.points.x}});
  std::vector<Row> rows;
  for (const char* kind : kinds) {
    const auto first = std::make_shared<FirstStep>(step, kind, compiled, options.threads);
    first->take();
    const std::string name = spelled(kind);
    if (options.only_write) {  // others are to come to the same
      write_arrays(options.folder, "reference", {{name, first->parameters()}});
      continue;
    }
    if (!options.serve) {
      FirstStep slow(step, kind, by_taylor, 1);
      slow.take();
      journal.validate(
          name + " against a step op by op",
          distance(first->parameters(), slow.parameters()) / largest(slow.parameters()), 1e-6);
    }
    Row row;
    row.name = name;
    row.facts.add("points", count).add("parameters", step.parameters.size());
    row.facts.add("width", width).add("layers", layers);
    row.facts.add("evaluations", first->move().evaluations);
    row.act = [first] { first->take(); };
    row.results = [first, name] { return Arrays{{name, first->parameters()}}; };
    rows.push_back(std::move(row));
  }
  if (!options.only_write) measure(rows, options, journal);
}

}  // namespace pinn::bench
