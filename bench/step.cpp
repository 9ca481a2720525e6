#include "autograd/core/stats.h"
#include "bench/clock.h"
#include "bench/row.h"
#include "bench/tensors.h"
#include "bench/workloads.h"
#include "data/geometry/region.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/loss.h"

namespace pinn::bench {
namespace {

constexpr const char* equation = "u_t + u*u_x - 0.01/pi*u_xx";

/// Burgers' equation, and nothing else, on x and t in [-1, 1], where the network leaves its inputs
/// as they are.
std::shared_ptr<const Problem> burgers() {
  auto problem = std::make_shared<Problem>();
  problem->coordinates = {{"x", -1, 1, Role::space, ""}, {"t", -1, 1, Role::time, ""}};
  problem->fields = {{"u", "", 1}};
  problem->outputs.resize(1);
  problem->periodic.resize(2, false);
  Requirement r;
  r.name = "burgers";
  r.region = make_box({{-1, 1}, {-1, 1}});
  Warnings warnings;
  const Text text{equation, {"bench", 1, 1, equation}, true};
  r.residuals.push_back({"burgers", parse_residual(text, Scope{*problem}, warnings), 1, text});
  problem->requirements.push_back(r);
  return problem;
}

/// How a step is computed.
struct Way {
  const char* name;
  Derivatives derivatives;
  bool compiled;
};
constexpr Way ways[] = {{"compiled", Derivatives::taylor, true},
                        {"taylor", Derivatives::taylor, false},
                        {"reverse", Derivatives::reverse, false}};

/// The step: a network 2, width ... width, 1 with tanh, the mean square of the residual, and its
/// gradient by the parameters.
struct Step {
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
  PointSet points;

  Step(std::int64_t width, std::int64_t layers, std::int64_t count) {
    NetworkOptions network;
    network.layers.assign(std::size_t(layers), int(width));
    model = std::make_shared<const Model>(burgers(), network);
    parameters = model->initial_parameters(0);
    for (const ParameterBlock& block : model->blocks()) {  // biases that are not 0
      if (block.shape.rank() != 1) continue;
      const std::vector<double> b = normals(std::size_t(block.shape.numel()), block.name);
      for (std::size_t i = 0; i < b.size(); ++i)
        parameters[std::size_t(block.offset) + i] = 0.1 * b[i];
    }
    for (double& p : parameters) p = float(p);
    points.count = std::size_t(count);
    points.x = uniforms(2 * points.count, "points", -1, 1);
  }

  std::unique_ptr<Loss> loss(DType dtype, const Way& way, ThreadPool& pool) const {
    auto made =
        std::make_unique<Loss>(model, LossOptions{dtype, {way.derivatives}, way.compiled}, pool);
    made->set_points(0, points);
    return made;
  }
};

/// What a loss says, with the operations of its products.
struct Said {
  double total = 0;
  std::vector<double> gradient;
  double flops = 0;
};

Said said(const Step& step, DType dtype, const Way& way) {
  ThreadPool alone(1);  // products are counted by thread
  Said s;
  s.gradient.resize(step.parameters.size());
  const std::unique_ptr<Loss> loss = step.loss(dtype, way, alone);
  stats() = {};
  stats().recording = true;
  s.total = loss->value_and_gradient(step.parameters, s.gradient).total;
  for (const ProductSize& p : stats().product_log)
    s.flops += 2 * double(p.m) * double(p.n) * double(p.k) * double(p.batch);
  stats() = {};
  return s;
}

Row row_of(const Step& step, const Way& way, const Said& exact, double flops,
           const Options& options, ThreadPool& pool, Journal& journal) {
  const Said s = said(step, options.dtype, way);
  const double limit = options.dtype == DType::float32 ? 1e-5 : 1e-10;
  const double gradient = distance(s.gradient, exact.gradient) / largest(exact.gradient);
  const std::string name = way.name;
  journal.validate(name + ": gradient against float64 by the other mode", gradient, limit);
  journal.validate(name + ": loss against it", std::fabs(s.total / exact.total - 1), limit);

  Row row;
  row.name = name;
  row.flops = way.compiled ? flops : s.flops;  // those of the eager step in Taylor mode
  row.facts.add("points", step.points.count)
      .add("parameters", step.parameters.size())
      .add("loss", s.total)
      .add("gradient_difference", gradient);
  row.act = [loss = std::shared_ptr(step.loss(options.dtype, way, pool)), &step,
             g = std::vector<double>(step.parameters.size())]() mutable {
    loss->value_and_gradient(step.parameters, g);
  };
  row.results = [s] { return Arrays{{"gradient", s.gradient}}; };
  return row;
}

}  // namespace

void training_step(const Options& options, Journal& journal) {
  const std::int64_t width = options.width_or(20), layers = options.layers_or(8),
                     count = options.points_or(10000);
  const Step step(width, layers, count);
  const Said taylor = said(step, DType::float64, ways[1]),
             reverse = said(step, DType::float64, ways[2]);
  if (!options.folder.empty()) {
    write_arrays(options.folder, "input", {{"parameters", step.parameters}, {"x", step.points.x}});
    write_arrays(options.folder, "reference", {{"gradient", reverse.gradient}});
  }
  if (options.only_write) return;

  ThreadPool pool(options.threads);
  std::vector<Row> rows;
  for (const Way& way : ways) {
    if (!options.wants(way.name)) continue;
    const Said& other = way.derivatives == Derivatives::taylor ? reverse : taylor;
    rows.push_back(row_of(step, way, other, taylor.flops, options, pool, journal));
    rows.back().facts.add("width", width).add("layers", layers);
  }
  measure(rows, options, journal);
}

}  // namespace pinn::bench
