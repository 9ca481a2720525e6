#include <cmath>

#include "bench/net_step.h"
#include "bench/tensors.h"
#include "bench/workloads.h"
#include "configs/read.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/points/point_sets.h"
#include "solvers/train/loss_objective.h"

namespace pinn::bench {
namespace {

/// A problem file as a run begins with it: parameters, and the first points of every requirement.
struct Beginning {
  Run run;
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
  std::vector<PointSet> points;
  const OptimizerOptions& optimizer;

  explicit Beginning(const Options& options)
      : run(read_run(options.problem)),
        model(std::make_shared<const Model>(std::make_shared<const Problem>(run.problem),
                                            run.networks)),
        parameters(model->initial_parameters(run.options.seed)),
        optimizer(run.stages.at(std::size_t(options.stage - 1)).optimizer) {
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
      points.push_back(points_of(run, r, "points", 0));
  }
  std::size_t requirements() const { return points.size(); }
};

/// Trains step by step; after `count` steps it begins anew, so that all steps are of the same kind.
class Training {
 public:
  Training(const Beginning& beginning, const Options& options, const Way& way, ThreadPool& pool)
      : beginning_(beginning),
        count_(options.count_or(100)),
        loss_(beginning.model,
              LossOptions{options.dtype, std::vector(beginning.requirements(), way.derivatives),
                          way.compiled},
              pool),
        objective_(loss_),
        optimizer_(make_optimizer(beginning.optimizer, beginning.parameters.size())) {
    for (std::size_t r = 0; r < beginning.requirements(); ++r)
      loss_.set_points(r, beginning.points[r]);
    begin();
  }

  void step() {
    if (done_ == count_) begin();
    evaluations_ += optimizer_->advance(p_, memory_, objective_).evaluations;
    ++done_;
  }

  /// The gradient at the beginning, and the loss once all steps are done.
  Arrays results() {
    begin();
    Arrays arrays{{"gradient", std::vector<double>(beginning_.parameters.size())}};
    loss_.value_and_gradient(beginning_.parameters, arrays["gradient"]);
    while (done_ < count_) step();
    evaluations_per_step_ = double(evaluations_) / double(count_);
    arrays["loss"] = {loss_.value(p_.data<double>()).total};
    begin();
    return arrays;
  }
  /// Evaluations of loss and gradient per step; known once there are results.
  double evaluations_per_step() const { return evaluations_per_step_; }

 private:
  void begin() {
    p_ = from_values(beginning_.parameters, {std::int64_t(beginning_.parameters.size())});
    memory_ = {};
    done_ = evaluations_ = 0;
  }

  const Beginning& beginning_;
  std::int64_t count_, done_ = 0, evaluations_ = 0;
  double evaluations_per_step_ = 1;
  Loss loss_;
  LossObjective objective_;
  std::unique_ptr<Optimizer> optimizer_;
  Tensor p_;
  OptimizerMemory memory_;
};

/// The operations of the products of one loss and gradient, op by op in Taylor mode.
double flops_of_step(const Beginning& beginning, const Options& options) {
  ThreadPool alone(1);  // products are counted by thread
  Loss loss(beginning.model, LossOptions{options.dtype, {}, false}, alone);
  for (std::size_t r = 0; r < beginning.requirements(); ++r)
    loss.set_points(r, beginning.points[r]);
  std::vector<double> gradient(beginning.parameters.size());
  return product_flops([&] { loss.value_and_gradient(beginning.parameters, gradient); });
}

/// All points one after another, and of each the weight of its square in the loss.
Arrays inputs(const Beginning& beginning) {
  Arrays arrays{{"parameters", beginning.parameters}, {"x", {}}, {"weights", {}}};
  for (std::size_t r = 0; r < beginning.requirements(); ++r) {
    const PointSet& points = beginning.points[r];
    const double weight =
        terms_of(beginning.run.problem.requirements[r], beginning.run.problem).at(0).weight;
    arrays["x"].insert(arrays["x"].end(), points.x.begin(), points.x.end());
    arrays["weights"].insert(arrays["weights"].end(), points.count, weight / double(points.count));
  }
  const OptimizerOptions& o = beginning.optimizer;
  arrays["optimizer"] = {o.rate, o.beta1, o.beta2, o.epsilon};
  return arrays;
}

}  // namespace

void burgers_run(const Options& options, Journal& journal) {
  const Beginning beginning(options);
  ThreadPool pool(options.threads), all(available_threads());
  Arrays exact;
  if (!options.serve) {
    Options in_float64 = options;
    in_float64.dtype = DType::float64;
    exact = Training(beginning, in_float64, by_reverse, all).results();
  }
  if (options.only_write) {
    write_arrays(options.folder, "input", inputs(beginning));
    return write_arrays(options.folder, "reference", exact);
  }

  const double flops = flops_of_step(beginning, options);
  const bool single = options.dtype == DType::float32;
  std::vector<Row> rows;
  for (const Way& way : ways) {
    if (!options.wants(way.name)) continue;
    const auto training = std::make_shared<Training>(beginning, options, way, pool);
    const Arrays found = training->results();
    const std::string name = way.name;
    if (!options.serve)
      for (const auto& [key, values] : found)
        journal.validate(name + ": " + key + " against float64 by nested reverse",
                         distance(values, exact[key]) / largest(exact[key]),
                         key == "loss" ? (single ? 1e-2 : 1e-6) : (single ? 1e-5 : 1e-10));
    Row row;
    row.name = name;
    if (way.derivatives == Derivatives::taylor)
      row.flops = flops * training->evaluations_per_step();
    row.facts.add("optimizer", beginning.optimizer.kind)
        .add("steps", options.count_or(100))
        .add("evaluations_per_step", training->evaluations_per_step())
        .add("parameters", beginning.parameters.size())
        .add("loss", found.at("loss")[0]);
    row.act = [training] { training->step(); };
    row.results = [found] { return found; };
    rows.push_back(row);
  }
  measure(rows, options, journal);
}

}  // namespace pinn::bench
